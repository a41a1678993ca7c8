#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace karst {

// Plain structs; X is east, Y is up, Z is south; right-handed. Lengths are in world units (metres by habit).

struct Vec2f {
    float x = 0, y = 0;
    bool operator==(const Vec2f&) const = default;
};

struct Vec3f {
    float x = 0, y = 0, z = 0;
    bool operator==(const Vec3f&) const = default;
};

struct Vec3d {
    double x = 0, y = 0, z = 0;
    bool operator==(const Vec3d&) const = default;
};

/// A place in the world: f64, so that a millimetre stays a millimetre far from the origin.
using WorldPosition = Vec3d;

inline Vec3f operator+(Vec3f a, Vec3f b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3f operator-(Vec3f a, Vec3f b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3f operator*(Vec3f a, float s) {
    return {a.x * s, a.y * s, a.z * s};
}
inline float dot(Vec3f a, Vec3f b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3f cross(Vec3f a, Vec3f b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec3f a) {
    return std::sqrt(dot(a, a));
}
inline Vec3f normalized(Vec3f a) {
    return a * (1.0f / length(a));
}

inline Vec3d operator+(Vec3d a, Vec3d b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3d operator-(Vec3d a, Vec3d b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3d operator*(Vec3d a, double s) {
    return {a.x * s, a.y * s, a.z * s};
}
inline double dot(Vec3d a, Vec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3d cross(Vec3d a, Vec3d b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Vec3d a) {
    return std::sqrt(dot(a, a));
}
inline Vec3d normalized(Vec3d a) {
    return a * (1.0 / length(a));
}

inline bool isFinite(Vec3d a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
inline Vec3f toFloat(Vec3d a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}
inline Vec3d toDouble(Vec3f a) {
    return {a.x, a.y, a.z};
}

/// Column-major: element(row, column) = m[column * 4 + row], as Vulkan and GLSL keep it. Vectors are columns.
struct Mat4f {
    float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

    float at(int row, int column) const { return m[column * 4 + row]; }
    float& at(int row, int column) { return m[column * 4 + row]; }
    bool operator==(const Mat4f&) const = default;
};

inline Mat4f operator*(const Mat4f& a, const Mat4f& b) {
    Mat4f out;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            float sum = 0;
            for (int k = 0; k < 4; ++k)
                sum += a.at(row, k) * b.at(k, column);
            out.at(row, column) = sum;
        }
    }
    return out;
}

/// The bits of one trivially copyable type read as another of the same size.
template <class To, class From>
inline To bitCast(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

}  // namespace karst
