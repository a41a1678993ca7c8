#pragma once

#include <karst/base/bounds.h>
#include <karst/render/scene_settings.h>

namespace karst::viewer {

/// The sun of an hour of a day, 0 .. 24, in mid latitudes: up at 6 in the east, highest at 12 in the south.
struct DayTime {
    double hour = 15;
    float exposure = 1;
};

/// Materials by the ground's own heights, haze and surface noise by its size, light by the time of day.
/// `originY` is the world height of what is drawn as y = 0. The camera is left to the caller.
render::SceneSettings sceneLook(const Bounds& ground, double spacing, const DayTime& day, double originY);

}  // namespace karst::viewer
