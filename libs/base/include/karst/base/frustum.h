#pragma once

#include <karst/base/bounds.h>
#include <karst/base/math.h>

#include <array>

namespace karst {

/// dot(normal, p) + offset >= 0 on the inner side.
struct Plane {
    Vec3d normal;
    double offset = 0;

    double distance(Vec3d p) const { return dot(normal, p) + offset; }
};

/// Up to six half-spaces; a reverse-Z view with its far plane at infinity has five that bind.
struct Frustum {
    std::array<Plane, 6> planes{};
    int count = 0;

    /// False only where the box is wholly outside one plane (conservative: may keep a box near a corner).
    bool mayTouch(const Bounds& box) const;
    bool contains(Vec3d point) const;
};

}  // namespace karst
