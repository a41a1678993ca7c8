#pragma once

#include <cstdint>

namespace karst::voxel {

/// From this radius in cells on, each cell sees a nearly flat face of a ball.
inline constexpr double kFlatBallRadius = 8;

/// The share of a unit cube, its middle at (x, y, z), inside a ball around the origin of at least
/// kFlatBallRadius: the share below the plane across (x, y, z), moved to where the mean distance of the
/// cube's points from the ball's surface is that of a flat one, 1 / (12 rho) nearer.
double ballShare(double x, double y, double z, double radius);

/// `out[i]` = ballShare(x + i, y, z, radius) in 255ths, rounded, for 0 <= i < count.
void ballCoverage(double x, double y, double z, double radius, std::int32_t count, std::uint8_t* out);

/// The same for balls of at least kFlatBallRadius / parts: of each cell cut into parts^3 cubes. `parts` is
/// even.
void smallBallCoverage(double x, double y, double z, double radius, int parts, std::int32_t count,
                       std::uint8_t* out);

}  // namespace karst::voxel
