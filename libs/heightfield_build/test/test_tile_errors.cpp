#include <gtest/gtest.h>
#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield_build/tile_errors.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace karst::heightfield {
namespace {

std::vector<std::uint16_t> randomSamples(test::Random& random, std::uint32_t side) {
    std::vector<std::uint16_t> samples(std::size_t{side} * side);
    const int kind = random.integer(0, 3);
    const double a = random.range(-100, 100), b = random.range(-100, 100);
    for (std::uint32_t z = 0; z < side; ++z) {
        for (std::uint32_t x = 0; x < side; ++x) {
            double h = random.range(0, 65535);
            if (kind == 1) h = 30000 + a * x + b * z;                                  // a plane, rounded
            if (kind == 2) h = 30000 + 9000 * std::sin(x * 0.2) * std::cos(z * 0.13);  // hills
            if (kind == 3) h = 77;
            samples[z * side + x] = static_cast<std::uint16_t>(std::clamp(h, 0.0, 65535.0));
        }
    }
    return samples;
}

TEST(TileErrors, H5_StrideErrorsAreTheLargestDistanceToTheRealTriangles) {
    test::Random random(1);
    for (int round = 0; round < 150; ++round) {
        const std::uint32_t cells = 1u << random.integer(1, 7);
        const std::uint32_t pitch = cells + 1 + static_cast<std::uint32_t>(random.integer(0, 5));
        const std::vector<std::uint16_t> samples = randomSamples(random, pitch);
        double errors[8] = {};
        BlockErrors blocks;
        measureStrideErrors(samples.data(), pitch, cells, errors, blocks);
        std::size_t level = 0;
        double largest = 0;  // of the strides so far
        for (std::uint32_t s = 1; s <= cells; s *= 2, ++level) {
            for (std::uint32_t z = 0; z <= cells; ++z) {
                for (std::uint32_t x = 0; x <= cells; ++x) {
                    const std::uint32_t x0 = std::min(x / s * s, cells - s),
                                        z0 = std::min(z / s * s, cells - s);
                    const auto at = [&](std::uint32_t i, std::uint32_t j) {
                        return double(samples[j * pitch + i]);
                    };
                    const double coarse =
                        cellHeight<double>(at(x0, z0), at(x0 + s, z0), at(x0, z0 + s), at(x0 + s, z0 + s),
                                           double(x - x0) / s, double(z - z0) / s);
                    largest = std::max(largest, std::abs(coarse - at(x, z)));
                }
            }
            ASSERT_EQ(errors[level], largest) << "stride " << s << " of " << cells;
        }
    }
}

TEST(TileErrors, H5_SpanErrorsAreTheLargestDistanceToALargerTilesTriangles) {
    test::Random random(2);
    int looked = 0;
    for (int round = 0; round < 600; ++round) {
        const std::uint32_t cells = 1u << random.integer(1, 5);
        const std::vector<std::uint16_t> samples = randomSamples(random, cells + 1);
        double errors[8] = {};
        BlockErrors blockErrors;
        measureStrideErrors(samples.data(), cells + 1, cells, errors, blockErrors);
        const std::uint64_t blocks = std::uint64_t{1} << random.integer(1, 6);
        const std::uint64_t span = cells * blocks;
        const std::uint64_t x = cells * static_cast<std::uint64_t>(random.integer(0, int(blocks) - 1));
        const std::uint64_t z = cells * static_cast<std::uint64_t>(random.integer(0, int(blocks) - 1));
        TileCorners corners;
        for (std::uint16_t* h : {&corners.h00, &corners.h10, &corners.h01, &corners.h11}) {
            *h = static_cast<std::uint16_t>(random.chance(0.5) ? random.integer(29000, 31000)
                                                               : random.integer(0, 65535));
        }
        double largest = 0;
        for (std::uint32_t j = 0; j <= cells; ++j) {
            for (std::uint32_t i = 0; i <= cells; ++i) {
                const double plane =
                    cellHeight<double>(corners.h00, corners.h10, corners.h01, corners.h11,
                                       double(x + i) / double(span), double(z + j) / double(span));
                largest = std::max(largest, std::abs(plane - samples[j * (cells + 1) + i]));
            }
        }
        const double atLeast = random.chance(0.5) ? 0 : random.range(0, 70000);
        const double found = measureSpanError(samples.data(), cells + 1, cells, errors, blockErrors, corners,
                                              span, x, z, atLeast);
        ASSERT_NEAR(found, std::max(atLeast, largest), 0.02);
        looked += largest > atLeast ? 1 : 0;
    }
    EXPECT_GT(looked, 200);
}

}  // namespace
}  // namespace karst::heightfield
