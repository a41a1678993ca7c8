#include <gtest/gtest.h>
#include <karst/heightfield_lod/root_grid.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::heightfield {
namespace {

RootGrid roots(double width, double depth, RootGridOptions options = {}) {
    const Result<RootGrid> grid = makeRootGrid({-50, 7, -50 + width, 7 + depth}, options);
    EXPECT_TRUE(grid.ok()) << (grid.ok() ? "" : grid.error().message);
    return grid.ok() ? *grid : RootGrid{};
}

TEST(RootGrid, N14_KnownRectsGetTheirKnownRoots) {
    EXPECT_EQ(roots(2048, 2048), (RootGrid{2048, 1, 1}));
    EXPECT_EQ(roots(800, 600), (RootGrid{200, 4, 3}));
    EXPECT_EQ(roots(600, 800), (RootGrid{200, 3, 4}));
    EXPECT_EQ(roots(210, 170), (RootGrid{170, 2, 1}));
    EXPECT_EQ(roots(2048, 3000), (RootGrid{2048, 1, 2}));
    EXPECT_EQ(roots(1000, 3700), (RootGrid{1000, 1, 4}));
}

TEST(RootGrid, N14_TheLongerSideOverAQuarterOfThePoolWhereTheShorterMakesTooMany) {
    RootGridOptions options;
    options.maxNodes = 16;
    // Roots of 10 would be 100; a quarter of the pool is 4, so the root is 1003 / 4.
    const RootGrid grid = roots(1003, 10, options);
    EXPECT_DOUBLE_EQ(grid.size, 1003.0 / 4);
    EXPECT_EQ(grid.countX, 4u);
    EXPECT_EQ(grid.countZ, 1u);
}

TEST(RootGrid, N14_AWaterSheetRootsByTheSameRule) {
    // A lake is a rect like any other, and small nodes are its own minimum's matter.
    RootGridOptions lake;
    lake.minNodeSize = 4;
    EXPECT_EQ(roots(60, 36, lake), (RootGrid{12, 5, 3}));
    EXPECT_EQ(roots(60, 36), (RootGrid{36, 2, 1}));
}

TEST(RootGrid, N14_AnyRectIsCoveredByAtMostAQuarterOfThePool) {
    test::Random random(11);
    for (int round = 0; round < 20000; ++round) {
        RootGridOptions options;
        options.maxNodes = static_cast<std::uint32_t>(random.integer(4, 2000));
        options.minNodeSize = std::pow(10, random.range(-2, 3));
        const bool whole = random.chance(0.5);
        double width = std::pow(10, random.range(-2, 6));
        double depth = random.chance(0.1) ? width : std::pow(10, random.range(-2, 6));
        if (whole) {
            width = std::ceil(width);
            depth = std::ceil(depth);
        }
        const RootGrid grid = roots(width, depth, options);
        ASSERT_LE(grid.countX * grid.countZ, std::max(1u, options.maxNodes / 4)) << width << " x " << depth;
        ASSERT_GE(grid.size * grid.countX, width * (1 - 1e-8));
        ASSERT_GE(grid.size * grid.countZ, depth * (1 - 1e-8));
        // No row or column stands wholly past the rect.
        ASSERT_LT(grid.size * (grid.countX - 1), width);
        ASSERT_LT(grid.size * (grid.countZ - 1), depth);
        if (width == depth) {
            ASSERT_EQ(grid.countX * grid.countZ, 1u);
        } else {
            // The rule itself, on whole sides: the largest common divisor, or the sizes it falls back on.
            const double shorter = std::min(width, depth), longer = std::max(width, depth);
            const double fallBack = std::max(shorter, longer / std::max(1u, options.maxNodes / 4));
            if (whole) {
                auto a = static_cast<long long>(longer), b = static_cast<long long>(shorter);
                while (b != 0) {
                    const long long rest = a % b;
                    a = b;
                    b = rest;
                }
                const double divisor = static_cast<double>(a);
                const bool fits = divisor >= options.minNodeSize && longer / divisor * (shorter / divisor) <=
                                                                        std::max(1u, options.maxNodes / 4);
                ASSERT_NEAR(grid.size, fits ? divisor : fallBack, 1e-8 * longer) << width << " x " << depth;
            }
        }
    }
}

TEST(RootGrid, N14_SidesThatAreNoWholeNumbersShareTheirMeasureToo) {
    RootGridOptions options;
    options.minNodeSize = 1;
    const RootGrid grid = roots(3 * 30.1, 7 * 30.1, options);
    EXPECT_NEAR(grid.size, 30.1, 1e-9);
    EXPECT_EQ(grid.countX, 3u);
    EXPECT_EQ(grid.countZ, 7u);
}

TEST(RootGrid, N15_AStatedRootSizeIsTaken) {
    RootGridOptions options;
    options.rootSize = 256;
    EXPECT_EQ(roots(1000, 600, options), (RootGrid{256, 4, 3}));
}

TEST(RootGrid, N15_AStatedRootSizePastThePoolIsRefusedByName) {
    RootGridOptions options;
    options.rootSize = 10;
    options.maxNodes = 100;
    const Result<RootGrid> grid = makeRootGrid({0, 0, 200, 110}, options);
    ASSERT_FALSE(grid.ok());
    EXPECT_EQ(grid.error().code, ErrorCode::TooLarge);
    for (const char* part : {"10", "20 x 11", "100"}) {
        EXPECT_NE(grid.error().message.find(part), std::string::npos) << grid.error().message;
    }
    options.maxNodes = 219;
    EXPECT_FALSE(makeRootGrid({0, 0, 200, 110}, options).ok());
    options.maxNodes = 220;
    EXPECT_TRUE(makeRootGrid({0, 0, 200, 110}, options).ok());
}

TEST(RootGrid, BadInputIsRefused) {
    EXPECT_FALSE(makeRootGrid({0, 0, 0, 10}, {}).ok());
    EXPECT_FALSE(makeRootGrid({0, 0, std::nan(""), 10}, {}).ok());
    EXPECT_FALSE(makeRootGrid({5, 0, 1, 10}, {}).ok());
    RootGridOptions options;
    options.rootSize = -1;
    EXPECT_FALSE(makeRootGrid({0, 0, 10, 10}, options).ok());
    options = {};
    options.minNodeSize = std::nan("");
    EXPECT_FALSE(makeRootGrid({0, 0, 10, 10}, options).ok());
    options = {};
    options.maxNodes = 0;
    EXPECT_FALSE(makeRootGrid({0, 0, 10, 10}, options).ok());
}

}  // namespace
}  // namespace karst::heightfield
