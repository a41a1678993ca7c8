#pragma once

#include <karst/base/frustum.h>
#include <karst/base/math.h>
#include <karst/base/result.h>

namespace karst {

/// A perspective camera in the world. Right-handed, looks along `forward`; depth is reversed (1 at the near
/// plane, 0 at infinity), clip space is Vulkan's (y down, z in 0..1).
struct CameraView {
    WorldPosition position;
    Vec3d forward{0, 0, -1};   ///< length 1
    Vec3d up{0, 1, 0};         ///< length 1, at right angles to forward
    double verticalFov = 1.0;  ///< radians, in (0, pi)
    double aspect = 1.0;       ///< width / height, > 0
    double nearPlane = 0.1;    ///< world units, > 0

    /// Looks from `eye` to `target`; `up` is brought to a right angle. Fails where the two points coincide or
    /// a number is not finite; straight up or down picks north (-Z) as up.
    static Result<CameraView> lookAt(WorldPosition eye, WorldPosition target, double verticalFov,
                                     double aspect, double nearPlane);

    Vec3d right() const { return cross(forward, up); }

    /// From positions relative to `origin` (subtract in f64, then round to f32) to clip space.
    Mat4f viewProjection(WorldPosition origin) const;

    /// The five planes of the view (no far plane), in world space.
    Frustum frustum() const;
};

}  // namespace karst
