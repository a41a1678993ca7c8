#include <gtest/gtest.h>
#include <karst/heightfield/height_triangle.h>
#include <karst_test/test_support.h>

#include <algorithm>

namespace karst::heightfield {
namespace {

struct Corners {
    double h00, h10, h01, h11;
    double at(double fx, double fz) const { return cellHeight(h00, h10, h01, h11, fx, fz); }
};

Corners randomCorners(test::Random& random) {
    const auto one = [&] { return double{static_cast<float>(random.range(-500, 9000))}; };
    return {one(), one(), one(), one()};
}

TEST(HeightTriangle, N4_CornersAreTheSamples) {
    test::Random random(20);
    for (int i = 0; i < 500; ++i) {
        const Corners c = randomCorners(random);
        EXPECT_EQ(c.at(0, 0), c.h00);
        EXPECT_EQ(c.at(1, 0), c.h10);
        EXPECT_EQ(c.at(0, 1), c.h01);
        EXPECT_EQ(c.at(1, 1), c.h11);
    }
}

TEST(HeightTriangle, N4_SplitsFromPlusZToPlusX) {
    EXPECT_TRUE(isLowerTriangle(0.0, 0.0));
    EXPECT_TRUE(isLowerTriangle(0.25, 0.75));
    EXPECT_FALSE(isLowerTriangle(0.5, 0.6));
    // Raising one corner lifts only its own triangle; raising an end of the diagonal lifts both.
    EXPECT_EQ((Corners{1, 0, 0, 0}.at(0.75, 0.75)), 0);
    EXPECT_EQ((Corners{0, 0, 0, 1}.at(0.25, 0.25)), 0);
    EXPECT_GT((Corners{0, 1, 0, 0}.at(0.75, 0.75)), 0);
    EXPECT_GT((Corners{0, 1, 0, 0}.at(0.25, 0.25)), 0);
    EXPECT_GT((Corners{0, 0, 1, 0}.at(0.75, 0.75)), 0);
    // Along the diagonal the height is that of the straight line between its ends.
    EXPECT_EQ((Corners{100, 0, 8, 100}.at(0.5, 0.5)), 4);
}

TEST(HeightTriangle, N4_IsContinuousAcrossTheDiagonal) {
    test::Random random(21);
    for (int i = 0; i < 2000; ++i) {
        const Corners c = randomCorners(random);
        const double fx = random.unit();
        const double along = c.h01 + fx * (c.h10 - c.h01);
        EXPECT_NEAR(c.at(fx, 1 - fx), along, 1e-9);
        EXPECT_NEAR(c.at(fx, std::max(0.0, 1 - fx - 1e-9)), along, 1e-4);
        EXPECT_NEAR(c.at(fx, std::min(1.0, 1 - fx + 1e-9)), along, 1e-4);
    }
}

TEST(HeightTriangle, N4_IsContinuousAcrossCellEdges) {
    test::Random random(22);
    for (int i = 0; i < 2000; ++i) {
        const Corners west = randomCorners(random);
        Corners east = randomCorners(random), south = randomCorners(random);
        east.h00 = west.h10;
        east.h01 = west.h11;
        south.h00 = west.h01;
        south.h10 = west.h11;
        const double s = random.unit();
        EXPECT_NEAR(west.at(1, s), east.at(0, s), 1e-9);
        EXPECT_NEAR(west.at(s, 1), south.at(s, 0), 1e-9);
    }
}

TEST(HeightTriangle, N4_StaysBetweenItsCorners) {
    test::Random random(23);
    for (int i = 0; i < 5000; ++i) {
        const Corners c = randomCorners(random);
        const double h = c.at(random.unit(), random.unit());
        EXPECT_GE(h, std::min({c.h00, c.h10, c.h01, c.h11}) - 1e-9);
        EXPECT_LE(h, std::max({c.h00, c.h10, c.h01, c.h11}) + 1e-9);
    }
}

TEST(HeightTriangle, GradientIsTheSlopeOfTheTriangle) {
    test::Random random(24);
    for (int i = 0; i < 2000; ++i) {
        const Corners c = randomCorners(random);
        const bool lower = random.chance(0.5);
        const double fx = random.range(0.05, 0.4), fz = random.range(0.05, 0.4);
        const double x = lower ? fx : 1 - fx, z = lower ? fz : 1 - fz;
        const auto g = triangleGradient(c.h00, c.h10, c.h01, c.h11, lower);
        const double d = 1e-2;
        EXPECT_NEAR((c.at(x + d, z) - c.at(x - d, z)) / (2 * d), g.x, 1e-6);
        EXPECT_NEAR((c.at(x, z + d) - c.at(x, z - d)) / (2 * d), g.z, 1e-6);
    }
}

TEST(HeightTriangle, N7_BlendedGradientMeetsTheEdgesOfItsCell) {
    test::Random random(25);
    for (int i = 0; i < 500; ++i) {
        const Corners c = randomCorners(random);
        const double s = random.unit();
        const auto at = [&](double fx, double fz) {
            return blendedGradient(c.h00, c.h10, c.h01, c.h11, fx, fz);
        };
        EXPECT_NEAR(at(s, 0).x, c.h10 - c.h00, 1e-9);
        EXPECT_NEAR(at(s, 1).x, c.h11 - c.h01, 1e-9);
        EXPECT_NEAR(at(0, s).z, c.h01 - c.h00, 1e-9);
        EXPECT_NEAR(at(1, s).z, c.h11 - c.h10, 1e-9);
        EXPECT_NEAR(at(0.25, 0.5).x, (c.h10 - c.h00 + c.h11 - c.h01) / 2, 1e-9);
    }
    // On a plane it is the plane's slope everywhere.
    const auto plane = blendedGradient(1.0, 4.0, 6.0, 9.0, 0.3, 0.8);
    EXPECT_NEAR(plane.x, 3, 1e-12);
    EXPECT_NEAR(plane.z, 5, 1e-12);
}

}  // namespace
}  // namespace karst::heightfield
