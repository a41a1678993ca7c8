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

std::vector<std::uint32_t> meetingOneByOne(const CollisionSurface& surface, const LocalBox& box) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t t = 0; t < surface.triangles().size(); ++t) {
        const auto meets = [&](float Vec3f::*axis) {
            float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
            for (const std::uint16_t v : surface.triangles()[t].vertices) {
                least = std::min(least, surface.vertices()[v].*axis);
                most = std::max(most, surface.vertices()[v].*axis);
            }
            return least <= box.max.*axis && most >= box.min.*axis;
        };
        if (meets(&Vec3f::x) && meets(&Vec3f::y) && meets(&Vec3f::z)) out.push_back(t);
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
            const std::vector<std::uint32_t> expected = meetingOneByOne(*surface, box);
            std::vector<std::uint32_t> got;
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

TEST(CollisionSurface, V24_AnyNumberOfTrianglesInAnyOrderAnswersAsEachAlone) {
    Random random(8);
    // Among them more than fit in groups of two, and some that are flat or lie in one point.
    for (const std::size_t count : {1u, 2u, 3u, 17u, 1001u, 140001u}) {
        CollisionSurface::Data data;
        Vec3f at{16, 16, 16};
        const float depth = count == 17 ? 0.0f : 1.0f;
        for (std::size_t i = 0; i < std::min<std::size_t>(count + 2, 60000); ++i) {
            const auto step = [&](float from) {
                return std::clamp(from + static_cast<float>(random.range(-2, 2)), -0.5f, 32.5f);
            };
            at = {step(at.x), 16 + depth * (step(at.y) - 16), step(at.z)};
            data.vertices.push_back(at);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t first = i % (data.vertices.size() - 2);
            const auto vertex = [&](std::size_t k) {
                return static_cast<std::uint16_t>(first + (random.chance(0.05) ? 0 : k));
            };
            data.triangles.push_back({{vertex(0), vertex(1), vertex(2)}, 0});
        }
        const CollisionSurface surface(std::move(data));
        for (int i = 0; i < 12; ++i) {
            const auto coordinate = [&] { return random.range(-3, 35); };
            const float size = static_cast<float>(i == 0 ? kInf : random.range(0, 3));
            const Vec3f middle =
                i % 2 == 0 ? surface.vertices()[0] : toFloat(Vec3d{coordinate(), 16, coordinate()});
            const LocalBox box{{middle.x - size, middle.y - size, middle.z - size},
                               {middle.x + size, middle.y + size, middle.z + size}};
            std::vector<std::uint32_t> got;
            surface.trianglesInBox(box, [&](std::uint32_t t) { got.push_back(t); });
            ASSERT_EQ(got, meetingOneByOne(surface, box));

            const Vec3d origin{coordinate(), coordinate(), coordinate()};
            const Vec3d direction = Vec3d{coordinate(), 16, coordinate()} - origin;
            const double expected = plainRay(surface, origin, direction);
            CollisionSurface::Hit hit, again;
            const bool met = surface.castRay(origin, direction, kInf, hit);
            ASSERT_EQ(met, expected < kInf);
            ASSERT_EQ(surface.castRay(CollisionRay(direction), origin, kInf, again), met);
            if (!met) continue;
            EXPECT_NEAR(hit.t, expected, 1e-6 * std::max(1.0, expected));
            EXPECT_EQ(again.triangle, hit.triangle);
        }
    }
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
