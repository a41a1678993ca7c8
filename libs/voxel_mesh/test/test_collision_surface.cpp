#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "collision_checks.h"

namespace karst::voxel_mesh {
namespace {

using test::Random;
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<CollisionSurfacePtr> surfacesOf(const voxel::GridSnapshot& grid) {
    std::vector<CollisionSurfacePtr> out;
    CollisionBuilder builder;
    for (const voxel::ChunkCoord chunk : meshCandidates(grid)) {
        if (CollisionSurfacePtr surface = builder.build(grid, chunk)) out.push_back(std::move(surface));
    }
    return out;
}

TEST(CollisionSurface, V24_BoxesGiveExactlyTheTrianglesWhoseBoundsTheyMeet) {
    Random random(5);
    std::size_t found = 0;
    for (const CollisionSurfacePtr& surface : surfacesOf(collisionWorld(random).snapshot())) {
        for (int i = 0; i < 60; ++i) {
            const Vec3f at = surface->vertices()[static_cast<std::size_t>(
                random.integer(0, static_cast<int>(surface->vertices().size()) - 1))];
            const auto size = [&] {
                return static_cast<float>(random.chance(0.3) ? 0.0
                                                             : random.range(0, random.chance(0.2) ? 30 : 2));
            };
            const LocalBox box{{at.x - size(), at.y - size(), at.z - size()},
                               {at.x + size(), at.y + size(), at.z + size()}};
            std::vector<std::uint32_t> expected, got;
            for (std::uint32_t t = 0; t < surface->triangles().size(); ++t) {
                const auto meets = [&](float Vec3f::*axis) {
                    float least = std::numeric_limits<float>::max(),
                          most = std::numeric_limits<float>::lowest();
                    for (const std::uint16_t v : surface->triangles()[t].vertices) {
                        least = std::min(least, surface->vertices()[v].*axis);
                        most = std::max(most, surface->vertices()[v].*axis);
                    }
                    return least <= box.max.*axis && most >= box.min.*axis;
                };
                if (meets(&Vec3f::x) && meets(&Vec3f::y) && meets(&Vec3f::z)) expected.push_back(t);
            }
            surface->trianglesInBox(box, [&](std::uint32_t t) { got.push_back(t); });
            ASSERT_EQ(got, expected);
            found += got.size();
        }
    }
    EXPECT_GT(found, 3000u);
}

/// By each triangle apart, in exact-enough doubles (Moeller, Trumbore 1997).
double plainRay(const CollisionSurface& surface, Vec3d origin, Vec3d direction) {
    double best = kInf;
    for (const CollisionTriangle& triangle : surface.triangles()) {
        const Vec3d a = toDouble(surface.vertices()[triangle.vertices[0]]);
        const Vec3d ab = toDouble(surface.vertices()[triangle.vertices[1]]) - a,
                    ac = toDouble(surface.vertices()[triangle.vertices[2]]) - a;
        const Vec3d p = cross(direction, ac);
        const double det = dot(ab, p);
        if (std::abs(det) < 1e-12) continue;
        const Vec3d s = origin - a, q = cross(s, ab);
        const double u = dot(s, p) / det, v = dot(direction, q) / det, t = dot(ac, q) / det;
        if (u >= -1e-12 && v >= -1e-12 && u + v <= 1 + 1e-12 && t >= 0) best = std::min(best, t);
    }
    return best;
}

TEST(CollisionSurface, V24_RaysMeetTheNearestTriangle) {
    Random random(6);
    int hits = 0, misses = 0;
    for (const CollisionSurfacePtr& surface : surfacesOf(collisionWorld(random).snapshot())) {
        for (int i = 0; i < 60; ++i) {
            const auto point = [&] {
                return Vec3d{random.range(-10, 42), random.range(-10, 42), random.range(-10, 42)};
            };
            const Vec3d origin = point();
            Vec3d direction = point() - origin;
            if (random.chance(0.2)) direction.x = 0;
            if (random.chance(0.2)) direction.z = 0;
            if (random.chance(0.1)) direction = {0, -1, 0};
            if (direction == Vec3d{}) continue;
            const double expected = plainRay(*surface, origin, direction);
            CollisionSurface::Hit hit;
            const bool met = surface->castRay(origin, direction, kInf, hit);
            ASSERT_EQ(met, expected < kInf);
            ++(met ? hits : misses);
            if (!met) continue;
            EXPECT_NEAR(hit.t, expected, 1e-9 * std::max(1.0, expected));
            EXPECT_FALSE(surface->castRay(origin, direction, expected * 0.999, hit) &&
                         hit.t > expected * 0.999);
        }
    }
    EXPECT_GT(hits, 100);
    EXPECT_GT(misses, 100);
}

TEST(CollisionSurface, V24_NoRaySlipsThroughAnEdgeOrAVertex) {
    Random random(7);
    int aimed = 0;
    for (const CollisionSurfacePtr& surface : surfacesOf(collisionWorld(random).snapshot())) {
        for (int i = 0; i < 200; ++i) {
            const auto t = static_cast<std::size_t>(
                random.integer(0, static_cast<int>(surface->triangles().size()) - 1));
            const CollisionTriangle& triangle = surface->triangles()[t];
            const Vec3d a = toDouble(surface->vertices()[triangle.vertices[0]]),
                        b = toDouble(surface->vertices()[triangle.vertices[1]]);
            const Vec3d c = toDouble(surface->vertices()[triangle.vertices[2]]);
            const Vec3d target = random.chance(0.4) ? a : a + (b - a) * random.unit();
            // Inside the chunk's own part, so that all triangles at the target are this surface's.
            const auto inside = [](double x) { return x > 1 && x < 31; };
            if (!inside(target.x) || !inside(target.y) || !inside(target.z)) continue;
            const Vec3d from =
                target + normalized(cross(b - a, c - a)) * random.range(0.5, 20) +
                Vec3d{random.range(-0.3, 0.3), random.range(-0.3, 0.3), random.range(-0.3, 0.3)};
            CollisionSurface::Hit hit;
            EXPECT_TRUE(surface->castRay(from, target - from, 1.0 + 1e-4, hit))
                << target.x << " " << target.y << " " << target.z;
            ++aimed;
        }
    }
    EXPECT_GT(aimed, 300);
}

TEST(CollisionSurface, AnEmptyOneAnswersNothing) {
    const CollisionSurface surface({});
    CollisionSurface::Hit hit;
    EXPECT_FALSE(surface.castRay({0, 10, 0}, {0, -1, 0}, kInf, hit));
    surface.trianglesInBox({{-1, -1, -1}, {1, 1, 1}}, [](std::uint32_t) { ADD_FAILURE(); });
    EXPECT_GT(surface.memoryBytes(), 0u);
}

}  // namespace
}  // namespace karst::voxel_mesh
