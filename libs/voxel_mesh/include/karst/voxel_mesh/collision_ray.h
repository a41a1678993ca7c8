#pragma once

#include <karst/base/math.h>

#include <array>
#include <cstddef>

namespace karst::voxel_mesh {

/// The direction of a ray and what is made of it once, for casts at the surfaces of many chunks.
struct CollisionRay {
    /// Of any length; a direction that is 0 meets nothing.
    explicit CollisionRay(Vec3d direction);

    std::array<double, 3> direction, inverse;  ///< 1 / direction; 0 where that is 0
    double fastest;                            ///< the largest component, without its sign
    /// In cells along the fastest axis, held to finite numbers.
    std::array<float, 3> cellInverse;
    /// The frame of the triangle test: the ray is turned into the third axis by a shear.
    std::size_t axisX, axisY, axisZ;
    double shearX, shearY, scale;
};

}  // namespace karst::voxel_mesh
