#pragma once

#include <karst/base/camera_view.h>

#include "input.h"

namespace karst::viewer {

/// Where one looks from, as angles: yaw clockwise from north (-Z), pitch above the horizon, radians.
struct CameraPose {
    WorldPosition position;
    double yaw = 0, pitch = 0;

    Vec3d forward() const;
    /// Level, to the right of where it looks.
    Vec3d right() const;
    CameraView view(double verticalFov, double aspect, double nearPlane) const;
    /// The direction through a pixel of a picture; length 1.
    Vec3d rayThrough(Vec2f pixel, double width, double height, double verticalFov) const;

    static CameraPose lookAt(WorldPosition eye, WorldPosition target);
};

/// Turns and flies the camera.
class CameraController {
  public:
    CameraPose pose;
    double speed = 100;  ///< world units a second

    /// Turns with the mouse.
    void look(const Input& input);
    /// Moves with the keys for `seconds`, in the direction it looks; the wheel may set the
    /// speed.
    void fly(const Input& input, double seconds, bool wheelSetsSpeed);
    /// Where the keys want to go over level ground; length 0 .. 1.
    Vec3d walkWish(const Input& input) const;
};

}  // namespace karst::viewer
