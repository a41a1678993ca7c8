#pragma once

#include <karst/base/bounds.h>
#include <karst/voxel/cell_view.h>

namespace karst::voxel {

// Where cells are in the world, and what is at a point of it. Fractions are interpolated trilinearly between
// the middles of the 8 cells around the point, as the surface is: solid ground begins where the solid
// fraction reaches 0.5.
//
// Errors name the function, the argument and its value: a point that is not finite, a point or a cell beyond
// kCellLimit. Threads: as the grid or the snapshot.

/// From 0 to 1.
Result<double> solidFractionAt(const CellView& view, WorldPosition point);
/// From 0 to 1. For buoyancy: it follows the cells and no drawn wave.
Result<double> waterFractionAt(const CellView& view, WorldPosition point);

/// The solid material that has most of the 8 cells around the point, each weighed by its nearness and its
/// occupancy; among equals the lower id; kAir where there is none.
Result<MaterialId> solidMaterialAt(const CellView& view, WorldPosition point);

struct PointSample {
    double solid = 0, water = 0;
    /// kAir where there is none.
    MaterialId solidMaterial = kAir, waterMaterial = kAir;
    bool operator==(const PointSample&) const = default;
};
/// All of that at once.
Result<PointSample> sampleAt(const CellView& view, WorldPosition point);

Result<WorldPosition> cellCenterToWorld(const GridPlacement& placement, CellCoord cell);
/// The corner of the smallest coordinates.
Result<WorldPosition> cellCornerToWorld(const GridPlacement& placement, CellCoord cell);

/// The cell that holds the point. On a border it is the one of the larger coordinates.
Result<CellCoord> worldToCell(const GridPlacement& placement, WorldPosition point);
/// On a border (to within 1 / 65536 of a cell) one of the 2, 4 or 8 cells that meet there: worldToCell's
/// where it is empty, else the first empty one in the order of y, z, x, else worldToCell's.
Result<CellCoord> worldToCellPreferEmpty(const CellView& view, WorldPosition point);
/// The same, asking for a cell with something solid in it.
Result<CellCoord> worldToCellPreferSolid(const CellView& view, WorldPosition point);

/// The fewest whole cells that hold a box of the world. Further errors: a box that is empty, inverted or
/// without width.
Result<CellBox> regionAround(const GridPlacement& placement, const Bounds& box);

}  // namespace karst::voxel
