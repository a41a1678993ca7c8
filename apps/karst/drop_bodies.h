#pragma once

#include <common/mesh_picture.h>

#include <functional>
#include <span>

#include "drop_ground.h"

namespace karst::tool {

struct BodyLight {
    float sun = 1, sky = 1;
};

/// Puts bodies among the opaque triangles of a picture: striped balls, and boxes with faces of two shades, in
/// colours that the ground does not have. `light`: what reaches a place with this normal.
void insertBodies(app::PictureMesh& mesh, std::span<const DroppedBody> bodies,
                  const std::function<BodyLight(WorldPosition, Vec3f)>& light);

}  // namespace karst::tool
