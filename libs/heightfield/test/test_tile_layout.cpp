#include <gtest/gtest.h>
#include <karst/heightfield/tile_layout.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::heightfield {
namespace {

TileLayout randomLayout(test::Random& random) {
    const auto samplesX = static_cast<std::uint32_t>(random.integer(2, 5000));
    const auto samplesZ = static_cast<std::uint32_t>(random.integer(2, 5000));
    const auto cells = 1u << random.integer(1, 7);
    const double spacing = std::pow(10, random.range(-2, 3));
    Result<TileLayout> layout =
        makeTileLayout(samplesX, samplesZ, cells, 0, spacing, spacing * random.range(0.5, 2), {-100, 2000});
    EXPECT_TRUE(layout.ok()) << (layout.ok() ? "" : layout.error().message);
    layout->originX = random.range(-1e6, 1e6);
    layout->originZ = random.range(-1e6, 1e6);
    return *layout;
}

TEST(TileLayout, H3_ATileSpansItsCellsAtEachLevel) {
    test::Random random(1);
    for (int round = 0; round < 300; ++round) {
        const TileLayout layout = randomLayout(random);
        ASSERT_TRUE(validate(layout).ok());
        for (std::int32_t level = -2; level <= layout.rootLevel(); ++level) {
            const double stride = std::ldexp(1.0, level);
            ASSERT_EQ(layout.strideX(level), layout.spacingX * stride);
            ASSERT_EQ(layout.tileSizeX(level), layout.tileCells * stride * layout.spacingX);
            ASSERT_EQ(layout.tileSizeZ(level), layout.tileCells * stride * layout.spacingZ);
            ASSERT_EQ(static_cast<double>(layout.tilesX(level)) * layout.tileCells * stride,
                      static_cast<double>(layout.cellsX()));
            const auto x =
                static_cast<std::uint32_t>(random.integer(0, static_cast<int>(layout.tilesX(level)) - 1));
            const auto z =
                static_cast<std::uint32_t>(random.integer(0, static_cast<int>(layout.tilesZ(level)) - 1));
            const TileKey key{level, x, z};
            const Rect f = layout.footprint(key);
            ASSERT_EQ(f.minX, layout.originX + x * (layout.tileCells * stride) * layout.spacingX);
            // Neighbours and children share their borders bit for bit.
            ASSERT_EQ(f.maxX, layout.footprint({level, x + 1, z}).minX);
            ASSERT_EQ(f.maxZ, layout.footprint({level, x, z + 1}).minZ);
            ASSERT_EQ(f.minX, layout.footprint(key.child(0)).minX);
            ASSERT_EQ(f.maxZ, layout.footprint(key.child(3)).maxZ);
            ASSERT_EQ(layout.footprint(key.child(0)).maxX, layout.footprint(key.child(1)).minX);
            ASSERT_EQ(key.child(2).parent(), key);
        }
    }
}

TEST(TileLayout, H3_TheTilesWithGroundAreThoseThatReachItsCells) {
    test::Random random(2);
    for (int round = 0; round < 300; ++round) {
        const TileLayout layout = randomLayout(random);
        for (int k = 0; k < 30; ++k) {
            const std::int32_t level = random.integer(-2, layout.rootLevel());
            const TileKey key{
                level, static_cast<std::uint32_t>(random.integer(0, static_cast<int>(layout.tilesX(level)))),
                static_cast<std::uint32_t>(random.integer(0, static_cast<int>(layout.tilesZ(level))))};
            const double span = std::ldexp(static_cast<double>(layout.tileCells), level);
            const bool inside = key.x < layout.tilesX(level) && key.z < layout.tilesZ(level);
            const bool ground = key.x * span < layout.samplesX - 1.0 && key.z * span < layout.samplesZ - 1.0;
            ASSERT_EQ(layout.contains(key), inside && ground);
        }
        ASSERT_TRUE(layout.contains({layout.rootLevel(), 0, 0}));
        ASSERT_FALSE(layout.contains({layout.rootLevel() + 1, 0, 0}));
        ASSERT_FALSE(layout.contains({-5, 0, 0}));
    }
}

TEST(TileLayout, H6_TheDefaultHalvesDownToOneRootAlongTheShorterSide) {
    test::Random random(3);
    for (int round = 0; round < 1000; ++round) {
        const TileLayout layout = randomLayout(random);
        const std::uint32_t fewer = std::min(layout.rootsX, layout.rootsZ);
        ASSERT_EQ(fewer, 1u);
        // The roots cover the ground, and one level fewer would not make one root of the shorter side.
        ASSERT_GE(layout.cellsX(), layout.samplesX - 1u);
        ASSERT_GE(layout.cellsZ(), layout.samplesZ - 1u);
        const std::uint64_t root = std::uint64_t{layout.tileCells} << (layout.storedLevels - 1);
        ASSERT_LT(layout.cellsX() - root, layout.samplesX - 1u);
        ASSERT_LT(layout.cellsZ() - root, layout.samplesZ - 1u);
        if (layout.storedLevels > 1) {
            ASSERT_LT(root / 2, std::min(layout.samplesX, layout.samplesZ) - 1u);
        }
    }
}

TEST(TileLayout, H3_QuantisationKeepsTheNearestStep) {
    test::Random random(4);
    TileLayout layout = randomLayout(random);
    for (int round = 0; round < 20000; ++round) {
        const auto height = static_cast<float>(random.range(-100, 2000));
        ASSERT_NEAR(layout.dequantise(layout.quantise(height)), height,
                    layout.quantisationError() * 1.001 + 1e-4);
        const auto step = static_cast<std::uint16_t>(random.integer(0, 65535));
        ASSERT_EQ(layout.quantise(layout.dequantise(step)), step);
    }
    EXPECT_EQ(layout.quantise(-1e9f), 0);
    EXPECT_EQ(layout.quantise(1e9f), 65535);
    layout.quantisation = {7, 7};
    EXPECT_EQ(layout.dequantise(layout.quantise(7)), 7.0f);
}

TEST(TileLayout, H3_LayoutsOutOfRangeAreRefusedByName) {
    const TileLayout good = *makeTileLayout(1000, 700, 64, 0, 1, 1, {0, 100});
    const auto refused = [&](auto change, const char* part) {
        TileLayout layout = good;
        change(layout);
        const Result<void> valid = validate(layout);
        EXPECT_FALSE(valid.ok()) << part;
        if (!valid.ok()) {
            EXPECT_NE(valid.error().message.find(part), std::string::npos) << valid.error().message;
        }
    };
    refused([](TileLayout& l) { l.tileCells = 48; }, "tile_cells 48");
    refused([](TileLayout& l) { l.tileCells = 1; }, "tile_cells 1");
    refused([](TileLayout& l) { l.tileCells = 256; }, "tile_cells 256");
    refused([](TileLayout& l) { l.storedLevels = 0; }, "levels 0");
    refused([](TileLayout& l) { l.storedLevels = 21; }, "levels 21");
    refused([](TileLayout& l) { l.rootsX = 0; }, "roots 0");
    refused([](TileLayout& l) { l.rootsZ = 1u << 30; }, "roots");
    refused([](TileLayout& l) { l.originX = std::nan(""); }, "origin");
    refused([](TileLayout& l) { l.spacingZ = 0; }, "spacing");
    refused([](TileLayout& l) { l.spacingX = 1e307; }, "spacing");
    refused([](TileLayout& l) { l.quantisation = {5, 1}; }, "height range");
    refused([](TileLayout& l) { l.samplesX = 1; }, "1 x 700 samples");
    refused([](TileLayout& l) { l.samplesZ = 5000000; }, "samples");
}

}  // namespace
}  // namespace karst::heightfield
