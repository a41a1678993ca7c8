#include <karst/heightfield_mesh/tile_record.h>

#include <gtest/gtest.h>

#include "drawn_tiles.h"

namespace karst::heightfield {
namespace {

TEST(TileRecord, H19_HoldsTheNodeRelativeToTheTilesLevel) {
    test::Random random(91);
    for (int round = 0; round < 60; ++round) {
        const DrawnTiles drawn(random);
        const TileLayout& layout = drawn.pyramid.layout;
        CornerReconciler reconciler;
        const std::span<const NodeCorners> corners = reconciler.reconcile(layout, drawn.nodes);
        const Vec3d anchor = anchorPosition(layout, drawn.anchor);
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const TileNode& node = drawn.nodes[n];
            const TileRecord& record = drawn.records[n];
            ASSERT_EQ(record.layer(), n);
            ASSERT_EQ(record.level(), node.key.level);
            ASSERT_EQ(record.tileLevels(), layout.tileLevels());
            ASSERT_EQ(record.detail + static_cast<float>(node.key.level), node.detail);
            for (int side = 0; side < 4; ++side) {
                ASSERT_EQ(record.edges[side] + static_cast<float>(node.key.level), node.edges[side]);
                ASSERT_GE(record.edges[side], record.detail);
            }
            for (std::uint32_t corner = 0; corner < 4; ++corner) {
                const double detail = std::max(double{corners[n].detail[corner]}, double(node.key.level));
                ASSERT_EQ(record.cornerDetail(corner) + node.key.level, detail);
            }
            const Rect footprint = layout.footprint(node.key);
            ASSERT_NEAR(anchor.x + record.x / 16.0 * layout.spacingX, footprint.minX, 1e-9);
            ASSERT_NEAR(anchor.z + record.z / 16.0 * layout.spacingZ, footprint.minZ, 1e-9);
            const HeightTile& tile = drawn.tileOf(n);
            if (node.detail == std::floor(node.detail)) {
                ASSERT_EQ(record.error,
                          static_cast<float>(tile.errorAt(static_cast<std::int32_t>(node.detail))));
            }
        }
    }
}

TEST(TileRecord, HX3_TheAnchorStandsByTheEye) {
    TileLayout layout;
    layout.tileCells = 64;
    layout.storedLevels = 10;
    layout.originX = 1e6;
    layout.spacingX = 2;
    layout.samplesX = layout.samplesZ = 64 * 512 + 1;
    const Vec3d eye{1e6 + 1234.567, 77.123, 4321.987};
    const Vec3d anchor = anchorPosition(layout, tileAnchor(layout, eye));
    EXPECT_LE(std::abs(anchor.x - eye.x), 0.5 * layout.spacingX / 16);
    EXPECT_LE(std::abs(anchor.z - eye.z), 0.5 * layout.spacingZ / 16);
    EXPECT_NEAR(anchor.y, eye.y, 1e-5);
    // Outside of the pyramid, its nearest place.
    const Vec3d outside = anchorPosition(layout, tileAnchor(layout, {0, 10, 1e9}));
    EXPECT_EQ(outside.x, 1e6);
    EXPECT_EQ(outside.z, 64.0 * 512);
}

TEST(TileRecord, H17_TheCoarsestDetailHasAtMostTheError) {
    test::Random random(92);
    for (int round = 0; round < 200; ++round) {
        HeightTile tile;
        tile.key.level = tile.firstErrorLevel = random.integer(-2, 3);
        const int levels = random.integer(1, 7);
        double error = random.chance(0.5) ? 0 : random.unit();
        for (int i = 0; i <= levels; ++i) {
            tile.errors.push_back(error);
            if (random.chance(0.7)) error += random.unit();
        }
        const double allowed = random.range(-0.1, 4);
        const float detail = coarsestDetail(tile, static_cast<std::uint32_t>(levels), allowed);
        const auto low = static_cast<float>(tile.key.level),
                   high = static_cast<float>(tile.key.level + levels);
        ASSERT_GE(detail, low);
        ASSERT_LE(detail, high);
        if (tile.errors.front() > allowed) {
            ASSERT_EQ(detail, low);
        } else {
            ASSERT_LE(tileErrorAt(tile, double{detail}), allowed + 1e-6);
            if (detail < high) {
                ASSERT_GT(tileErrorAt(tile, double{detail} + 1e-3), allowed - 1e-6);
            }
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
