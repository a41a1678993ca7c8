#pragma once

#include <karst/render/render_view.h>

#include <array>
#include <cstdint>

namespace karst::render {

inline constexpr int kMaxCascades = 4;
inline constexpr int kMaxPointLights = 4;
inline constexpr int kCubeFaces = 6;
/// Where shadows of a point light begin, as a part of its radius.
inline constexpr double kPointLightNear = 1.0 / 512;

/// The sun's shadow: maps that each cover a slice of what the camera sees, the first the nearest.
struct CascadeSettings {
    int count = 0;              ///< 0 (no shadow) .. kMaxCascades
    double distance = 2000;     ///< from the camera to where shadows end, world units, above the near plane
    double split = 0.8;         ///< 0: slices of equal length .. 1: of equal ratio
    double casterReach = 4000;  ///< how far toward the sun from a slice casters are seen, world units
};

/// Shines evenly in all directions, nothing beyond its radius.
struct PointLight {
    WorldPosition position;
    Vec3f color = {1, 1, 1};  ///< linear RGB at distance 1, before the fall-off with the square of it
    double radius = 10;       ///< world units, above 0
    bool castsShadow = true;
};

struct CascadeViews {
    int count = 0;
    std::array<RenderView, kMaxCascades> views;
};

/// The cascades' views. Each holds the sphere around its slice of the camera's view, moved in whole texels,
/// so that turning or moving the camera makes no shadow's edge swim. `toSun`: any length above 0.
/// `resolution`: texels along a side, at least 16.
CascadeViews fitCascades(const CameraView& camera, Vec3f toSun, const CascadeSettings& settings,
                         std::uint32_t resolution);

/// The six views from a point light, +X -X +Y -Y +Z -Z, each a little over a right angle wide so that
/// filtering has a texel beyond the edge. Positions are relative to `origin`.
std::array<RenderView, kCubeFaces> pointLightFaces(const PointLight& light, WorldPosition origin,
                                                   std::uint32_t resolution);

}  // namespace karst::render
