#include "height_ray_reference.h"

namespace karst::heightfield {
namespace {

using namespace reference;

TEST(HeightRay, AgreesWithEveryTriangleOnSmallRasters) {
    const int sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2},   {1, 17},  {23, 1},  {3, 3},   {5, 7},
                            {4, 4}, {7, 2}, {8, 8}, {15, 16}, {16, 15}, {17, 31}, {13, 64}, {61, 19}};
    Tally tally;
    std::uint64_t seed = 1;
    for (const auto& size : sizes) {
        for (const bool rough : {false, true}) {
            for (const double holes : {0.0, 0.2}) {
                Ground ground{size[0], size[1], {0, 0, 0, 0}, -20, 90, rough, seed % 3 == 0, holes};
                ground.rect = {-7, 3, -7.0 + size[0], 3 + 0.75 * size[1]};
                ASSERT_NO_FATAL_FAILURE(checkGround(ground, 30, seed++, tally));
            }
        }
    }
    EXPECT_GT(tally.hits, tally.rays / 3);
    EXPECT_LT(tally.unsure, tally.rays / 20);
}

TEST(HeightRay, AgreesWithEveryTriangleOnLargerRasters) {
    const Ground grounds[] = {
        {129, 97, {-64.5, -48.5, 64.5, 48.5}, 0, 40, false, false, 0},
        {129, 97, {-64.5, -48.5, 64.5, 48.5}, 0, 40, false, true, 0.03},
        {257, 300, {1000, -2000, 1257, -1700}, -5, 60, false, false, 0},
        {1025, 3, {0, 0, 1025, 3}, 0, 40, false, false, 0.01},
        {5, 700, {0, 0, 5, 700}, 0, 40, true, false, 0},
        {211, 223, {-1e6, 5e5, -1e6 + 211 * 90.0, 5e5 + 223 * 90.0}, -11000, 9000, false, true, 0.02},
        {101, 67, {-0.05, 0.2, 0.051, 0.267}, 0, 0.02, false, false, 0},
        {64, 64, {-64e3, -64e3, 64e3, 64e3}, -11000, 9000, true, false, 0.1},
    };
    Tally tally;
    std::uint64_t seed = 100;
    for (const Ground& ground : grounds)
        ASSERT_NO_FATAL_FAILURE(checkGround(ground, 150, seed++, tally));
    EXPECT_GT(tally.hits, tally.rays / 3);
    EXPECT_LT(tally.unsure, tally.rays / 20);
}

TEST(HeightRay, FlatGroundIsMetFromEverySide) {
    const HeightRaster raster = flatRaster(20, 9, 5);
    const HeightPyramid pyramid(raster);
    Tally tally;
    Random random(5);
    for (int i = 0; i < 2000; ++i) {
        const Vec3d target{random.range(0, 20), 5, random.range(0, 9)};
        Vec3d d{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        if (random.chance(0.2)) d.x = 0;
        if (random.chance(0.2)) d.z = 0;
        const Ray ray{target - d * random.range(0.1, 50), d};
        ASSERT_NO_FATAL_FAILURE(checkRay(raster, pyramid, ray, kInfinity, tally));
        const RayHit hit = castRay(raster, pyramid, ray);
        ASSERT_TRUE(hit.hit());
        EXPECT_EQ(hit.fromBelow, d.y > 0);
        EXPECT_EQ(hit.normal, (Vec3f{0, 1, 0}));
        EXPECT_NEAR(hit.position.x, target.x, 1e-9);
        EXPECT_NEAR(hit.position.z, target.z, 1e-9);
    }
}

TEST(HeightRay, LevelRayInLevelGroundHitsAtItsEntry) {
    const HeightRaster raster = flatRaster(20, 9, 5);
    const HeightPyramid pyramid(raster);
    const RayHit outside = castRay(raster, pyramid, {{-4, 5, 4.25}, {2, 0, 0}});
    ASSERT_TRUE(outside.hit());
    EXPECT_EQ(outside.t, 2);
    EXPECT_EQ(outside.cellX, -1);
    const RayHit inside = castRay(raster, pyramid, {{7.3, 5, 4.25}, {0, 0, -1}});
    ASSERT_TRUE(inside.hit());
    EXPECT_EQ(inside.t, 0);
    EXPECT_EQ(inside.position, (Vec3d{7.3, 5, 4.25}));
    EXPECT_FALSE(castRay(raster, pyramid, {{-4, 5.001, 4.25}, {2, 0, 0}}).hit());
}

TEST(HeightRay, BeginsOnTheGround) {
    Random random(8);
    const HeightRaster raster = makeRaster({}, random);
    const HeightPyramid pyramid(raster);
    for (int i = 0; i < 3000; ++i) {
        const double x = random.range(-0.5, 32.5), z = random.range(-0.5, 32.5);
        const Vec3d d{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        const RayHit hit = castRay(raster, pyramid, {{x, *raster.heightAt(x, z), z}, d}, 0);
        ASSERT_TRUE(hit.hit());
        EXPECT_EQ(hit.t, 0);
    }
}

TEST(HeightRay, N4_RayHeightAndMeshShareOneSurface) {
    Random random(4);
    for (const double holes : {0.0, 0.1}) {
        Ground ground{67, 45, {-3, 11, 64, 56}, -20, 30, false, false, holes};
        const HeightRaster raster = makeRaster(ground, random);
        const HeightPyramid pyramid(raster);
        int hits = 0, tiltedRays = 0;
        for (int i = 0; i < 20000; ++i) {
            // Also grid lines, the rect's own edges and a little outside.
            double x = random.range(-4, 65), z = random.range(10, 57);
            if (random.chance(0.3)) x = raster.texelX(random.integer(0, 66));
            if (random.chance(0.3)) z = raster.texelZ(random.integer(0, 44));
            if (random.chance(0.02)) x = random.chance(0.5) ? -3 : 64;
            if (random.chance(0.02)) z = random.chance(0.5) ? 11 : 56;
            const bool up = random.chance(0.3);
            const double y = up ? -25 : 35;
            const RayHit hit = castRay(raster, pyramid, {{x, y, z}, {0, up ? 0.5 : -0.5, 0}});
            const auto height = raster.heightAt(x, z);
            ASSERT_EQ(hit.hit(), height.has_value()) << x << ", " << z;
            if (!height) continue;
            ++hits;
            EXPECT_EQ(hit.position, (Vec3d{x, *height, z}));
            EXPECT_DOUBLE_EQ(hit.t, std::abs(*height - y) * 2);
            EXPECT_EQ(hit.fromBelow, up);
            const CellPoint cell = raster.cellPointAt(x, z);
            EXPECT_EQ(hit.cellX, cell.cellX);
            EXPECT_EQ(hit.cellZ, cell.cellZ);
            EXPECT_EQ(hit.lowerTriangle, cell.fx + cell.fz <= 1);
            // A tilted ray through the same point, seen to go from one side of the ground to the other.
            const Vec3d d{random.range(-1e-3, 1e-3), up ? 1e-3 : -1e-3, random.range(-1e-3, 1e-3)};
            const Vec3d from = hit.position - d, to = hit.position + d;
            const auto atFrom = raster.heightAt(from.x, from.z), atTo = raster.heightAt(to.x, to.z);
            if (!atFrom || !atTo || (from.y > *atFrom) == (to.y > *atTo)) continue;
            const RayHit tilted = castRay(raster, pyramid, {from, d}, 2);
            ++tiltedRays;
            ASSERT_TRUE(tilted.hit() || holes > 0) << x << ", " << z;
            if (!tilted.hit()) continue;
            const auto there = raster.heightAt(tilted.position.x, tilted.position.z);
            if (there) {
                EXPECT_NEAR(tilted.position.y, *there, 1e-11);
            }
        }
        EXPECT_GT(tiltedRays, 5000);
        EXPECT_GT(hits, 10000);
    }
}

TEST(HeightRay, N8_RayLeavesOutTheHolesThatHeightAtLeavesOut) {
    Random random(9);
    const HeightRaster raster = makeRaster({21, 34, {0, 0, 21, 34}, 0, 4, false, false, 0.3}, random);
    const HeightPyramid pyramid(raster);
    int hits = 0, holes = 0;
    for (int z = -1; z < raster.rows(); ++z) {
        for (int x = -1; x < raster.columns(); ++x) {
            for (int i = 0; i < 8; ++i) {
                const double fx = x < 0     ? random.range(0.5, 1)
                                  : x == 20 ? random.range(0, 0.5)
                                            : random.unit();
                const double fz = z < 0     ? random.range(0.5, 1)
                                  : z == 33 ? random.range(0, 0.5)
                                            : random.unit();
                const double px = raster.texelX(0) + x + fx, pz = raster.texelZ(0) + z + fz;
                const RayHit down = castRay(raster, pyramid, {{px, 9, pz}, {0, -1, 0}});
                // Nearly vertical: the walk's own answer, in the same cell but for a hair.
                const RayHit walked = castRay(raster, pyramid, {{px, 9, pz}, {1e-9, -1, 1e-9}});
                ASSERT_EQ(down.hit(), raster.heightAt(px, pz).has_value());
                ASSERT_EQ(down.hit(), !raster.isHole(x, z));
                ASSERT_EQ(walked.hit(), down.hit());
                ++(down.hit() ? hits : holes);
            }
        }
    }
    EXPECT_GT(hits, 1000);
    EXPECT_GT(holes, 1000);
}

TEST(HeightRay, EntersUnderTheGroundThroughAHoleWithoutAWall) {
    HeightRaster raster = flatRaster(10, 10, 5);
    raster.setHoles(GridRect{2, -1, 4, 10}, true);
    const HeightPyramid pyramid(raster);
    // Level under the ground: nothing. Rising from under the hole: the underside beyond it.
    EXPECT_FALSE(castRay(raster, pyramid, {{3.5, 4, 5}, {1, 0, 0.1}}).hit());
    const RayHit below = castRay(raster, pyramid, {{3.5, 4, 5}, {2, 0.5, 0}});
    ASSERT_TRUE(below.hit());
    EXPECT_TRUE(below.fromBelow);
    EXPECT_NEAR(below.position.x, 7.5, 1e-12);
    // Down through the hole from above, then out of the raster.
    EXPECT_FALSE(castRay(raster, pyramid, {{2.6, 5.5, 5}, {1, -0.5, 0}}).hit());
    EXPECT_TRUE(castRay(raster, pyramid, {{1.0, 5.5, 5}, {1, -0.5, 0}}).hit());
}

TEST(HeightRay, NoRayAimedAtAVertexOrAlongAnEdgeLeaks) {
    Random random(77);
    const HeightRaster raster = makeRaster({97, 97, {0, 0, 97, 97}, 0, 50, false, false, 0}, random);
    const HeightPyramid pyramid(raster);
    int crossings = 0;
    for (int i = 0; i < 20000; ++i) {
        const int x = random.integer(1, 95), z = random.integer(1, 95);
        const double f = random.integer(0, 1024) / 1024.0;
        const int way = random.integer(0, 3);
        const Vec3d to{raster.texelX(x) + (way == 1 || way == 3 ? f : 0), 0,
                       raster.texelZ(z) + (way == 2   ? f
                                           : way == 3 ? 1 - f
                                                      : 0)};
        const Vec3d target{to.x, *raster.heightAt(to.x, to.z), to.z};
        const Vec3d d{random.range(-1, 1), -random.range(0.3, 1), random.range(-1, 1)};
        const RayHit hit = castRay(raster, pyramid, {target - d * 0.5, d * 2}, 1);
        const Vec3d from = target - d * 0.5, end = target + d * 1.5;
        const auto a = raster.heightAt(from.x, from.z), b = raster.heightAt(end.x, end.z);
        if (!a || !b || from.y <= *a || end.y >= *b) continue;
        ++crossings;
        ASSERT_TRUE(hit.hit()) << i;
    }
    EXPECT_GT(crossings, 10000);
}

}  // namespace
}  // namespace karst::heightfield
