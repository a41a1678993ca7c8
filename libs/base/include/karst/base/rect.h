#pragma once

#include <algorithm>

namespace karst {

/// A rectangle on the ground, in world units, closed on all sides. Empty where max < min on an axis.
struct Rect {
    double minX = 0, minZ = 0, maxX = 0, maxZ = 0;

    double width() const { return maxX - minX; }
    double depth() const { return maxZ - minZ; }
    bool empty() const { return !(minX <= maxX && minZ <= maxZ); }
    bool contains(double x, double z) const { return x >= minX && x <= maxX && z >= minZ && z <= maxZ; }

    /// Share at least one point; false where one is empty.
    bool overlaps(const Rect& other) const {
        return !empty() && !other.empty() && minX <= other.maxX && maxX >= other.minX && minZ <= other.maxZ &&
               maxZ >= other.minZ;
    }
    bool operator==(const Rect&) const = default;
};

inline Rect intersect(const Rect& a, const Rect& b) {
    return {std::max(a.minX, b.minX), std::max(a.minZ, b.minZ), std::min(a.maxX, b.maxX),
            std::min(a.maxZ, b.maxZ)};
}

/// The least rect around both; an empty one adds nothing.
inline Rect unite(const Rect& a, const Rect& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.minX, b.minX), std::min(a.minZ, b.minZ), std::max(a.maxX, b.maxX),
            std::max(a.maxZ, b.maxZ)};
}

/// A rectangle of whole cells or texels, half open: x in [minX, maxX), z in [minZ, maxZ).
struct GridRect {
    int minX = 0, minZ = 0, maxX = 0, maxZ = 0;

    int width() const { return maxX - minX; }
    int depth() const { return maxZ - minZ; }
    bool empty() const { return minX >= maxX || minZ >= maxZ; }
    bool operator==(const GridRect&) const = default;
};

inline GridRect intersect(const GridRect& a, const GridRect& b) {
    return {std::max(a.minX, b.minX), std::max(a.minZ, b.minZ), std::min(a.maxX, b.maxX),
            std::min(a.maxZ, b.maxZ)};
}

inline GridRect unite(const GridRect& a, const GridRect& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.minX, b.minX), std::min(a.minZ, b.minZ), std::max(a.maxX, b.maxX),
            std::max(a.maxZ, b.maxZ)};
}

}  // namespace karst
