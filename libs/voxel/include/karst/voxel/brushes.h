#pragma once

#include <karst/voxel/grid.h>

#include <cstdint>

namespace karst::voxel {

// Brushes for sculpting solid ground. Each call is one edit of the cells whose middle is nearer to the
// brush's centre than its radius: their solid occupancy o moves towards a target t by
//     w (t - o), rounded, where w = strength * (1 - (distance / radius)^2)^2.
// Targets are computed from the cells as they were before the call, so no order of cells or chunks matters.
//
// A cell that comes to be solid takes the material that has most of the 3 x 3 x 3 cells around it (nearer
// ones count more, among equals the lower id) or, where nothing solid is there, the `material` of the call;
// with kAir for that it stays empty. A water cell gives way only to an occupancy of 128 or more. A solid cell
// that comes to 0 turns to water where water lies above it (then it is full) or beside it (then as full as
// the fullest of those), else it becomes empty.
//
// Errors name the function, the argument and its value, and nothing changes: a number that is not finite, a
// radius that is not above 0, a strength outside of 0 < strength <= 1, a material that is not in the grid's
// table or not solid (kAir is allowed), a brush that reaches beyond kCellLimit or over more than
// kMaxBrushCells. Threads: as the grid.

struct Brush {
    WorldPosition center;
    double radius = 0;  ///< world units
    double strength = 1;
};

/// Cells of the box around a brush.
inline constexpr std::int64_t kMaxBrushCells = 4'194'304;

/// Target: the mean m of the 3 x 3 x 3 cells around, weighed 1 2 1 along each axis, steepened about the
/// surface: 2 m - 127.5, from 0 to 255. Levels bumps, fills dents, takes single cells away, and keeps the
/// ground's rim as narrow as it is: level ground along a grid axis stays to the bit.
Result<EditSummary> brushSmooth(Grid& grid, const Brush& brush);

/// Target: the largest of the cell and its 6 neighbours. At strength 1 the surface under the brush's middle
/// comes out by one cell.
Result<EditSummary> brushGrow(Grid& grid, const Brush& brush, MaterialId material = kAir);

/// Target: the smallest of the cell and its 6 neighbours.
Result<EditSummary> brushErode(Grid& grid, const Brush& brush);

enum class FlattenMode : std::uint8_t { FillAndDig, FillOnly, DigOnly };

/// The plane through `point` across `normal` (which may have any length but 0); the ground is on the side
/// that the normal does not point to.
struct FlattenPlane {
    WorldPosition point;
    Vec3d normal{0, 1, 0};
};

/// Target: the cell's share below the plane.
Result<EditSummary> brushFlatten(Grid& grid, const Brush& brush, const FlattenPlane& plane,
                                 FlattenMode mode = FlattenMode::FillAndDig, MaterialId material = kAir);

}  // namespace karst::voxel
