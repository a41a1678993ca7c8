#pragma once

#include <karst/voxel/cell_view.h>

#include <cstdint>
#include <optional>

namespace karst::voxel {

enum class RayTarget : std::uint8_t {
    Solid,
    Water,
    SolidOrWater,  ///< what of both comes first
};

struct OccupancyHit {
    /// From the origin, in world units.
    double distance = 0;
    WorldPosition point;
    /// Of length 1, out of the ground or the water: against the steepest rise of the fraction. Where that is
    /// flat, against the ray.
    Vec3d normal;
    /// What the ray hit: the material that has most of the cells around the point (as in solidMaterialAt()),
    /// and of those the cell that has most of it.
    MaterialId material = kAir;
    CellCoord cell;
};

/// How far a ray may go, in cells.
inline constexpr double kMaxRayCells = 1 << 20;

/// The first point along a ray where the fraction of what it looks for, interpolated trilinearly between the
/// middles of cells, is at least 0.5; nothing where there is none within `maxDistance`. That is where
/// solidFractionAt() crosses 0.5, exact to about 1e-6 cell, and within a cell of the extracted surface, which
/// has flat triangles instead; the ray needs no mesh. It passes over chunks that are not there or all air at
/// once and over other cells one at a time (Amanatides and Woo 1987). A ray that starts inside hits at
/// distance 0.
///
/// `direction` may have any length but 0. Errors name the argument and its value: numbers that are not
/// finite, an origin beyond kCellLimit, a distance that is not above 0 or of more than kMaxRayCells. Threads:
/// as the grid or the snapshot.
Result<std::optional<OccupancyHit>> castOccupancyRay(const CellView& view, WorldPosition origin,
                                                     Vec3d direction, double maxDistance,
                                                     RayTarget target = RayTarget::Solid);

}  // namespace karst::voxel
