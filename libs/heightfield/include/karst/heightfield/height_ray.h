#pragma once

#include <karst/base/ray.h>
#include <karst/heightfield/height_pyramid.h>
#include <karst/heightfield/height_raster.h>

#include <cstdint>
#include <limits>

namespace karst::heightfield {

enum class RayStatus : std::uint8_t {
    Miss,
    Hit,
    InvalidRay,  ///< the direction is zero, or a number of the ray is not finite, or maxT is NaN or negative
};

struct RayHit {
    RayStatus status = RayStatus::Miss;
    bool lowerTriangle = false;  ///< which of the cell's two triangles (height_triangle.h)
    bool fromBelow = false;      ///< the ray met the underside
    int cellX = 0, cellZ = 0;    ///< -1 .. columns - 1, -1 .. rows - 1
    double t = 0;                ///< in lengths of the ray's direction
    Vec3d position;
    Vec3f normal{0, 1, 0};  ///< of the flat triangle, length 1, upwards

    bool hit() const { return status == RayStatus::Hit; }
};

/// The first point, at t in 0..maxT, where a ray meets the surface that heightAt answers: the same triangles,
/// holes left out. Exact: the ground is one continuous surface in its cells, and the sign of (ray height -
/// ground height) along the ray cannot slip between two of them, so a ray through a grid point or along an
/// edge always hits. A ray straight up or down hits exactly where heightAt has a value, and at that height;
/// any other ray that meets a hole's border, or the end of the ground, within the rounding of doubles may be
/// told either way. Both sides of the ground are hit; a hole has no walls. `pyramid` must be of this raster
/// and up to date (HeightPyramid::update); that is asserted.
///
/// Threads: any, while nobody changes the raster or the pyramid. Allocates nothing.
/// Source: spec row N4; the walk is a hierarchical traversal of a minimum/maximum pyramid as in Tevs, Ihrke,
/// Seidel: Maximum Mipmaps for Fast, Accurate, and Scalable Dynamic Height Field Rendering (2008).
RayHit castRay(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray,
               double maxT = std::numeric_limits<double>::infinity());

}  // namespace karst::heightfield
