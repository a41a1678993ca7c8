#include <karst/heightfield_mesh/tile_vertex.h>

#include <gtest/gtest.h>

#include <map>

#include "drawn_tiles.h"

namespace karst::heightfield {
namespace {

// A point on the ground in quarter cells of the pyramid's finest level.
using Point = std::pair<std::int64_t, std::int64_t>;

struct Seen {
    TileVertex vertex;
    std::size_t node = 0;
};

TEST(TileVertex, H16_TheHeightIsSampleNodeHeight) {
    test::Random random(81);
    std::size_t vertices = 0;
    for (int round = 0; round < 60; ++round) {
        const DrawnTiles drawn(random);
        const TileLayout& layout = drawn.pyramid.layout;
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const TileVertexStage stage = drawn.stage(n);
            for (std::uint32_t j = 0; j <= layout.tileCells; j += stage.stride()) {
                for (std::uint32_t i = 0; i <= layout.tileCells; i += stage.stride(), ++vertices) {
                    ASSERT_NEAR(stage.vertex(i, j).height,
                                sampleNodeHeight(drawn.tileOf(n), layout, drawn.nodes[n], i, j), 1e-9);
                }
            }
        }
    }
    EXPECT_GT(vertices, 20000u);
}

TEST(TileVertex, H21_TheNormalAgreesAcrossTileAndLevelSeams) {
    test::Random random(82);
    std::size_t shared = 0, levels = 0, corners = 0;
    for (int round = 0; round < 120; ++round) {
        const DrawnTiles drawn(random, 4);
        const TileLayout& layout = drawn.pyramid.layout;
        const std::int32_t finest = drawn.pyramid.finestLevel();
        std::map<Point, Seen> points;
        double steepest = 1;
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const TileVertexStage stage = drawn.stage(n);
            const TileKey key = drawn.nodes[n].key;
            const std::int64_t cell = std::int64_t{4} << (key.level - finest);  // in quarter cells
            const std::int64_t span = cell * layout.tileCells;
            for (std::uint32_t s = 0; s < 4; ++s) {
                const auto side = static_cast<TileSide>(s);
                for (std::int64_t t = 0; t <= span; ++t) {
                    const TileVertex vertex =
                        stage.edge(side, static_cast<double>(t) / static_cast<double>(cell));
                    Point point{key.x * span, key.z * span};
                    (side <= kSideHighX ? point.second : point.first) += t;
                    if (side == kSideHighX) point.first += span;
                    if (side == kSideHighZ) point.second += span;
                    steepest = std::max({steepest, std::abs(vertex.gradientX), std::abs(vertex.gradientZ)});
                    const auto [found, isNew] = points.insert({point, {vertex, n}});
                    if (isNew) continue;
                    const TileVertex& other = found->second.vertex;
                    ++shared;
                    levels += drawn.nodes[found->second.node].key.level != key.level;
                    corners += t == 0 || t == span;
                    ASSERT_NEAR(other.height, vertex.height, 1e-9 * steepest);
                    ASSERT_NEAR(other.gradientX, vertex.gradientX, 1e-9 * steepest)
                        << "side " << s << " of tile " << key.level << "/" << key.x << "-" << key.z;
                    ASSERT_NEAR(other.gradientZ, vertex.gradientZ, 1e-9 * steepest);
                }
            }
            // Vertices on a side are on its edge, whichever of its sides a corner is taken for.
            for (std::uint32_t t = 0; t <= layout.tileCells; t += stage.stride()) {
                const TileVertex low = stage.vertex(0, t), high = stage.vertex(t, layout.tileCells);
                ASSERT_NEAR(low.gradientX, stage.edge(kSideLowX, t).gradientX, 1e-9 * steepest);
                ASSERT_NEAR(low.gradientZ, stage.edge(kSideLowX, t).gradientZ, 1e-9 * steepest);
                ASSERT_NEAR(high.gradientX, stage.edge(kSideHighZ, t).gradientX, 1e-9 * steepest);
                ASSERT_NEAR(high.gradientZ, stage.edge(kSideHighZ, t).gradientZ, 1e-9 * steepest);
            }
        }
    }
    EXPECT_GT(shared, 100000u);
    EXPECT_GT(levels, 10000u);
    EXPECT_GT(corners, 3000u);
}

TEST(TileVertex, H21_TheNormalIsTheCentralDifferenceAtTheStrideDrawn) {
    test::Random random(83);
    std::size_t checked = 0;
    for (int round = 0; round < 60; ++round) {
        const DrawnTiles drawn(random, 4);
        const TileLayout& layout = drawn.pyramid.layout;
        const std::int32_t finest = drawn.pyramid.finestLevel();
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const TileVertexStage stage = drawn.stage(n);
            const TileNode& node = drawn.nodes[n];
            const auto level = static_cast<std::int32_t>(std::floor(node.detail));
            const double fraction = double{node.detail} - level;
            const int cell = 1 << (node.key.level - finest), cells = static_cast<int>(layout.tileCells);
            const auto central = [&](int i, int j, std::int32_t at) {
                const int x = (static_cast<int>(node.key.x) * cells + i) * cell,
                          z = (static_cast<int>(node.key.z) * cells + j) * cell, s = 1 << (at - finest);
                const auto& ground = drawn.pyramid;
                return Vec2f{static_cast<float>((ground.fine(x + s, z) - ground.fine(x - s, z)) /
                                                (2 * std::ldexp(1.0, at))),
                             static_cast<float>((ground.fine(x, z + s) - ground.fine(x, z - s)) /
                                                (2 * std::ldexp(1.0, at)))};
            };
            // Inside, on the coarser lattice, away from the sides.
            const int coarse = 2 * static_cast<int>(stage.stride());
            for (int j = coarse; j + coarse <= cells; j += coarse) {
                for (int i = coarse; i + coarse <= cells; i += coarse) {
                    if (i + coarse > cells || j + coarse > cells) continue;
                    const Vec2f fine = central(i, j, level), next = central(i, j, level + 1);
                    const TileVertex vertex =
                        stage.vertex(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
                    ++checked;
                    ASSERT_NEAR(vertex.gradientX,
                                double{fine.x} + fraction * (double{next.x} - double{fine.x}), 1e-4);
                    ASSERT_NEAR(vertex.gradientZ,
                                double{fine.y} + fraction * (double{next.y} - double{fine.y}), 1e-4);
                }
            }
        }
    }
    EXPECT_GT(checked, 500u);
}

// As a tile's detail comes to the next level, what it shades comes to what it shades there: at vertices of
// the coarser lattice the same gradient, at those between them the middle.
TEST(TileVertex, H21_TheNormalMovesAsTheTileMorphs) {
    test::Random random(84);
    for (int round = 0; round < 40; ++round) {
        PyramidShape form = randomShape(random, 8);
        form.levels = 1;
        const RandomPyramid pyramid(form, random);
        const TileLayout& layout = pyramid.layout;
        const TileLayerShape shape = tileLayerShape(layout);
        const int top = static_cast<int>(layout.tileLevels());
        for (int level = 1; level < top; ++level) {
            std::vector<TileNode> before, after;
            for (const auto& [key, tile] : pyramid.tiles) {
                if (key.level != 0) continue;
                const auto at = static_cast<float>(level);
                after.push_back({key, at, {at, at, at, at}});
                const float almost = at - 0x1p-16f;
                before.push_back({key, almost, {almost, almost, almost, almost}});
            }
            CornerReconciler reconciler;
            const auto cornersBefore = reconciler.reconcile(layout, before);
            const std::vector<NodeCorners> keptBefore(cornersBefore.begin(), cornersBefore.end());
            const auto cornersAfter = reconciler.reconcile(layout, after);
            for (std::size_t n = 0; n < after.size(); ++n) {
                const HeightTile& tile = *pyramid.tiles.at(after[n].key);
                std::vector<float> layer(shape.size());
                writeTileLayer(layout, shape, tile, layerSources(pyramid.surface, tile.key), layer);
                const TileRecord low = makeTileRecord(layout, tile, before[n], keptBefore[n], {}, 0);
                const TileRecord high = makeTileRecord(layout, tile, after[n], cornersAfter[n], {}, 0);
                const TileVertexStage fine(shape, layer, low), coarse(shape, layer, high);
                const std::uint32_t s = fine.stride(), c = coarse.stride();
                ASSERT_EQ(c, 2 * s);
                for (std::uint32_t j = 0; j <= layout.tileCells; j += s) {
                    for (std::uint32_t i = 0; i <= layout.tileCells; i += s) {
                        const std::uint32_t di = i % c, dj = j % c;
                        const TileVertex is = fine.vertex(i, j);
                        const TileVertex a = coarse.vertex(i + di, j - dj), b = coarse.vertex(i - di, j + dj);
                        const double scale = 1e-3 * pyramid.largestError() + 1e-3;
                        ASSERT_NEAR(is.gradientX, 0.5 * (a.gradientX + b.gradientX), scale);
                        ASSERT_NEAR(is.gradientZ, 0.5 * (a.gradientZ + b.gradientZ), scale);
                        ASSERT_NEAR(is.height, 0.5 * (a.height + b.height), scale);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
