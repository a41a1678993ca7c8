#pragma once

#include <karst/voxel/cell_view.h>
#include <karst/voxel/fill_shapes.h>

#include <array>
#include <cstdint>
#include <vector>

namespace karst::voxel {

// Operations on regions of whole cells. Errors name the function, the argument and its value, and nothing
// changes: an empty or inverted region, one beyond kCellLimit or of more than kMaxFillCells, a material that
// the grid's table does not have. Each change is one edit. Threads: as the grid or the snapshot.

/// Every cell of `from` becomes one of `to`, with the same occupancy. From kAir: empty cells become full ones
/// (the sea comes in). To kAir: the cells become empty.
Result<EditSummary> replaceMaterial(Grid& grid, const CellBox& region, MaterialId from, MaterialId to);

/// Every cell becomes empty. (Grid::clear() empties the whole grid.)
Result<EditSummary> clearRegion(Grid& grid, const CellBox& region);

/// A copy of a region's cells, on its own. x fastest, then z, then y.
struct CellRegion {
    /// Cells along each axis.
    CellCoord size;
    std::vector<Cell> cells;
};

Result<CellRegion> copyRegion(const CellView& view, const CellBox& region);

enum class EmptyCells : std::uint8_t {
    Paste,  ///< an empty cell of the copy empties the one it comes upon
    Skip,   ///< it leaves that one as it is
};

/// Puts the copy's first cell at `corner`. Further errors: a copy whose cells are not as many as its size
/// says.
Result<EditSummary> pasteRegion(Grid& grid, CellCoord corner, const CellRegion& copy,
                                EmptyCells empty = EmptyCells::Paste);

struct CellCount {
    /// Not empty; of a solid material; of water.
    std::int64_t cells = 0, solid = 0, water = 0;
    /// By id; that of kAir stays 0.
    std::array<std::int64_t, 256> byMaterial{};
};

/// Of everything.
CellCount countCells(const GridSnapshot& snapshot);
/// Of a region of any size; only an empty or inverted one, or one beyond kCellLimit, is an error.
Result<CellCount> countCells(const GridSnapshot& snapshot, const CellBox& region);

}  // namespace karst::voxel
