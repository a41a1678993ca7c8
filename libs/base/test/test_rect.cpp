#include <gtest/gtest.h>
#include <karst/base/rect.h>
#include <karst_test/test_support.h>

#include <limits>

namespace karst {
namespace {

TEST(Rect, OverlapIntersectionAndUnionAgreeWithTheirPoints) {
    test::Random random(11);
    for (int round = 0; round < 3000; ++round) {
        const auto one = [&] {
            return Rect{double(random.integer(-5, 5)), double(random.integer(-5, 5)),
                        double(random.integer(-6, 5)), double(random.integer(-6, 5))};
        };
        const Rect a = one(), b = one();
        const Rect both = intersect(a, b), joined = unite(a, b);
        bool share = false;
        for (int x = -6; x <= 6; ++x) {
            for (int z = -6; z <= 6; ++z) {
                const bool inA = a.contains(x, z), inB = b.contains(x, z);
                share |= inA && inB;
                ASSERT_EQ(both.contains(x, z), inA && inB);
                if (inA || inB) {
                    ASSERT_TRUE(joined.contains(x, z));
                }
            }
        }
        ASSERT_EQ(a.overlaps(b), share);
        ASSERT_EQ(!both.empty(), share);
        if (a.empty()) {
            ASSERT_EQ(joined, b);
        }
        if (b.empty() && !a.empty()) {
            ASSERT_EQ(joined, a);
        }
    }
}

TEST(Rect, IsClosedAndAPointIsNotEmpty) {
    const Rect r{0, 0, 2, 3};
    EXPECT_TRUE(r.contains(0, 3));
    EXPECT_TRUE(r.contains(2, 0));
    EXPECT_FALSE(r.contains(2.0000001, 0));
    EXPECT_FALSE(r.contains(std::numeric_limits<double>::quiet_NaN(), 1));
    EXPECT_FALSE((Rect{1, 1, 1, 1}.empty()));
    EXPECT_TRUE((Rect{1, 1, 0, 2}.empty()));
    EXPECT_TRUE(r.overlaps({2, 3, 9, 9}));
    EXPECT_EQ(r.width(), 2);
    EXPECT_EQ(r.depth(), 3);
}

TEST(GridRect, IntersectionAndUnionAgreeWithTheirCells) {
    test::Random random(12);
    for (int round = 0; round < 3000; ++round) {
        const auto one = [&] {
            return GridRect{random.integer(-5, 5), random.integer(-5, 5), random.integer(-6, 6),
                            random.integer(-6, 6)};
        };
        const auto holds = [](const GridRect& r, int x, int z) {
            return x >= r.minX && x < r.maxX && z >= r.minZ && z < r.maxZ;
        };
        const GridRect a = one(), b = one(), both = intersect(a, b), joined = unite(a, b);
        int cells = 0;
        for (int x = -6; x <= 6; ++x) {
            for (int z = -6; z <= 6; ++z) {
                const bool inA = holds(a, x, z), inB = holds(b, x, z);
                ASSERT_EQ(holds(both, x, z), inA && inB);
                if (inA || inB) {
                    ASSERT_TRUE(holds(joined, x, z));
                }
                cells += inA ? 1 : 0;
            }
        }
        ASSERT_EQ(a.empty(), cells == 0);
        if (!a.empty()) {
            ASSERT_EQ(a.width() * a.depth(), cells);
        }
        if (a.empty() && b.empty()) {
            ASSERT_TRUE(joined.empty());
        }
    }
}

}  // namespace
}  // namespace karst
