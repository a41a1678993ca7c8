#pragma once

// Short rays through Bullet and through Karst, which must meet the same ground.

#include <set>
#include <tuple>

#include "terrain_worlds.h"

namespace karst::physics_bullet {

inline constexpr double kRayMargin = 0.01;

/// Triangles of a world by how a ray is to be aimed at them.
struct Targets {
    std::vector<physics::TerrainTriangle> all, border;  ///< border: with a vertex that two slots have
};

inline Targets targetsOf(const physics::TerrainShape& shape) {
    Targets out;
    shape.trianglesInBox({-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f},
                         [&](const physics::TerrainTriangle& t) { out.all.push_back(t); });
    std::map<std::tuple<float, float, float>, std::set<std::uint64_t>> slots;
    for (const physics::TerrainTriangle& t : out.all) {
        for (const Vec3f& v : t.vertices)
            slots[{v.x, v.y, v.z}].insert(t.id.value >> 32);
    }
    for (const physics::TerrainTriangle& t : out.all) {
        for (const Vec3f& v : t.vertices) {
            if (slots[{v.x, v.y, v.z}].size() > 1) {
                out.border.push_back(t);
                break;
            }
        }
    }
    return out;
}

/// Bullet's closest hit, and the triangle that it names.
struct BulletRay : btCollisionWorld::ClosestRayResultCallback {
    using ClosestRayResultCallback::ClosestRayResultCallback;
    btScalar addSingleResult(btCollisionWorld::LocalRayResult& result, bool inWorldSpace) override {
        triangle = triangleId(result.m_localShapeInfo->m_shapePart, result.m_localShapeInfo->m_triangleIndex);
        return ClosestRayResultCallback::addSingleResult(result, inWorldSpace);
    }
    physics::TriangleId triangle;
};

/// Does the line miss the triangle? Bullet lets its hits reach a ten-thousandth past the edges.
inline bool passesBy(const physics::TerrainTriangle& triangle, Vec3d from, Vec3d to) {
    const Vec3d way = to - from;
    int left = 0, right = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d p = toDouble(triangle.vertices[i]) - from,
                    q = toDouble(triangle.vertices[(i + 1) % 3]) - from;
        const double side = dot(way, cross(p, q));
        left += side > 0 ? 1 : 0;
        right += side < 0 ? 1 : 0;
    }
    return left > 0 && right > 0;
}

struct RayCounts {
    int both = 0, onlyKarst = 0, onlyBullet = 0, neither = 0;
    int aimed = 0, aimedMissedByBullet = 0;
};

/// Short segments: about half of them anywhere near the ground, the others right at a vertex, an edge or
/// inside of a triangle, half of these at borders of chunks or tiles.
inline RayCounts castMany(TerrainWorld& world, int count, std::uint64_t seed) {
    test::Random random(seed);
    const Targets targets = targetsOf(*world.shape);
    EXPECT_GT(targets.border.size(), 500u);
    RayCounts counts;
    for (int i = 0; i < count; ++i) {
        const auto& from = random.chance(0.5) ? targets.border : targets.all;
        const auto& triangle =
            from[static_cast<std::size_t>(random.integer(0, static_cast<int>(from.size()) - 1))];
        const Vec3d v[3] = {toDouble(triangle.vertices[0]), toDouble(triangle.vertices[1]),
                            toDouble(triangle.vertices[2])};
        const Vec3d area = cross(v[1] - v[0], v[2] - v[0]);
        const Vec3d normal = area * (1 / std::max(length(area), 1e-30));
        const auto offset = [&](double size) {
            return Vec3d{random.range(-size, size), random.range(-size, size), random.range(-size, size)};
        };
        Vec3d start, end;
        const bool isAimed = random.chance(0.5);
        if (isAimed) {
            Vec3d at = v[0];
            const int kind = random.integer(0, 2);
            if (kind == 1) at = v[0] + (v[1] - v[0]) * random.unit();
            if (kind == 2) at = (v[0] + v[1] + v[2]) * (1.0 / 3);
            const Vec3d way = normal + offset(random.chance(0.5) ? 0 : 0.15);
            start = at + way * random.range(0.2, 3);
            end = at - way * 0.2;
        } else {
            start = v[0] + offset(3);
            end = start + offset(4);
        }
        const btVector3 a = toBullet(toFloat(start)), b = toBullet(toFloat(end));
        BulletRay bullet(a, b);
        world.bullet.world.rayTest(a, b, bullet);
        const auto karst = world.terrain->castRay(a, b);
        const double size = double((b - a).length());
        const double apart =
            karst && bullet.hasHit() ? double(karst->fraction - bullet.m_closestHitFraction) * size : 0;
        if (bullet.hasHit() && (!karst || apart > kRayMargin)) {
            const auto met = world.shape->triangle(bullet.triangle);
            EXPECT_TRUE(met && passesBy(*met, toDouble(a), toDouble(b))) << "ray " << i;
            ++counts.onlyBullet;
        } else if (karst && (!bullet.hasHit() || apart < -kRayMargin)) {
            ++counts.onlyKarst;
        } else {
            ++(karst ? counts.both : counts.neither);
        }
        // A line that only grazes a pointed vertex may miss it; one from the air over the ground into the
        // ground never.
        const bool isOver = isAimed && !world.isInside(a) && world.shape->castRay({toDouble(a), {0, -1, 0}});
        if (isOver && world.isInside(b)) {
            ++counts.aimed;
            EXPECT_TRUE(karst.has_value()) << "ray " << i << " into the ground";
            counts.aimedMissedByBullet += bullet.hasHit() ? 0 : 1;
        }
        if (testing::Test::HasFailure()) return counts;
    }
    return counts;
}

inline void expectSame(const RayCounts& counts, int count) {
    EXPECT_GT(counts.both, count / 2);
    EXPECT_GT(counts.neither, count / 20);
    EXPECT_GT(counts.aimed, count / 3);
    EXPECT_LE(counts.onlyBullet, count / 500);
    EXPECT_LE(counts.onlyKarst, count / 1000) << counts.aimedMissedByBullet << " of them aimed";
}

}  // namespace karst::physics_bullet
