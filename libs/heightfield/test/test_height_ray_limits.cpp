#include "height_ray_reference.h"

namespace karst::heightfield {
namespace {

using namespace reference;

TEST(HeightRay, RespectsTheGreatestT) {
    Random random(31);
    const HeightRaster raster = makeRaster({65, 65, {0, 0, 65, 65}, 0, 20, false, false, 0.02}, random);
    const HeightPyramid pyramid(raster);
    int hits = 0;
    for (int i = 0; i < 5000; ++i) {
        const Ray ray = makeRay(raster, static_cast<Kind>(i % kKinds), random);
        const RayHit hit = castRay(raster, pyramid, ray);
        if (!hit.hit()) continue;
        ++hits;
        const RayHit again = castRay(raster, pyramid, ray, hit.t);
        ASSERT_TRUE(again.hit());
        EXPECT_EQ(again.t, hit.t);
        if (hit.t > 0) {
            EXPECT_FALSE(castRay(raster, pyramid, ray, std::nextafter(hit.t, 0.0)).hit());
        }
    }
    EXPECT_GT(hits, 2000);
}

TEST(HeightRay, RefusesRaysThatAreNone) {
    const HeightRaster raster = flatRaster(4, 4, 1);
    const HeightPyramid pyramid(raster);
    const auto status = [&](const Ray& ray, double maxT) {
        return castRay(raster, pyramid, ray, maxT).status;
    };
    const Ray good{{1, 5, 1}, {0, -1, 0}};
    EXPECT_EQ(status(good, kInfinity), RayStatus::Hit);
    EXPECT_EQ(status({{1, 5, 1}, {0, 0, 0}}, kInfinity), RayStatus::InvalidRay);
    EXPECT_EQ(status({{1, 5, 1}, {-0.0, 0, -0.0}}, kInfinity), RayStatus::InvalidRay);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
        for (int axis = 0; axis < 3; ++axis) {
            Ray ray = good;
            (axis == 0 ? ray.origin.x : axis == 1 ? ray.origin.y : ray.origin.z) = bad;
            EXPECT_EQ(status(ray, kInfinity), RayStatus::InvalidRay);
            ray = good;
            (axis == 0 ? ray.direction.x : axis == 1 ? ray.direction.y : ray.direction.z) = bad;
            EXPECT_EQ(status(ray, kInfinity), RayStatus::InvalidRay);
        }
    }
    EXPECT_EQ(status(good, -1), RayStatus::InvalidRay);
    EXPECT_EQ(status(good, std::numeric_limits<double>::quiet_NaN()), RayStatus::InvalidRay);
}

TEST(HeightRay, TinyAndHugeDirectionsMeetTheSamePoint) {
    Random random(12);
    const HeightRaster raster = makeRaster({33, 33, {-16, -16, 17, 17}, 0, 20, false, false, 0}, random);
    const HeightPyramid pyramid(raster);
    for (int i = 0; i < 400; ++i) {
        const Ray ray = makeRay(raster, static_cast<Kind>(i % kKinds), random);
        const RayHit plain = castRay(raster, pyramid, ray);
        for (const double scale : {0x1p-1000, 0x1p-600, 0x1p-200, 0x1p200, 0x1p500, 0x1p1000}) {
            const RayHit hit = castRay(raster, pyramid, {ray.origin, ray.direction * scale});
            ASSERT_EQ(hit.hit(), plain.hit()) << scale;
            if (!hit.hit()) continue;
            EXPECT_NEAR(length(hit.position - plain.position), 0, 1e-9);
        }
    }
    // Beyond what a double holds: a miss, never a wrong number.
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    const RayHit slow = castRay(raster, pyramid, {{0, 1000, 0}, {0, -kLeast, 0}});
    EXPECT_TRUE(slow.status == RayStatus::Miss);
    EXPECT_TRUE(castRay(raster, pyramid, {{0, 100, 0}, {kLeast, -1, -kLeast}}).hit());
    EXPECT_TRUE(castRay(raster, pyramid, {{0, 100, 0}, {1e-300, -1e-3, 1e-280}}).hit());
    EXPECT_EQ(castRay(raster, pyramid, {{0, 100, 0}, {1e-300, 0, 0}}).status, RayStatus::Miss);
    castRay(raster, pyramid, {{1e300, 1e300, -1e300}, {-1e300, -1e300, 1e300}});
    castRay(raster, pyramid, {{-1e308, 5, 0}, {1e308, kLeast, 1}});
}

TEST(HeightRay, FarOriginsKeepTheirAim) {
    Random random(13);
    const HeightRaster raster =
        makeRaster({65, 65, {-1e5, 2e5, -1e5 + 65, 2e5 + 65}, 0, 20, false, false, 0}, random);
    const HeightPyramid pyramid(raster);
    Tally tally;
    for (int i = 0; i < 1000; ++i) {
        const Ray near = makeRay(raster, static_cast<Kind>(1 + i % 3), random);
        const Vec3d d = normalized(near.direction);
        ASSERT_NO_FATAL_FAILURE(checkRay(raster, pyramid, {near.origin - d * 1e6, d}, kInfinity, tally));
    }
    EXPECT_GT(tally.hits, 500);
}

TEST(HeightRay, SameHitsFromEveryCompiler) {
    Random random(2024);
    const HeightRaster raster =
        makeRaster({129, 97, {-64.5, -48.5, 64.5, 48.5}, 0, 40, false, true, 0.02}, random);
    const HeightPyramid pyramid(raster);
    Hasher hasher;
    int hits = 0;
    while (hits < 20000) {
        const Ray ray = makeRay(raster, static_cast<Kind>(hits % kKinds), random);
        const RayHit hit = castRay(raster, pyramid, ray);
        if (!hit.hit()) {
            hasher.u32(0);
            random.next();
            if (random.chance(0.5)) ++hits;
            continue;
        }
        ++hits;
        hasher.u32(1 + (hit.lowerTriangle ? 2u : 0u) + (hit.fromBelow ? 4u : 0u));
        hasher.u32(static_cast<std::uint32_t>(hit.cellX)).u32(static_cast<std::uint32_t>(hit.cellZ));
        hasher.f64(hit.t).f64(hit.position.x).f64(hit.position.y).f64(hit.position.z);
        hasher.f32(hit.normal.x).f32(hit.normal.y).f32(hit.normal.z);
    }
    EXPECT_EQ(hasher.value(), 0x4e938829538fc0a3u) << std::hex << "0x" << hasher.value();
}

}  // namespace
}  // namespace karst::heightfield
