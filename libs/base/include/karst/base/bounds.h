#pragma once

#include <karst/base/math.h>

#include <algorithm>

namespace karst {

/// An axis-aligned box in world units, closed. Default-constructed it is empty.
struct Bounds {
    Vec3d min{1, 1, 1};
    Vec3d max{-1, -1, -1};

    bool empty() const { return !(min.x <= max.x && min.y <= max.y && min.z <= max.z); }
    Vec3d center() const { return (min + max) * 0.5; }
    Vec3d size() const { return max - min; }
    bool contains(Vec3d p) const {
        return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z && p.z <= max.z;
    }
    /// Share at least one point; false where one is empty.
    bool overlaps(const Bounds& o) const {
        return !empty() && !o.empty() && min.x <= o.max.x && max.x >= o.min.x && min.y <= o.max.y &&
               max.y >= o.min.y && min.z <= o.max.z && max.z >= o.min.z;
    }
    bool operator==(const Bounds&) const = default;
};

inline Bounds unite(const Bounds& a, const Bounds& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {{std::min(a.min.x, b.min.x), std::min(a.min.y, b.min.y), std::min(a.min.z, b.min.z)},
            {std::max(a.max.x, b.max.x), std::max(a.max.y, b.max.y), std::max(a.max.z, b.max.z)}};
}

/// Distance from a point to the nearest point of a box that is not empty; 0 inside.
inline double distance(const Bounds& box, Vec3d p) {
    const Vec3d d{std::max({box.min.x - p.x, 0.0, p.x - box.max.x}),
                  std::max({box.min.y - p.y, 0.0, p.y - box.max.y}),
                  std::max({box.min.z - p.z, 0.0, p.z - box.max.z})};
    return length(d);
}

}  // namespace karst
