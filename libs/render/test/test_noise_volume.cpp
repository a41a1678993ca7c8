#include <gtest/gtest.h>

#include <cmath>

#include "noise_volume.h"

namespace karst::render {
namespace {

std::size_t startOf(std::uint32_t level) {
    std::size_t texels = 0;
    for (std::uint32_t n = 0; n < level; ++n)
        texels += noiseLevelTexels(n);
    return texels * 4;
}

double at(std::uint32_t level, int x, int y, int z, int channel) {
    const int side = static_cast<int>(kNoiseSide >> level), mask = side - 1;
    const std::size_t texel = static_cast<std::size_t>(((z & mask) * side + (y & mask)) * side + (x & mask));
    const double scale = static_cast<double>(channel == 0 ? kNoiseValueScale : kNoiseGradientScale);
    return noiseVolume()[startOf(level) + texel * 4 + static_cast<std::size_t>(channel)] / 127.0 * scale;
}

double meanSquare(std::uint32_t level, int channel) {
    const int side = static_cast<int>(kNoiseSide >> level);
    double sum = 0;
    for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
                sum += at(level, x, y, z, channel) * at(level, x, y, z, channel);
    return sum / static_cast<double>(noiseLevelTexels(level));
}

TEST(NoiseVolume, LevelsAreMeansAndTheLastIsZero) {
    ASSERT_EQ(noiseVolume().size(), startOf(kNoiseLevels));
    for (int channel = 0; channel < 4; ++channel) {
        const double step = (channel == 0 ? kNoiseValueScale : kNoiseGradientScale) / 127.0;
        for (int i = 0; i < 300; ++i) {
            const int x = i * 7, y = i * 13, z = i * 29;
            double mean = 0;
            for (int corner = 0; corner < 8; ++corner)
                mean +=
                    at(0, 2 * x + (corner & 1), 2 * y + (corner >> 1 & 1), 2 * z + (corner >> 2), channel) /
                    8;
            // Few texels are so far out that their bytes hold them back.
            EXPECT_NEAR(at(1, x, y, z, channel), mean, 3 * step);
        }
        EXPECT_NEAR(at(kNoiseLevels - 1, 0, 0, 0, channel), 0, 2 * step);
    }
}

TEST(NoiseVolume, OctavesLeaveFromFineToCoarse) {
    // Each octave has about the same power; a level whose texels are as long as a wavelength has lost it.
    const double whole = meanSquare(0, 0);
    EXPECT_GT(whole, 0.3);
    EXPECT_LT(meanSquare(1, 0), 0.9 * whole);
    EXPECT_LT(meanSquare(2, 0), 0.65 * whole);
    EXPECT_GT(meanSquare(2, 0), 0.2 * whole);
    EXPECT_LT(meanSquare(4, 0), 0.1 * whole);
}

TEST(NoiseVolume, GradientsRiseWithTheValue) {
    // At level 2 the octaves of 8 and 16 texels are left: over a texel of 4, the value rises by about half a
    // wavelength's slope of the one and a quarter of the other's.
    double both = 0, gradients = 0, rises = 0;
    for (int z = 0; z < 16; ++z) {
        for (int y = 0; y < 16; ++y) {
            for (int x = 0; x < 16; ++x) {
                const double rise = at(2, x + 1, y, z, 0) - at(2, x - 1, y, z, 0);
                const double gradient = at(2, x, y, z, 1);
                both += rise * gradient;
                gradients += gradient * gradient;
                rises += rise * rise;
            }
        }
    }
    EXPECT_GT(both / std::sqrt(gradients * rises), 0.8);
    for (int channel = 2; channel < 4; ++channel) {
        double across = 0;
        for (int z = 0; z < 16; ++z)
            for (int y = 0; y < 16; ++y)
                for (int x = 0; x < 16; ++x)
                    across += (at(2, x + 1, y, z, 0) - at(2, x - 1, y, z, 0)) * at(2, x, y, z, channel);
        EXPECT_LT(std::abs(across) / both, 0.3) << "of another axis";
    }
}

TEST(NoiseVolume, RepeatsWithoutASeam) {
    double across = 0, inside = 0;
    for (int y = 0; y < 64; ++y) {
        for (int z = 0; z < 64; ++z) {
            across += std::abs(at(0, 63, y, z, 0) - at(0, 64, y, z, 0));
            inside += std::abs(at(0, 31, y, z, 0) - at(0, 32, y, z, 0));
        }
    }
    EXPECT_LT(across, 1.5 * inside);
    EXPECT_GT(across, 0.5 * inside);
}

}  // namespace
}  // namespace karst::render
