#pragma once

#include <karst/base/bounds.h>
#include <karst/base/function_ref.h>
#include <karst/voxel/chunk.h>
#include <karst/voxel/material_table.h>

#include <cstdint>
#include <memory>

namespace karst::voxel {

/// Orders the edits of one grid: 0 is a new grid, each edit that changed something adds 1.
using Revision = std::uint64_t;

/// Which grid a revision belongs to. A clone has another one than its original although it shares every
/// chunk. Compared by identity; a default one equals only a default one.
using GridGeneration = std::shared_ptr<const char>;

/// Where the grid's cells stand in the world: a cell's edge in world units, and the corner of cell (0, 0, 0).
struct GridPlacement {
    double cellSize = 4;
    WorldPosition origin{};

    /// The corner with the smallest coordinates, and the middle, of a cell.
    WorldPosition cellCorner(CellCoord c) const {
        return {origin.x + c.x * cellSize, origin.y + c.y * cellSize, origin.z + c.z * cellSize};
    }
    WorldPosition cellCenter(CellCoord c) const {
        return {origin.x + (c.x + 0.5) * cellSize, origin.y + (c.y + 0.5) * cellSize,
                origin.z + (c.z + 0.5) * cellSize};
    }
    bool operator==(const GridPlacement&) const = default;
};

class ChunkMap;
class Grid;

/// A grid as it was at one revision, or (a selective snapshot) some of its chunks. Taking one copies no
/// cells; it never changes, whatever happens to the grid. Cheap to copy; readable from any thread.
class GridSnapshot {
  public:
    /// An empty grid of the standard materials.
    GridSnapshot();

    const GridGeneration& generation() const { return m_generation; }
    Revision revision() const { return m_revision; }
    const GridPlacement& placement() const { return m_placement; }
    const MaterialTable& materials() const { return m_materials; }

    /// Null where the chunk is empty (or was not selected).
    const Chunk* chunk(ChunkCoord coord) const;
    ChunkRef chunkRef(ChunkCoord coord) const;
    /// The revision that last changed the chunk; 0 where there is none.
    Revision chunkRevision(ChunkCoord coord) const;
    /// Empty outside of the written chunks.
    Cell cell(CellCoord cell) const;

    std::size_t chunkCount() const;
    /// In the order of ChunkCoord.
    void forEachChunk(FunctionRef<void(ChunkCoord, const Chunk&)> visit) const;
    /// The same without sorting them first; in an order that edits of the past have a part in.
    void forEachChunkUnordered(FunctionRef<void(ChunkCoord, const Chunk&)> visit) const;
    /// The smallest box of whole chunks around all of them; empty where there are none.
    CellBox chunkBounds() const;
    std::size_t memoryBytes() const;

  private:
    friend class Grid;
    GridSnapshot(const Grid& grid, std::shared_ptr<const ChunkMap> chunks);

    std::shared_ptr<const ChunkMap> m_chunks;
    GridGeneration m_generation;
    Revision m_revision = 0;
    GridPlacement m_placement;
    MaterialTable m_materials;
};

}  // namespace karst::voxel
