#include "detail_noise.h"

#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>

#include "catmull_rom.h"

namespace {

using namespace karst;
using namespace karst::heightfield;

/// Catmull-Rom interpolation of the noise at the level-0 points, from the cubic's formula.
double interpolated(const DetailNoise& noise, double u, double v, bool ridged) {
    const auto weights = [](double f, double w[4]) {
        w[0] = f * (-0.5 + f * (1 - 0.5 * f));
        w[1] = 1 + f * f * (-2.5 + 1.5 * f);
        w[2] = f * (0.5 + f * (2 - 1.5 * f));
        w[3] = f * f * (-0.5 + 0.5 * f);
    };
    const double i = std::floor(u), j = std::floor(v);
    double wu[4], wv[4], sum = 0;
    weights(u - i, wu);
    weights(v - j, wv);
    for (int b = 0; b < 4; ++b) {
        for (int a = 0; a < 4; ++a) {
            const DetailNoise::Value n = noise.at(i + a - 1, j + b - 1);
            sum += wu[a] * wv[b] * (ridged ? n.ridged : n.plain);
        }
    }
    return sum;
}

TEST(DetailNoise, H24_StaysInRangeAndUsesIt) {
    test::Random random(1);
    const DetailNoise one(7, 3, 1, 0.5);
    double low = 0, high = 0, lowest = 0, mean = 0;
    const int count = 200000;
    for (int n = 0; n < count; ++n) {
        const DetailNoise::Value v = one.at(random.range(-10, 4000), random.range(-10, 4000));
        ASSERT_LE(std::abs(v.plain), 1);
        ASSERT_EQ(v.ridged, 1 - 2 * std::abs(v.plain));
        low = std::min(low, v.plain);
        high = std::max(high, v.plain);
        lowest = std::min(lowest, v.ridged);
        mean += v.plain / count;
    }
    EXPECT_LT(low, -0.7);
    EXPECT_GT(high, 0.7);
    EXPECT_LT(lowest, -0.5);
    EXPECT_NEAR(mean, 0, 0.01);
}

TEST(DetailNoise, H24_WavelengthsHalveAndAmplitudesFallByPersistence) {
    test::Random random(2);
    // The same noise, stretched.
    const DetailNoise near(5, 3, 4, 0.5), far(5, 6, 4, 0.5);
    for (int n = 0; n < 1000; ++n) {
        const double u = random.range(0, 500), v = random.range(0, 500);
        EXPECT_EQ(near.at(u, v).plain, far.at(2 * u, 2 * v).plain);
    }
    // Octave k alone, from sums of k + 1 and k octaves: its size is persistence^k, and it goes through 0
    // twice as often as the one before.
    const double persistence = 0.6;
    int before = 0;
    double norm = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
        const double amplitude = std::pow(persistence, k), normBefore = norm;
        norm += amplitude;
        const DetailNoise with(9, 16, k + 1, persistence), without(9, 16, std::max(k, 1u), persistence);
        const auto octave = [&](double u) {
            const double rest = k > 0 ? without.at(u, u * 0.37).plain * normBefore : 0;
            return (with.at(u, u * 0.37).plain * norm - rest) / amplitude;
        };
        int crossings = 0;
        double last = octave(0), largest = 0;
        for (double u = 0.25; u < 20000; u += 0.25) {
            const double here = octave(u);
            crossings += (here > 0) != (last > 0) ? 1 : 0;
            largest = std::max(largest, std::abs(here));
            last = here;
        }
        EXPECT_LE(largest, 1 + 1e-9);
        EXPECT_GT(largest, 0.55);
        if (k > 0) {
            EXPECT_NEAR(double(crossings) / before, 2, 0.25);
        }
        before = crossings;
    }
}

TEST(DetailNoise, H24_IsContinuousWithItsSlope) {
    test::Random random(3);
    const DetailNoise noise(11, 1, 1, 0.5);
    for (int n = 0; n < 20000; ++n) {
        // Also right at the noise's own lattice lines.
        double u = random.range(0, 100), v = random.range(0, 100);
        const double step = 1e-5;
        const double here = noise.at(u, v).plain;
        const double a = (noise.at(u + step, v).plain - here) / step,
                     b = (here - noise.at(u - step, v).plain) / step;
        EXPECT_LE(std::abs(a), 2.93 + 1e-6);
        EXPECT_LE(std::abs(a - b) / step, 11.55 * 1.01 + 1e-3);
    }
}

TEST(DetailNoise, H26_ResidualAndDeviationStayWithinTheirBounds) {
    test::Random random(4);
    for (const double wavelength : {0.5, 1.0, 1.7, 3.0, 6.0, 20.0}) {
        const DetailNoise noise(random.next(), wavelength, 3, 0.5);
        const DetailNoise::Value bound = noise.residualBound();
        EXPECT_LE(bound.plain, 2.5625);
        double plain = 0, ridged = 0;
        for (int n = 0; n < 4000; ++n) {
            const double u = random.range(10, 1000), v = random.range(10, 1000);
            const DetailNoise::Value here = noise.at(u, v);
            plain = std::max(plain, std::abs(here.plain - interpolated(noise, u, v, false)));
            ridged = std::max(ridged, std::abs(here.ridged - interpolated(noise, u, v, true)));
        }
        EXPECT_LE(plain, bound.plain);
        EXPECT_LE(ridged, bound.ridged);
        EXPECT_GT(plain, bound.plain * 0.01);
        for (const double stride : {0.5, 0.25, 0.125}) {
            const DetailNoise::Value most = noise.deviationBound(stride);
            double p = 0, r = 0;
            for (int n = 0; n < 600; ++n) {
                const double u = std::floor(random.range(10, 1000) / stride) * stride;
                const double v = std::floor(random.range(10, 1000) / stride) * stride;
                const double fx = random.unit(), fz = random.range(0, 1 - fx);
                for (const bool ridge : {false, true}) {
                    const auto residual = [&](double a, double b) {
                        const DetailNoise::Value at = noise.at(a, b);
                        return (ridge ? at.ridged : at.plain) - interpolated(noise, a, b, ridge);
                    };
                    const double drawn = residual(u, v) * (1 - fx - fz) + residual(u + stride, v) * fx +
                                         residual(u, v + stride) * fz;
                    const double off = std::abs(residual(u + fx * stride, v + fz * stride) - drawn);
                    (ridge ? r : p) = std::max(ridge ? r : p, off);
                }
            }
            EXPECT_LE(p, most.plain);
            EXPECT_LE(r, most.ridged);
        }
    }
}

TEST(DetailNoise, H25_CatmullRomIsExactAtSixteenths) {
    for (int i = 0; i <= 16; ++i) {
        const CatmullRom w = catmullRomAt(i), mirror = catmullRomAt(16 - i);
        EXPECT_EQ(w.value[0] + w.value[1] + w.value[2] + w.value[3], 1);
        EXPECT_EQ(w.slope[0] + w.slope[1] + w.slope[2] + w.slope[3], 0);
        // Linear functions come back exactly.
        EXPECT_EQ(weighted(w.value, -1, 0, 1, 2), i / 16.0);
        EXPECT_EQ(weighted(w.slope, -1, 0, 1, 2), 1);
        for (int k = 0; k < 4; ++k) {
            EXPECT_EQ(w.value[k], mirror.value[3 - k]);
            EXPECT_EQ(w.value[k] * 8192, std::floor(w.value[k] * 8192));
        }
    }
    EXPECT_EQ(weighted(catmullRomAt(0).value, 7, 8, 9, 10), 8);
    EXPECT_EQ(weighted(catmullRomAt(16).value, 7, 8, 9, 10), 9);
}

TEST(DetailNoise, H25_GoldenBits) {
    Hasher hash;
    for (const std::uint64_t seed : {0u, 1u, 77u}) {
        const DetailNoise noise(seed, 2.75, 5, 0.55);
        for (int i = -40; i < 400; ++i) {
            const DetailNoise::Value v = noise.at(i * 0.0625, i * 13.0625 - 7);
            hash.f64(v.plain).f64(v.ridged);
        }
    }
    EXPECT_EQ(hash.value(), 0x811c7c2ff896c2a8u);
}

}  // namespace
