#pragma once

#include <karst/base/bounds.h>
#include <karst/render/scene_settings.h>

namespace karst::viewer {

/// The sun of an hour of a day, 0 .. 24, in mid latitudes: up at 6 in the east, highest at 12 in the south.
struct DayTime {
    double hour = 15;
    float exposure = 1;
};

inline constexpr int kCascades = 3;

/// Materials by the ground's own heights, haze and surface noise by its size, light by the time of day. The
/// camera is left to the caller.
render::SceneSettings sceneLook(const Bounds& ground, double spacing, const DayTime& day);
/// Has the sun cast shadows as far as the camera sees things sharply.
void addShadows(const Bounds& ground, double spacing, render::SceneSettings& scene);

}  // namespace karst::viewer
