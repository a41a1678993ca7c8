#include "detail_bounds.h"

#include <gtest/gtest.h>
#include <karst/heightfield/height_triangle.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace karst;
using namespace karst::heightfield;

struct Surface4 {
    double p[4][4];

    double at(double u, double v, int du = 0, int dv = 0) const {
        double wu[4], wv[4];
        weights(u, du, wu);
        weights(v, dv, wv);
        double sum = 0;
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 4; ++i)
                sum += wu[i] * wv[j] * p[j][i];
        }
        return sum;
    }
    static void weights(double f, int derivative, double w[4]) {
        const double values[3][4] = {
            {-0.5 * f + f * f - 0.5 * f * f * f, 1 - 2.5 * f * f + 1.5 * f * f * f,
             0.5 * f + 2 * f * f - 1.5 * f * f * f, -0.5 * f * f + 0.5 * f * f * f},
            {-0.5 + 2 * f - 1.5 * f * f, -5 * f + 4.5 * f * f, 0.5 + 4 * f - 4.5 * f * f, -f + 1.5 * f * f},
            {2 - 3 * f, -5 + 9 * f, 4 - 9 * f, -1 + 3 * f}};
        std::copy_n(values[derivative], 4, w);
    }
    double slope(double u, double v, double sx, double sz) const {
        return std::hypot(at(u, v, 1, 0) / sx, at(u, v, 0, 1) / sz);
    }
};

Surface4 randomSurface(test::Random& random, double relief) {
    Surface4 s;
    const double a = random.range(-3, 3), b = random.range(-3, 3);
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i)
            s.p[j][i] = a * i + b * j + relief * random.range(-1, 1);
    }
    return s;
}

TEST(DetailBounds, H26_ACellsShapeHoldsItsSurface) {
    test::Random random(1);
    double tightest = 0;
    for (int n = 0; n < 2000; ++n) {
        const double relief = random.chance(0.3) ? 0 : random.range(0, 4);
        const Surface4 s = randomSurface(random, relief);
        const double sx = random.range(0.5, 3), sz = random.range(0.5, 3);
        const CellShape shape(s.p, sx, sz);
        const double stride = std::ldexp(1.0, -random.integer(0, 3));
        for (int k = 0; k < 40; ++k) {
            const double u = random.unit(), v = random.unit();
            const double h = s.at(u, v), slope = s.slope(u, v, sx, sz);
            ASSERT_GE(h, shape.height.low);
            ASSERT_LE(h, shape.height.high);
            ASSERT_GE(slope, shape.slope.low - 1e-12);
            ASSERT_LE(slope, shape.slope.high + 1e-12);
            ASSERT_LE(std::abs(s.at(u, v, 2, 0)), shape.secondX + 1e-9);
            ASSERT_LE(std::abs(s.at(u, v, 0, 2)), shape.secondZ + 1e-9);
            ASSERT_LE(std::abs(s.at(u, v, 1, 1)), shape.mixed + 1e-9);
            const double whole = cellHeight(s.at(0, 0), s.at(1, 0), s.at(0, 1), s.at(1, 1), u, v);
            ASSERT_LE(std::abs(h - whole), shape.deviation + 1e-12);
            if (shape.deviation > 1e-6) tightest = std::max(tightest, std::abs(h - whole) / shape.deviation);
            const double a = std::min(std::floor(u / stride) * stride, 1 - stride);
            const double b = std::min(std::floor(v / stride) * stride, 1 - stride);
            const double fine = cellHeight(s.at(a, b), s.at(a + stride, b), s.at(a, b + stride),
                                           s.at(a + stride, b + stride), (u - a) / stride, (v - b) / stride);
            ASSERT_LE(std::abs(h - fine), shape.deviationAt(stride) + 1e-12);
            const double u2 = random.unit(), v2 = random.unit();
            const double distance = std::hypot((u2 - u) * sx, (v2 - v) * sz);
            ASSERT_LE(std::abs(s.slope(u2, v2, sx, sz) - slope), shape.slopeChange * distance + 1e-9);
        }
    }
    EXPECT_GT(tightest, 0.5);
}

TEST(DetailBounds, H26_MaterialsStayWithinTheirBounds) {
    test::Random random(2);
    int loose = 0, tight = 0;
    for (int n = 0; n < 3000; ++n) {
        const Surface4 s = randomSurface(random, random.range(0, 1));
        const double sx = random.range(0.5, 3), sz = random.range(0.5, 3);
        TerrainMaterialRules rules;
        rules.materials = static_cast<std::uint32_t>(random.integer(1, 4));
        for (MaterialCover& cover : rules.covers) {
            cover = {};
            const double at = random.range(0, 3), width = random.chance(0.2) ? 0 : random.range(-2, 2);
            if (random.chance(0.7)) cover.slope = MaterialRamp{at, at + width};
            if (random.chance(0.7)) cover.height = MaterialRamp{at * 3, at * 3 + width};
        }
        std::array<double, 4> values{random.unit(), random.unit(), random.unit(), random.unit()};
        const CellShape shape(s.p, sx, sz);
        const MaterialBounds bounds(rules, shape);
        const double largest = bounds.largest(values);
        // Fields may add up with either sign: each material's has its own.
        std::array<double, 4> signs;
        for (double& sign : signs)
            sign = random.chance(0.5) ? 1 : -1;
        const auto mixAt = [&](double u, double v, bool withSigns) {
            const MaterialWeights w = rules.weightsAt(s.slope(u, v, sx, sz), s.at(u, v));
            double sum = 0;
            for (std::size_t m = 0; m < 4; ++m)
                sum += w[m] * values[m] * (withSigns ? signs[m] : 1);
            return sum;
        };
        double seen = 0;
        for (int k = 0; k < 30; ++k) {
            const double u = random.unit(), v = random.unit();
            ASSERT_LE(mixAt(u, v, false), largest + 1e-12);
            seen = std::max(seen, mixAt(u, v, false));
            const double u2 = std::clamp(u + random.range(-0.1, 0.1), 0.0, 1.0);
            const double v2 = std::clamp(v + random.range(-0.1, 0.1), 0.0, 1.0);
            const double distance = std::hypot((u2 - u) * sx, (v2 - v) * sz);
            ASSERT_LE(std::abs(mixAt(u, v, true) - mixAt(u2, v2, true)),
                      bounds.change(values, distance) + 1e-9);
        }
        (seen > largest * 0.95 ? tight : loose) += 1;
    }
    EXPECT_GT(tight, loose / 4);
}

}  // namespace
