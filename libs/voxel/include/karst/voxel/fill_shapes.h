#pragma once

#include <karst/base/function_ref.h>
#include <karst/voxel/grid.h>
#include <karst/voxel/pose.h>

#include <cstdint>

namespace karst::voxel {

// Shapes filled into a grid, or dug out of it with kAir. Positions and lengths are in world units.
//
// A cell takes part by its coverage, the share of its volume inside the shape, 0 to 255. It is exact for a
// block along the grid's axes and for a cell that a single flat face cuts; elsewhere it is within 3 / 255. A
// shape turned by right angles gives the same cells to the bit. The shape's centre is rounded to 1 / 65536
// of a cell.
//
// How coverage c meets a cell (FillMode::Combine), each rule idempotent, so that a stroke drawn twice is the
// stroke:
//   solid material   occupancy becomes max(occupancy, c); the material is taken over where c is at least 128
//                    or at least the old occupancy. Water gives way wherever c > 0.
//   air              occupancy becomes min(occupancy, 255 - c), of solid and of water.
//   water            only free space fills: a solid cell stays as it is, else as for solid on solid.
//
// Every function is one edit. Errors name the function, the argument and its value, and nothing changes: a
// number that is not finite, a length that is not above 0, axes that are no rotation, a material that the
// grid's table does not have, a box of cells beyond kCellLimit or of more than kMaxFillCells. Threads: as the
// grid.

enum class FillMode : std::uint8_t {
    Combine,
    /// Solid cells of coverage 128 or more take the material and keep their occupancy; nothing else changes.
    /// The material must be solid.
    Paint,
};

/// Cells of the box around a shape, or of a region, that one call takes.
inline constexpr std::int64_t kMaxFillCells = 67'108'864;

/// A box of the edges `size`.
Result<EditSummary> fillBlock(Grid& grid, const Pose& pose, Vec3d size, MaterialId material,
                              FillMode mode = FillMode::Combine);

Result<EditSummary> fillBall(Grid& grid, WorldPosition center, double radius, MaterialId material,
                             FillMode mode = FillMode::Combine);

/// Round about the pose's y axis, along which it is `height` long.
Result<EditSummary> fillCylinder(Grid& grid, const Pose& pose, double height, double radius,
                                 MaterialId material, FillMode mode = FillMode::Combine);

/// Half a box of the edges `size`: at the pose's +z end it has the full height, at the -z end none, so the
/// slope looks towards +y and -z.
Result<EditSummary> fillWedge(Grid& grid, const Pose& pose, Vec3d size, MaterialId material,
                              FillMode mode = FillMode::Combine);

/// Whole cells: each of `region` is covered entirely. An empty or inverted region is an error.
Result<EditSummary> fillRegion(Grid& grid, const CellBox& region, MaterialId material,
                               FillMode mode = FillMode::Combine);

/// Any shape: `distance` gives at a world position the distance to its surface in world units, negative
/// inside, or any value nearer to 0 than that (the function may rise by at most 1 per unit, or whole blocks
/// of cells are taken wrongly). It is asked inside `region` only, before the edit begins, so it may read the
/// grid; the same positions in the same order at every call. Coverage is sampled at 4 x 4 x 4 points a cell
/// and within 8 / 255 where the surface is flat across it; that takes a byte a cell meanwhile. A value that
/// is not finite is an error.
Result<EditSummary> fillSignedDistance(Grid& grid, const CellBox& region,
                                       FunctionRef<double(WorldPosition)> distance, MaterialId material,
                                       FillMode mode = FillMode::Combine);

}  // namespace karst::voxel
