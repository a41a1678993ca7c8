#include <karst/heightfield_mesh/tile_layer.h>

#include <gtest/gtest.h>

#include <optional>

#include "drawn_tiles.h"

namespace karst::heightfield {
namespace {

struct Place {
    std::int64_t x = 0, z = 0;  // in cells of the tile's level, from the pyramid's corner
};

Place beside(const TileKey& key, std::int64_t cells, std::uint32_t side, std::int64_t t, std::int64_t away) {
    const std::int64_t x = key.x * cells, z = key.z * cells;
    switch (side) {
        case kSideLowX:
            return {x - away, z + t};
        case kSideHighX:
            return {x + cells + away, z + t};
        case kSideLowZ:
            return {x + t, z - away};
        default:
            return {x + t, z + cells + away};
    }
}

// The sample at a place from any resident tile of the levels low .. high that has it, by looking at them all.
std::optional<float> anyTilesSample(const Surface& surface, std::int32_t unit, Place place,
                                    std::int32_t high) {
    const std::int64_t cells = surface.layout().tileCells;
    for (const TilePtr& tile : surface.tiles()) {
        const std::int32_t up = tile->key.level - unit;
        if (up < 0 || tile->key.level > high) continue;
        const std::int64_t step = std::int64_t{1} << up;
        if (place.x % step != 0 || place.z % step != 0) continue;
        const std::int64_t i = place.x / step - tile->key.x * cells, j = place.z / step - tile->key.z * cells;
        if (i < 0 || j < 0 || i > cells || j > cells) continue;
        return tile->sample(static_cast<int>(i), static_cast<int>(j));
    }
    return std::nullopt;
}

TEST(TileLayer, H20_RingsHoldTheLatticeOneStrideBeyondEverySide) {
    test::Random random(71);
    std::size_t shared = 0, continued = 0, coarser = 0;
    for (int round = 0; round < 60; ++round) {
        const DrawnTiles drawn(random);
        const TileLayout& layout = drawn.pyramid.layout;
        const std::int64_t cells = layout.tileCells;
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const HeightTile& tile = drawn.tileOf(n);
            const std::vector<float>& layer = drawn.layers[n];
            for (int j = 0; j <= cells; ++j) {
                for (int i = 0; i <= cells; ++i)
                    ASSERT_EQ(layer[static_cast<std::size_t>(j + 1) * drawn.shape.width + i + 1],
                              tile.sample(i, j));
            }
            for (std::uint32_t side = 0; side < 4; ++side) {
                for (std::uint32_t level = 0; level <= drawn.shape.levels; ++level) {
                    const std::int64_t stride = std::int64_t{1} << level;
                    for (std::int64_t t = 0; t <= cells; t += stride) {
                        const Place at = beside(tile.key, cells, side, t, stride);
                        const auto expected =
                            anyTilesSample(drawn.surface, tile.key.level, at,
                                           tile.key.level + static_cast<std::int32_t>(level));
                        const auto edge = anyTilesSample(drawn.surface, tile.key.level,
                                                         beside(tile.key, cells, side, t, 0), tile.key.level);
                        const auto inside =
                            anyTilesSample(drawn.surface, tile.key.level,
                                           beside(tile.key, cells, side, t, -stride), tile.key.level);
                        float found = 0;
                        if (level == 0) {
                            const std::int64_t i = at.x - tile.key.x * cells, j = at.z - tile.key.z * cells;
                            found = layer[static_cast<std::size_t>((j + 1) * drawn.shape.width + i + 1)];
                            // The apron may know ground of a tile that is not resident.
                            if (!expected && found != 2 * *edge - *inside) {
                                ASSERT_EQ(found, tile.sample(static_cast<int>(i), static_cast<int>(j)));
                                continue;
                            }
                        } else {
                            found =
                                layer[(drawn.shape.ringRow + side) * drawn.shape.width +
                                      drawn.shape.ringColumn(level) + static_cast<std::size_t>(t / stride)];
                        }
                        shared += expected.has_value();
                        continued += !expected.has_value();
                        coarser +=
                            expected && !anyTilesSample(drawn.surface, tile.key.level, at, tile.key.level);
                        ASSERT_EQ(found, expected ? *expected : 2 * *edge - *inside)
                            << "level " << tile.key.level << " side " << side << " stride " << stride;
                    }
                }
            }
        }
    }
    EXPECT_GT(shared, 10000u);
    EXPECT_GT(continued, 1000u);
    EXPECT_GT(coarser, 300u);
}

TEST(TileLayer, H20_AStampChangesExactlyWithWhatTheLayerReads) {
    test::Random random(72);
    std::size_t changed = 0, kept = 0;
    for (int round = 0; round < 40; ++round) {
        const DrawnTiles drawn(random);
        // One tile gets another revision and other heights, or is taken away, or comes.
        std::vector<TilePtr> tiles(drawn.surface.tiles().begin(), drawn.surface.tiles().end());
        const auto which = static_cast<std::size_t>(random.integer(0, static_cast<int>(tiles.size()) - 1));
        const TileKey key = tiles[which]->key;
        if (random.chance(0.5) || drawn.pyramid.isRoot(key)) {
            auto other = std::make_shared<HeightTile>(*tiles[which]);
            ++other->revision;
            for (float& sample : other->samples)
                sample += 1000;
            tiles[which] = other;
        } else {
            tiles.erase(tiles.begin() + static_cast<std::ptrdiff_t>(which));
        }
        const Surface after = *Surface::fromTiles(drawn.pyramid.layout, tiles);
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const HeightTile* tile = after.find(drawn.nodes[n].key);
            if (tile == nullptr) continue;
            const LayerSources sources = layerSources(after, tile->key);
            std::vector<float> layer(drawn.shape.size());
            writeTileLayer(drawn.pyramid.layout, drawn.shape, *tile, sources, layer);
            const bool same = layerStamp(*tile, sources) ==
                              layerStamp(drawn.tileOf(n), layerSources(drawn.surface, tile->key));
            if (same) {
                ASSERT_EQ(layer, drawn.layers[n]);
            }
            changed += layer != drawn.layers[n];
            kept += same;
        }
    }
    EXPECT_GT(changed, 20u);
    EXPECT_GT(kept, 100u);
}

TEST(TileLayer, HX2_TheMaskHoldsHolesAndPadding) {
    test::Random random(73);
    std::size_t gaps = 0;
    for (int round = 0; round < 60; ++round) {
        DrawnTiles drawn(random);
        const TileLayout& layout = drawn.pyramid.layout;
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            HeightTile tile = drawn.tileOf(n);
            const bool holed = random.chance(0.5);
            if (holed) {
                tile.holes.assign((std::size_t{layout.tileCells} * layout.tileCells + 63) / 64, 0);
                for (std::uint64_t& word : tile.holes)
                    word = random.next() & random.next();
            }
            writeTileLayer(layout, drawn.shape, tile, layerSources(drawn.surface, tile.key), drawn.layers[n]);
            const TileRecord record = makeTileRecord(layout, tile, drawn.nodes[n], {}, drawn.anchor, 0);
            const TileVertexStage stage(drawn.shape, drawn.layers[n], record);
            const std::uint32_t stride = stage.stride();
            for (std::uint32_t j = 0; j < layout.tileCells; j += stride) {
                for (std::uint32_t i = 0; i < layout.tileCells; i += stride) {
                    const std::uint32_t ci = i + stride / 2, cj = j + stride / 2;
                    const double scale = std::ldexp(1.0, tile.key.level);
                    const bool padding =
                        (tile.key.x * static_cast<double>(layout.tileCells) + ci + 0.5) * scale >=
                            layout.samplesX - 1.0 ||
                        (tile.key.z * static_cast<double>(layout.tileCells) + cj + 0.5) * scale >=
                            layout.samplesZ - 1.0;
                    const bool ground = !padding && !tile.isHole(static_cast<int>(ci), static_cast<int>(cj));
                    gaps += !ground;
                    ASSERT_EQ(stage.isGround(i, j), ground);
                }
            }
        }
    }
    EXPECT_GT(gaps, 1000u);
}

}  // namespace
}  // namespace karst::heightfield
