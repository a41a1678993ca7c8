#pragma once

#include <cmath>

namespace karst::heightfield {

// The one surface of a heightfield (spec row N4): the square between four neighbouring samples is two flat
// triangles, split along the diagonal from the corner one sample along +Z to the corner one sample along +X.
//
//      h00 --- h10     -> +X        "lower" triangle: h00, h10, h01, where fx + fz <= 1
//       |    /  |      |            "upper" triangle: h11, h01, h10, where fx + fz >= 1
//       |  /    |      v
//      h01 --- h11     +Z
//
// heightAt, the ray cast, the mesh and the colliders all go through these functions or draw exactly these
// triangles.

/// True for the triangle at h00.
template <class T>
constexpr bool isLowerTriangle(T fx, T fz) {
    return fx + fz <= T(1);
}

/// Height at (fx, fz), both in 0..1.
template <class T>
constexpr T cellHeight(T h00, T h10, T h01, T h11, T fx, T fz) {
    return isLowerTriangle(fx, fz) ? h00 + fx * (h10 - h00) + fz * (h01 - h00)
                                   : h11 + (T(1) - fx) * (h01 - h11) + (T(1) - fz) * (h10 - h11);
}

/// Rise per cell along X and Z.
template <class T>
struct CellGradient {
    T x, z;
};

/// The flat triangle's gradient: what a ray hit's normal comes from.
template <class T>
constexpr CellGradient<T> triangleGradient(T h00, T h10, T h01, T h11, bool lower) {
    return lower ? CellGradient<T>{h10 - h00, h01 - h00} : CellGradient<T>{h11 - h01, h11 - h10};
}

/// The gradient blended across the four samples: what a drawn vertex's normal comes from (row N7).
template <class T>
constexpr CellGradient<T> blendedGradient(T h00, T h10, T h01, T h11, T fx, T fz) {
    return {(h10 - h00) + fz * ((h11 - h01) - (h10 - h00)), (h01 - h00) + fx * ((h11 - h10) - (h01 - h00))};
}

}  // namespace karst::heightfield
