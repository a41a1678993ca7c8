#include <gtest/gtest.h>
#include <karst/base/bounds.h>
#include <karst_test/test_support.h>

namespace karst {
namespace {

Bounds randomBounds(test::Random& random) {
    // Whole numbers, so that boxes often touch.
    Bounds b;
    const auto side = [&](double& low, double& high) {
        low = random.integer(-8, 8);
        high = random.integer(-9, 8);
    };
    side(b.min.x, b.max.x);
    side(b.min.y, b.max.y);
    side(b.min.z, b.max.z);
    return b;
}

TEST(Bounds, DefaultIsEmptyAndTouchesNothing) {
    const Bounds none;
    const Bounds all{{-100, -100, -100}, {100, 100, 100}};
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(none.overlaps(all));
    EXPECT_FALSE(all.overlaps(none));
    EXPECT_FALSE(none.contains({0, 0, 0}));
    EXPECT_EQ(unite(none, all), all);
    EXPECT_EQ(unite(all, none), all);
    EXPECT_TRUE(unite(none, none).empty());
}

TEST(Bounds, OverlapAndUnionAgreeWithTheirPoints) {
    test::Random random(2);
    for (int round = 0; round < 300; ++round) {
        const Bounds a = randomBounds(random), b = randomBounds(random);
        const Bounds joined = unite(a, b);
        bool share = false;
        for (int x = -9; x <= 9; ++x) {
            for (int y = -9; y <= 9; ++y) {
                for (int z = -9; z <= 9; ++z) {
                    const Vec3d p{double(x), double(y), double(z)};
                    share |= a.contains(p) && b.contains(p);
                    if (a.contains(p) || b.contains(p)) {
                        ASSERT_TRUE(joined.contains(p));
                    }
                    if (!a.empty() && distance(a, p) == 0) {
                        ASSERT_TRUE(a.contains(p));
                    }
                }
            }
        }
        EXPECT_EQ(a.overlaps(b), share);
        EXPECT_EQ(b.overlaps(a), share);
    }
}

TEST(Bounds, DistanceIsToTheNearestPoint) {
    const Bounds box{{0, 0, 0}, {10, 10, 10}};
    EXPECT_EQ(distance(box, {5, 5, 5}), 0);
    EXPECT_EQ(distance(box, {10, 0, 10}), 0);
    EXPECT_EQ(distance(box, {-3, 5, 5}), 3);
    EXPECT_EQ(distance(box, {13, 14, 5}), 5);
    EXPECT_EQ(distance(box, {-2, 12, -1}), 3);
}

TEST(Bounds, CenterAndSize) {
    const Bounds box{{-1, 2, 3}, {3, 4, 13}};
    EXPECT_EQ(box.center(), (Vec3d{1, 3, 8}));
    EXPECT_EQ(box.size(), (Vec3d{4, 2, 10}));
}

}  // namespace
}  // namespace karst
