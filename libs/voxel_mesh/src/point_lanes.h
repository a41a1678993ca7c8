#pragma once

// Points of a surface, four at a time. Every operation is an IEEE one in a fixed order, so that any processor
// gives the same bits.

#include <karst/base/math.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_mesh {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

/// x, y, z and a lane that is not looked at.
struct alignas(16) PaddedPoint {
    std::array<float, 4> xyz{};
    Float4 load() const {
        Float4 lanes;
        std::memcpy(&lanes, xyz.data(), sizeof(lanes));
        return lanes;
    }
    void store(Float4 lanes) { std::memcpy(xyz.data(), &lanes, sizeof(lanes)); }
};

inline void pad(std::span<const Vec3f> points, std::vector<PaddedPoint>& out) {
    out.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        out[i].xyz = {points[i].x, points[i].y, points[i].z, 0};
}

struct PointLanes {
    Float4 x, y, z;

    static PointLanes of(Float4 a, Float4 b, Float4 c, Float4 d) {
        const Float4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                     cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const Float4 abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                     cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        return {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                __builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5)};
    }
    std::array<Float4, 4> points() const {
        const Float4 xyLow = __builtin_shufflevector(x, y, 0, 4, 1, 5),
                     xyHigh = __builtin_shufflevector(x, y, 2, 6, 3, 7);
        const Float4 zLow = __builtin_shufflevector(z, z, 0, 0, 1, 1),
                     zHigh = __builtin_shufflevector(z, z, 2, 2, 3, 3);
        return {__builtin_shufflevector(xyLow, zLow, 0, 1, 4, 5),
                __builtin_shufflevector(xyLow, zLow, 2, 3, 6, 7),
                __builtin_shufflevector(xyHigh, zHigh, 0, 1, 4, 5),
                __builtin_shufflevector(xyHigh, zHigh, 2, 3, 6, 7)};
    }
};

inline PointLanes operator-(const PointLanes& a, const PointLanes& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Float4 dot(const PointLanes& a, const PointLanes& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline PointLanes cross(const PointLanes& a, const PointLanes& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Float4 squareRoots(Float4 f) {
#if defined(__SSE2__)
    return (Float4)_mm_sqrt_ps((__m128)f);
#else
    for (int k = 0; k < 4; ++k)
        f[k] = std::sqrt(f[k]);
    return f;
#endif
}

/// At length 1; what has none stays as it is.
inline PointLanes normalized(const PointLanes& n) {
    const Float4 square = dot(n, n), one = {1, 1, 1, 1};
    const Int4 any = square > 0;
    const Float4 safe = (Float4)(((Int4)square & any) | ((Int4)one & ~any));
    const Float4 scale = 1.0f / squareRoots(safe);
    return {n.x * scale, n.y * scale, n.z * scale};
}

}  // namespace karst::voxel_mesh
