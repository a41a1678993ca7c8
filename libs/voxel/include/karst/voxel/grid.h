#pragma once

#include <karst/base/externals.h>
#include <karst/base/function_ref.h>
#include <karst/base/result.h>
#include <karst/voxel/grid_changes.h>
#include <karst/voxel/grid_snapshot.h>

#include <memory>
#include <optional>
#include <span>

namespace karst::voxel {

struct GridDefinition {
    GridPlacement placement;
    MaterialTable materials;
    /// Removed chunks that the grid remembers for readers; at least 1.
    std::uint32_t removalLogCapacity = 65536;
};

/// The part of an edit that falls into one chunk. The cells of `box` may be written; they hold the present
/// cells before.
struct EditBlock {
    ChunkCoord chunk;
    /// In cells of the grid, inside the chunk, not empty.
    CellBox box;
    /// In the order of cellIndex(); only those of `box` are valid.
    Cell* cells = nullptr;
    /// All cells of the block before the edit, where that is known without looking.
    std::optional<Cell> uniform;

    /// The cells of a row: index it with x - box.min.x.
    Cell* row(std::int32_t y, std::int32_t z) const { return cells + cellIndex(box.min.x, y, z); }
    Cell& at(CellCoord c) const { return cells[cellIndex(c)]; }
};

struct EditSummary {
    /// Of the grid after the edit; where nothing changed, the one before.
    Revision revision = 0;
    std::int64_t changedCells = 0;
    /// The smallest box around them.
    CellBox bounds;
};

/// What a chunk becomes: null is empty.
struct ChunkReplacement {
    ChunkCoord chunk;
    ChunkRef cells;
};

/// Voxel ground: a sparse map of chunks of cells. This is the authoritative state; surfaces, water and
/// colliders are derived from its snapshots. Only written chunks exist, an unwritten cell reads empty, an
/// emptied chunk leaves the map. Threads: a grid is used by one thread at a time; its snapshots may be read
/// by any thread meanwhile.
class Grid {
  public:
    static Result<Grid> create(const GridDefinition& definition, const Externals& externals = {});
    Grid(Grid&&) noexcept;
    Grid& operator=(Grid&&) noexcept;
    ~Grid();

    /// A grid of the same cells and revision, of a generation of its own. No cell is copied until one of the
    /// two writes.
    Grid clone() const;

    const GridGeneration& generation() const;
    Revision revision() const;
    const GridPlacement& placement() const;
    const MaterialTable& materials() const;
    const Externals& externals() const;

    Cell cell(CellCoord cell) const;
    const Chunk* chunk(ChunkCoord coord) const;
    std::size_t chunkCount() const;
    /// The grid's chunks and their records; memory shared with snapshots is counted here too.
    std::size_t memoryBytes() const;

    /// One edit: `change` is called once for each chunk that `box` meets, in the order of ChunkCoord, also
    /// for those that do not exist yet, and writes what the cells shall be. Cells that come out the same are
    /// no change; an edit without a change makes no revision and no copy. Written cells are made canonical.
    /// Errors, before anything changes: a box outside of kCellLimit (an empty box is no error). An unknown
    /// material in a written cell is an error that leaves the grid as it was. `change` must not use the grid;
    /// take a snapshot before to read neighbours.
    Result<EditSummary> edit(const CellBox& box, FunctionRef<void(const EditBlock&)> change);
    /// One cell.
    Result<EditSummary> setCell(CellCoord coord, Cell cell);
    /// Whole chunks, as one edit: loading, undo, pasting. The references are shared, not copied. Each
    /// coordinate at most once.
    Result<EditSummary> replaceChunks(std::span<const ChunkReplacement> chunks);
    /// Removes everything, as one edit.
    EditSummary clear();

    /// The whole grid. Costs no cell copy and does not grow with the number of cells.
    GridSnapshot snapshot() const;
    /// Only `chunks` and their 26 neighbours: what meshing them reads.
    GridSnapshot snapshot(std::span<const ChunkCoord> chunks) const;

    /// What changed after (generation, revision), as an earlier call or a snapshot reported them.
    GridChanges changesSince(const GridGeneration& generation, Revision revision) const;

  private:
    struct State;
    explicit Grid(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace karst::voxel
