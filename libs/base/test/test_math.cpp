#include <gtest/gtest.h>
#include <karst/base/math.h>
#include <karst/base/ray.h>
#include <karst_test/test_support.h>

#include <limits>

namespace karst {
namespace {

Vec3d randomVector(test::Random& random) {
    return {random.range(-10, 10), random.range(-10, 10), random.range(-10, 10)};
}

Mat4f randomMatrix(test::Random& random) {
    Mat4f m;
    for (float& v : m.m)
        v = static_cast<float>(random.integer(-5, 5));  // whole numbers: products are exact
    return m;
}

TEST(Math, CrossIsAtRightAnglesAndRightHanded) {
    EXPECT_EQ(cross(Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), (Vec3d{0, 0, 1}));
    EXPECT_EQ(cross(Vec3f{0, 1, 0}, Vec3f{0, 0, 1}), (Vec3f{1, 0, 0}));
    test::Random random(9);
    for (int i = 0; i < 200; ++i) {
        const Vec3d a = randomVector(random), b = randomVector(random), c = cross(a, b);
        EXPECT_NEAR(dot(a, c), 0, 1e-11);
        EXPECT_NEAR(dot(b, c), 0, 1e-11);
        EXPECT_NEAR(dot(c, c) + dot(a, b) * dot(a, b), dot(a, a) * dot(b, b), 1e-8);
        EXPECT_NEAR(length(normalized(a)), 1, 1e-14);
        EXPECT_NEAR(length(normalized(toFloat(a))), 1, 1e-6);
    }
}

TEST(Math, MatrixIsColumnMajorAndMultipliesAsWritten) {
    Mat4f m;
    m.at(0, 3) = 5;
    EXPECT_EQ(m.m[12], 5);
    test::Random random(10);
    for (int i = 0; i < 100; ++i) {
        const Mat4f a = randomMatrix(random), b = randomMatrix(random), c = randomMatrix(random);
        EXPECT_EQ((a * b) * c, a * (b * c));
        EXPECT_EQ(a * Mat4f{}, a);
        EXPECT_EQ(Mat4f{} * a, a);
        const Mat4f ab = a * b;
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 4; ++column) {
                float sum = 0;
                for (int k = 0; k < 4; ++k)
                    sum += a.m[k * 4 + row] * b.m[column * 4 + k];
                ASSERT_EQ(ab.at(row, column), sum);
            }
        }
    }
}

TEST(Math, FiniteMeansAllThree) {
    const double bad[] = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
    EXPECT_TRUE(isFinite({1, 2, 3}));
    for (const double v : bad) {
        EXPECT_FALSE(isFinite({v, 0, 0}));
        EXPECT_FALSE(isFinite({0, v, 0}));
        EXPECT_FALSE(isFinite({0, 0, v}));
    }
}

TEST(Math, BitCastGoesThereAndBack) {
    EXPECT_EQ(bitCast<std::uint32_t>(1.0f), 0x3f800000u);
    EXPECT_EQ(bitCast<std::uint64_t>(-2.0), 0xc000000000000000u);
    EXPECT_EQ(bitCast<float>(bitCast<std::uint32_t>(0.1f)), 0.1f);
}

TEST(Ray, CountsInLengthsOfItsDirection) {
    const Ray ray{{1, 2, 3}, {0, -2, 4}};
    EXPECT_EQ(ray.at(0), (Vec3d{1, 2, 3}));
    EXPECT_EQ(ray.at(2.5), (Vec3d{1, -3, 13}));
}

// GCC 12's basic-block vectoriser drops this rounding; the library is built without it.
TEST(Math, GoingThroughFloatRounds) {
    volatile double tenth = 0.1;
    const Vec3d there = toDouble(toFloat({tenth, tenth, tenth}));
    const double rounded = double{0.1f};
    EXPECT_EQ(there, (Vec3d{rounded, rounded, rounded}));
}

}  // namespace
}  // namespace karst
