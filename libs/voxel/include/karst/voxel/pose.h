#pragma once

#include <karst/base/math.h>
#include <karst/base/result.h>

namespace karst::voxel {

/// A rotation as the world directions of a shape's own x, y and z axis: three directions of length 1 at right
/// angles, right-handed, to within 1e-6.
struct Rotation {
    Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

    /// Counter-clockwise seen from the tip of `axis`. Fails where a number is not finite or the axis has no
    /// length. (Sines and cosines differ in the last bit between machines: where results must be the same to
    /// the bit everywhere, share the axes.)
    static Result<Rotation> aboutAxis(Vec3d axis, double radians);
    /// From a quaternion of any length but 0.
    static Result<Rotation> fromQuaternion(double x, double y, double z, double w);

    bool operator==(const Rotation&) const = default;
};

/// Where a shape stands: its middle, in world units, and how it is turned.
struct Pose {
    WorldPosition center;
    Rotation rotation{};
};

}  // namespace karst::voxel
