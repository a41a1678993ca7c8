#include <gtest/gtest.h>
#include <karst/base/frustum.h>
#include <karst_test/test_support.h>

namespace karst {
namespace {

Frustum randomFrustum(test::Random& random) {
    Frustum f;
    f.count = random.integer(0, 6);
    for (int i = 0; i < f.count; ++i) {
        Vec3d n{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        f.planes[static_cast<std::size_t>(i)] = {normalized(n), random.range(-2, 6)};
    }
    return f;
}

TEST(Frustum, ABoxWithAPointInsideMayTouch) {
    test::Random random(7);
    int touched = 0, missed = 0;
    for (int i = 0; i < 2000; ++i) {
        const Frustum f = randomFrustum(random);
        const Vec3d low{random.range(-8, 4), random.range(-8, 4), random.range(-8, 4)};
        const Bounds box{low, low + Vec3d{random.range(0, 4), random.range(0, 4), random.range(0, 4)}};
        bool anyInside = false;
        bool wholeCornersOutside = false;  // all corners outside one plane: then it must be refused
        for (int k = 0; k < 20; ++k) {
            const Vec3d s = box.size();
            const Vec3d p = box.min + Vec3d{s.x * random.unit(), s.y * random.unit(), s.z * random.unit()};
            anyInside |= f.contains(p);
        }
        for (int plane = 0; plane < f.count; ++plane) {
            bool all = true;
            for (int corner = 0; corner < 8; ++corner) {
                const Vec3d p{corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                              corner & 4 ? box.max.z : box.min.z};
                all &= f.planes[static_cast<std::size_t>(plane)].distance(p) < 0;
            }
            wholeCornersOutside |= all;
        }
        if (anyInside) {
            EXPECT_TRUE(f.mayTouch(box));
        }
        EXPECT_EQ(f.mayTouch(box), !wholeCornersOutside);
        ++(wholeCornersOutside ? missed : touched);
    }
    EXPECT_GT(touched, 100);
    EXPECT_GT(missed, 100);
}

TEST(Frustum, WithoutPlanesHoldsEverything) {
    const Frustum all;
    EXPECT_TRUE(all.contains({1e9, -1e9, 3}));
    EXPECT_TRUE(all.mayTouch({{0, 0, 0}, {1, 1, 1}}));
}

TEST(Frustum, PlaneIsClosedOnItsInnerSide) {
    const Plane ground{{0, 1, 0}, -5};
    EXPECT_EQ(ground.distance({7, 5, 7}), 0);
    EXPECT_EQ(ground.distance({0, 8, 0}), 3);
    Frustum f;
    f.planes[0] = ground;
    f.count = 1;
    EXPECT_TRUE(f.contains({0, 5, 0}));
    EXPECT_FALSE(f.contains({0, 4.999, 0}));
}

}  // namespace
}  // namespace karst
