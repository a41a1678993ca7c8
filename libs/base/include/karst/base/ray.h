#pragma once

#include <karst/base/math.h>

namespace karst {

/// Points origin + t * direction, t >= 0. The direction need not be of length 1: t counts its lengths.
struct Ray {
    Vec3d origin;
    Vec3d direction;

    Vec3d at(double t) const { return origin + direction * t; }
};

}  // namespace karst
