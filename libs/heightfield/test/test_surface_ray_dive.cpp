#include <gtest/gtest.h>
#include <karst/heightfield/surface_query.h>

#include <bit>
#include <cmath>
#include <limits>

#include "surface_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;
using test::ResidentWorld;

std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

/// Bit for bit.
void expectSame(const SurfaceHit& a, const SurfaceHit& b) {
    ASSERT_EQ(a.status, b.status);
    ASSERT_EQ(a.lowerTriangle, b.lowerTriangle);
    ASSERT_EQ(a.fromBelow, b.fromBelow);
    ASSERT_EQ(a.atBorder, b.atBorder);
    ASSERT_EQ(a.cellX, b.cellX);
    ASSERT_EQ(a.cellZ, b.cellZ);
    ASSERT_EQ(a.tile, b.tile);
    ASSERT_EQ(bits(a.t), bits(b.t));
    for (const auto axis : {&Vec3d::x, &Vec3d::y, &Vec3d::z})
        ASSERT_EQ(bits(a.position.*axis), bits(b.position.*axis));
    ASSERT_EQ(a.normal, b.normal);
}

TEST(SurfaceRayDive, H27_ManyRaysAtOnceAreThoseOneByOne) {
    test::Random random(21);
    int hits = 0, misses = 0, borders = 0, invalid = 0;
    for (int n = 0; n < 80; ++n) {
        const bool wide = n % 2 == 0;
        const ResidentWorld world = wide ? ResidentWorld::makeWide(random) : ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        std::vector<Ray> rays(static_cast<std::size_t>(random.integer(0, 200)));
        for (Ray& ray : rays) {
            ray = wide ? world.randomRayFromAbove(random) : world.randomRay(random);
            const int kind = random.integer(0, 30);
            if (kind == 0) ray.direction = {};
            if (kind == 1) ray.origin.x = std::numeric_limits<double>::quiet_NaN();
            if (kind == 2) ray.direction.y = std::numeric_limits<double>::infinity();
            if (kind == 3) ray.direction = ray.direction * 1e200;
            if (kind == 4) ray.direction = ray.direction * 1e-200;
            if (kind == 5) ray.direction = {0, -1, 0};
        }
        const double maxT = random.chance(0.3) ? random.range(0, 40) : 1e9;
        std::vector<SurfaceHit> many(rays.size());
        for (SurfaceHit& hit : many)
            hit.t = 77;  // of no answer
        index.castRays(rays, many, maxT);
        for (std::size_t i = 0; i < rays.size(); ++i) {
            const SurfaceHit one = index.castRay(rays[i], maxT);
            ASSERT_NO_FATAL_FAILURE(expectSame(many[i], one)) << "world " << n << " ray " << i;
            ++(one.hit() ? hits : one.status == RayStatus::Miss ? misses : invalid);
            borders += one.atBorder ? 1 : 0;
        }
    }
    EXPECT_GT(hits, 2000);
    EXPECT_GT(misses, 1000);
    EXPECT_GT(borders, 30);
    EXPECT_GT(invalid, 200);
}

TEST(SurfaceRayDive, H27_ManyRaysOverNothingMeetNothing) {
    const std::vector<Ray> rays(20, {{0, 10, 0}, {0, -1, 0}});
    std::vector<SurfaceHit> hits(20);
    for (SurfaceHit& hit : hits)
        hit.status = RayStatus::Hit;
    SurfaceIndex().castRays(rays, hits);
    for (const SurfaceHit& hit : hits)
        EXPECT_EQ(hit.status, RayStatus::Miss);
    SurfaceIndex().castRays(rays, hits, -1);
    for (const SurfaceHit& hit : hits)
        EXPECT_EQ(hit.status, RayStatus::InvalidRay);
}

// Where the answer starts to be sought must not matter: the same ray begun higher up, or with its end nearer,
// meets the same cell.
TEST(SurfaceRayDive, H27_TheCellDoesNotDependOnWhereTheRayBegins) {
    test::Random random(22);
    int same = 0;
    for (int n = 0; n < 40; ++n) {
        const ResidentWorld world = ResidentWorld::makeWide(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 100; ++k) {
            const Ray ray = world.randomRayFromAbove(random);
            const SurfaceHit hit = index.castRay(ray);
            if (!hit.hit() || hit.atBorder || ray.origin.y < 25) continue;
            const double up = random.range(0, 3) / -ray.direction.y;
            const SurfaceHit higher = index.castRay({ray.at(-up), ray.direction});
            const SurfaceHit nearer = index.castRay(ray, hit.t * (1 + 1e-9));
            ASSERT_TRUE(higher.hit());
            ASSERT_TRUE(nearer.hit());
            ASSERT_NEAR(higher.t, hit.t + up, 1e-7 * (1 + hit.t));
            ASSERT_NEAR(nearer.t, hit.t, 1e-12 * hit.t);
            ++same;
        }
    }
    EXPECT_GT(same, 500);
}

}  // namespace
