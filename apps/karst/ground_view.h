#pragma once

#include <karst/base/bounds.h>

namespace karst::tool {

struct GroundView {
    int width = 1280, height = 720;
    Vec3d eye, target;
    double verticalFov = 0.8;  ///< radians
};

/// From the south-east and above, so that most of the ground is in the picture and its relief shows.
void defaultView(const Bounds& ground, GroundView& view);

}  // namespace karst::tool
