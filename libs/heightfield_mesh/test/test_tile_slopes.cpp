#include <gtest/gtest.h>
#include <karst/heightfield_mesh/tile_slopes.h>

#include <cmath>
#include <limits>

#include "drawn_tiles.h"

namespace karst::heightfield {
namespace {

double fromHalf(std::uint32_t bits) {
    const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10 & 31u), fraction = static_cast<int>(bits & 1023u);
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(TileSlopes, HalvesAreTheNearestNumbers) {
    for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
        if ((bits >> 10 & 31u) == 31u) continue;  // infinities and NaN
        EXPECT_EQ(toHalf(static_cast<float>(fromHalf(bits))), bits);
    }
    // Ties go to the even neighbour, all else to the nearer one.
    for (std::uint32_t bits = 0; bits < 0x7bffu; ++bits) {
        const double low = fromHalf(bits), high = fromHalf(bits + 1), middle = (low + high) / 2;
        ASSERT_EQ(toHalf(static_cast<float>(middle)), bits + (bits & 1u)) << middle;
        ASSERT_EQ(toHalf(static_cast<float>(low + 0.49 * (high - low))), bits);
        ASSERT_EQ(toHalf(static_cast<float>(low + 0.51 * (high - low))), bits + 1);
    }
    EXPECT_EQ(fromHalf(toHalf(1e30f)), 65504.0);
    EXPECT_EQ(fromHalf(toHalf(-std::numeric_limits<float>::infinity())), -65504.0);
    EXPECT_EQ(toHalf(std::numeric_limits<float>::quiet_NaN()), 0u);
}

struct Written {
    TileSlopeShape shape;
    std::vector<std::uint32_t> words;

    Written(const DrawnTiles& drawn, std::size_t n)
        : shape(tileSlopeShape(drawn.shape)), words(shape.size(), ~0u) {
        writeTileSlopes(shape, drawn.shape, drawn.layers[n], drawn.nodes[n].key.level, words);
    }
    std::uint32_t at(std::uint32_t n, std::uint32_t i, std::uint32_t j) const {
        return words[std::size_t{shape.row(n) + (j >> n)} * shape.width + shape.column(n) + (i >> n)];
    }
};

TEST(TileSlopes, HX4_EveryLatticePointHasItsCentralDifference) {
    test::Random random(20261201);
    for (int round = 0; round < 30; ++round) {
        const DrawnTiles drawn(random);
        const int cells = static_cast<int>(drawn.shape.cells);
        for (std::size_t t = 0; t < std::min<std::size_t>(drawn.nodes.size(), 6); ++t) {
            const Written written(drawn, t);
            const std::vector<float>& layer = drawn.layers[t];
            // A sample by the layer's own description: inside, in the apron, or in the rings.
            const auto sample = [&](int i, int j, int n, TileSide side, int place) {
                const bool inside = i >= 0 && j >= 0 && i <= cells && j <= cells;
                if (inside || n == 0)
                    return layer[static_cast<std::size_t>(j + 1) * drawn.shape.width +
                                 static_cast<std::size_t>(i + 1)];
                return layer[std::size_t{drawn.shape.ringRow + side} * drawn.shape.width +
                             drawn.shape.ringColumn(static_cast<std::uint32_t>(n)) +
                             static_cast<std::size_t>(place >> n)];
            };
            for (int n = 0; n <= static_cast<int>(drawn.shape.levels); ++n) {
                const int s = 1 << n;
                for (int j = 0; j <= cells; j += s) {
                    for (int i = 0; i <= cells; i += s) {
                        const double perCell = std::ldexp(1.0, -(drawn.nodes[t].key.level + n + 1));
                        const double x = (double{sample(i + s, j, n, kSideHighX, j)} -
                                          double{sample(i - s, j, n, kSideLowX, j)}) *
                                         perCell;
                        const double z = (double{sample(i, j + s, n, kSideHighZ, i)} -
                                          double{sample(i, j - s, n, kSideLowZ, i)}) *
                                         perCell;
                        const std::uint32_t word =
                            written.at(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(i),
                                       static_cast<std::uint32_t>(j));
                        ASSERT_NEAR(fromHalf(word & 0xffffu), x, std::abs(x) * 0x1p-10 + 1e-6);
                        ASSERT_NEAR(fromHalf(word >> 16), z, std::abs(z) * 0x1p-10 + 1e-6);
                    }
                }
            }
        }
    }
}

TEST(TileSlopes, HX4_NeighboursOfALevelHaveTheSameBitsAlongTheirBorder) {
    test::Random random(77);
    int compared = 0;
    for (int round = 0; round < 60; ++round) {
        const DrawnTiles drawn(random);
        const std::uint32_t cells = drawn.shape.cells;
        for (std::size_t a = 0; a < drawn.nodes.size(); ++a) {
            for (std::size_t b = 0; b < drawn.nodes.size() && drawn.nodes.size() < 80; ++b) {
                const TileKey &at = drawn.nodes[a].key, &other = drawn.nodes[b].key;
                const bool besideX = other.x == at.x + 1 && other.z == at.z;
                const bool besideZ = other.z == at.z + 1 && other.x == at.x;
                if (at.level != other.level || (!besideX && !besideZ)) continue;
                const Written low(drawn, a), high(drawn, b);
                for (std::uint32_t n = 0; n <= drawn.shape.levels; ++n) {
                    const std::uint32_t s = 1u << n;
                    for (std::uint32_t place = s; place + s <= cells; place += s, ++compared) {
                        if (besideX)
                            ASSERT_EQ(low.at(n, cells, place), high.at(n, 0, place));
                        else
                            ASSERT_EQ(low.at(n, place, cells), high.at(n, place, 0));
                    }
                }
            }
        }
    }
    EXPECT_GT(compared, 1000);
}

TEST(TileSlopes, LatticesDoNotOverlapAndFit) {
    for (std::uint32_t levels = 1; levels <= 8; ++levels) {
        TileLayout layout;
        layout.tileCells = 1u << levels;
        const TileSlopeShape shape = tileSlopeShape(tileLayerShape(layout));
        std::vector<int> used(shape.size());
        for (std::uint32_t n = 0; n <= levels; ++n) {
            for (std::uint32_t j = 0; j <= shape.cells >> n; ++j) {
                for (std::uint32_t i = 0; i <= shape.cells >> n; ++i) {
                    ASSERT_LT(shape.column(n) + i, shape.width);
                    ASSERT_LT(shape.row(n) + j, shape.height);
                    ASSERT_EQ(used[std::size_t{shape.row(n) + j} * shape.width + shape.column(n) + i]++, 0);
                }
            }
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
