#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/height_pyramid.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <vector>

namespace karst::heightfield {
namespace {

using test::Random;

HeightRaster makeRaster(int columns, int rows, Random& random) {
    Vector<float> heights;
    for (int i = 0; i < columns * rows; ++i)
        heights.push_back(static_cast<float>(random.range(-3, 17)));
    const HeightRasterDesc desc{columns, rows, {0, 0, double(columns), double(rows)}, HeightRange{-4, 20}};
    return std::move(*HeightRaster::create(desc, std::move(heights)));
}

bool same(const HeightPyramid& a, const HeightPyramid& b) {
    return std::ranges::equal(a.nodes(), b.nodes());
}

TEST(HeightPyramid, HoldsTheBoundsOfEveryBlock) {
    Random random(1);
    const int sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {15, 16}, {16, 17}, {63, 64}, {1, 90}, {130, 70}};
    for (const auto& size : sizes) {
        const HeightRaster raster = makeRaster(size[0], size[1], random);
        const HeightPyramid pyramid(raster);
        const auto texel = [&](int x, int z) {
            return raster.texel(std::clamp(x, 0, size[0] - 1), std::clamp(z, 0, size[1] - 1));
        };
        for (int l = 0; l < pyramid.levels(); ++l) {
            const HeightPyramid::Level& level = pyramid.level(l);
            const int width = 4 << (2 * l);
            for (int z = 0; z < level.rows * 4; ++z) {
                for (int x = 0; x < level.columns * 4; ++x) {
                    const HeightPyramid::Node& node =
                        pyramid
                            .nodes()[level.first + static_cast<std::size_t>(z / 4 * level.columns + x / 4)];
                    const auto child = static_cast<std::size_t>(z % 4 * 4 + x % 4);
                    if (x * width >= std::max(size[0] - 1, 1) || z * width >= std::max(size[1] - 1, 1)) {
                        EXPECT_GT(node.low[child], node.high[child]);
                        continue;
                    }
                    double low = 1e9, high = -1e9;
                    for (int tz = z * width; tz <= std::min((z + 1) * width, size[1] - 1); ++tz) {
                        for (int tx = x * width; tx <= std::min((x + 1) * width, size[0] - 1); ++tx) {
                            low = std::min(low, double{texel(tx, tz)});
                            high = std::max(high, double{texel(tx, tz)});
                        }
                    }
                    // Never inside the true bounds, and at most one step outside.
                    ASSERT_LE(node.low[child], pyramid.stepsOf(low));
                    ASSERT_GT(node.low[child] + 1, pyramid.stepsOf(low));
                    ASSERT_GE(node.high[child], pyramid.stepsOf(high));
                    ASSERT_LT(node.high[child] - 1, pyramid.stepsOf(high));
                }
            }
        }
        EXPECT_EQ(pyramid.level(pyramid.levels() - 1).columns, 1);
        EXPECT_EQ(pyramid.level(pyramid.levels() - 1).rows, 1);
    }
}

TEST(HeightPyramid, UpdateEqualsAFreshBuild) {
    Random random(2);
    const int sizes[][2] = {{1, 1}, {7, 40}, {64, 64}, {131, 90}};
    for (const auto& size : sizes) {
        HeightRaster raster = makeRaster(size[0], size[1], random);
        HeightPyramid pyramid(raster);
        EXPECT_EQ(pyramid.generation(), 1u);
        for (int round = 0; round < 60; ++round) {
            // Sometimes more edits than the raster remembers.
            for (int edits = random.chance(0.1) ? 12 : random.integer(1, 3); edits > 0; --edits) {
                GridRect r{random.integer(0, size[0] - 1), random.integer(0, size[1] - 1), 0, 0};
                r.maxX = random.integer(r.minX + 1, std::min(size[0], r.minX + 9));
                r.maxZ = random.integer(r.minZ + 1, std::min(size[1], r.minZ + 9));
                if (random.chance(0.3)) {
                    raster.setHoles(r, random.chance(0.6));
                    continue;
                }
                std::vector<float> heights;
                for (int i = 0; i < r.width() * r.depth(); ++i)
                    heights.push_back(static_cast<float>(random.range(-4, 20)));
                ASSERT_TRUE(raster.setHeights(r, heights).ok());
            }
            pyramid.update(raster);
            ASSERT_EQ(pyramid.generation(), raster.generation());
            ASSERT_TRUE(same(pyramid, HeightPyramid(raster)));
        }
    }
}

TEST(HeightPyramid, DoesNotDependOnWorkers) {
    Random random(3);
    const HeightRaster raster = makeRaster(300, 211, random);
    ThreadPool pool(3);
    Externals externals;
    externals.jobs = &pool;
    EXPECT_TRUE(same(HeightPyramid(raster), HeightPyramid(raster, externals)));
}

TEST(HeightPyramid, CostsLessThanAByteATexel) {
    Random random(4);
    const int sizes[][2] = {{64, 64}, {65, 65}, {64, 1000}, {257, 257}, {511, 64}};
    for (const auto& size : sizes) {
        const HeightRaster raster = makeRaster(size[0], size[1], random);
        const HeightPyramid pyramid(raster);
        EXPECT_LE(pyramid.memoryBytes(), raster.heights().size());
        EXPECT_GE(pyramid.memoryBytes(), pyramid.nodes().size() * sizeof(HeightPyramid::Node));
    }
}

}  // namespace
}  // namespace karst::heightfield
