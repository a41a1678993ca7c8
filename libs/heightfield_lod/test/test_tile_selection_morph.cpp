#include "random_pyramid.h"

#include <gtest/gtest.h>

namespace karst::heightfield {
namespace {

// What a renderer does with a node: vertices at a stride, in x and z where they stand, moved in height only,
// and two triangles a cell. Written from the definition alone.
class DrawnMesh {
  public:
    DrawnMesh(const HeightTile& tile, const TileLayout& layout, const TileNode& node)
        : m_tile(tile), m_cells(static_cast<int>(layout.tileCells)) {
        const double level = node.key.level;
        m_detail = double{node.detail} - level;
        for (int side = 0; side < 4; ++side)
            m_edges[side] = double{node.edges[side]} - level;
        m_stride = 1 << static_cast<int>(std::floor(m_detail));
        for (int j = 0; j <= m_cells; j += m_stride) {
            for (int i = 0; i <= m_cells; i += m_stride)
                m_vertices[{i, j}] = morphed(i, j);
        }
    }

    int stride() const { return m_stride; }

    double height(double u, double v) const {
        const int i = std::min(static_cast<int>(u / m_stride) * m_stride, m_cells - m_stride);
        const int j = std::min(static_cast<int>(v / m_stride) * m_stride, m_cells - m_stride);
        const double fx = (u - i) / m_stride, fz = (v - j) / m_stride;
        const double h10 = m_vertices.at({i + m_stride, j}), h01 = m_vertices.at({i, j + m_stride});
        // The diagonal runs from the corner along +X to the corner along +Z.
        if (fx + fz <= 1) {
            const double h00 = m_vertices.at({i, j});
            return h00 * (1 - fx - fz) + h10 * fx + h01 * fz;
        }
        const double h11 = m_vertices.at({i + m_stride, j + m_stride});
        return h11 * (fx + fz - 1) + h10 * (1 - fz) + h01 * (1 - fx);
    }

  private:
    static double mix(double a, double b, double t) { return a * (1 - t) + b * t; }

    // On a border: between the lines through every 2^level-th and 2^(level + 1)-th sample.
    double onEdge(int i, int j, double edge) const {
        const bool alongZ = i == 0 || i == m_cells;
        const int place = alongZ ? j : i;
        const auto line = [&](int step) {
            const int low = place / step * step, high = std::min(low + step, m_cells);
            if (low == high) return double{m_tile.sample(i, j)};
            const double a = double{alongZ ? m_tile.sample(i, low) : m_tile.sample(low, j)};
            const double b = double{alongZ ? m_tile.sample(i, high) : m_tile.sample(high, j)};
            return mix(a, b, double(place - low) / (high - low));
        };
        const int level = static_cast<int>(std::floor(edge));
        return mix(line(1 << level), line(2 << level), edge - level);
    }

    double unmorphed(int i, int j) const {
        if (i == 0) return onEdge(i, j, m_edges[kSideLowX]);
        if (i == m_cells) return onEdge(i, j, m_edges[kSideHighX]);
        if (j == 0) return onEdge(i, j, m_edges[kSideLowZ]);
        if (j == m_cells) return onEdge(i, j, m_edges[kSideHighZ]);
        return double{m_tile.sample(i, j)};
    }

    double morphed(int i, int j) const {
        const double own = unmorphed(i, j);
        const int coarse = m_stride * 2;
        if (i == 0 || j == 0 || i == m_cells || j == m_cells || coarse > m_cells) return own;
        // The height of the coarser lattice's triangle there.
        const int ci = i / coarse * coarse, cj = j / coarse * coarse;
        const double target =
            cellHeight(unmorphed(ci, cj), unmorphed(ci + coarse, cj), unmorphed(ci, cj + coarse),
                       unmorphed(ci + coarse, cj + coarse), double(i - ci) / coarse, double(j - cj) / coarse);
        return mix(own, target, m_detail - std::floor(m_detail));
    }

    const HeightTile& m_tile;
    int m_cells, m_stride = 1;
    double m_detail = 0, m_edges[4] = {};
    std::map<std::pair<int, int>, double> m_vertices;
};

TEST(TileMorph, H16_SampleNodeHeightIsWhatTheMeshDraws) {
    test::Random random(1);
    TileSelector selector;
    std::size_t points = 0, morphing = 0, bent = 0;
    for (int i = 0; i < 40; ++i) {
        const RandomPyramid pyramid(randomShape(random), random);
        for (int k = 0; k < 4; ++k) {
            const Surface surface = k < 2 ? pyramid.surface : pyramid.some(random, 0.7);
            Kept kept(selector.select(surface, pyramid.randomView(random),
                                      static_cast<std::uint32_t>(-pyramid.finestLevel())));
            if (k % 2 == 1) {
                std::vector<float> coarsest;
                for (const TileNode& node : kept.nodes)
                    coarsest.push_back(static_cast<float>(node.key.level + random.range(0, 4)));
                kept = Kept(selector.coarsen(coarsest));
            }
            for (const TileNode& node : kept.nodes) {
                const HeightTile& tile = *pyramid.tiles.at(node.key);
                const DrawnMesh mesh(tile, pyramid.layout, node);
                const double cells = pyramid.layout.tileCells;
                morphing += node.detail != std::floor(node.detail);
                bent += std::floor(node.edges[0]) > std::floor(node.detail);
                for (int n = 0; n < 20; ++n) {
                    double u = random.range(0, cells), v = random.range(0, cells);
                    if (n % 5 == 0) u = random.integer(0, 1) * cells;  // on a border
                    if (n % 5 == 1) v = random.integer(0, 1) * cells;
                    if (n % 5 == 2) u = std::floor(u / mesh.stride()) * mesh.stride();  // on a vertex row
                    ++points;
                    ASSERT_NEAR(sampleNodeHeight(tile, pyramid.layout, node, u, v), mesh.height(u, v), 1e-9);
                }
            }
        }
    }
    EXPECT_GT(points, 20000u);
    EXPECT_GT(morphing, 300u);
    EXPECT_GT(bent, 300u);
}

// At a whole level, with edges of the same level, exactly the lattice's triangles are drawn.
TEST(TileMorph, H16_WholeLevelsDrawTheLatticeItself) {
    test::Random random(2);
    PyramidShape shape;
    shape.tileCells = 8;
    shape.levels = 2;
    const RandomPyramid pyramid(shape, random);
    for (const auto& [key, tile] : pyramid.tiles) {
        for (int level = 0; level <= 3; ++level) {
            const float detail = static_cast<float>(key.level + level);
            const TileNode node{key, detail, {detail, detail, detail, detail}};
            const int step = 1 << level;
            for (int j = 0; j < 8; j += step) {
                for (int i = 0; i < 8; i += step) {
                    const double fx = random.unit(), fz = random.unit();
                    const double want = cellHeight<double>(
                        double{tile->sample(i, j)}, double{tile->sample(i + step, j)},
                        double{tile->sample(i, j + step)}, double{tile->sample(i + step, j + step)}, fx, fz);
                    ASSERT_NEAR(sampleNodeHeight(*tile, pyramid.layout, node, i + fx * step, j + fz * step),
                                want, 1e-12);
                }
            }
        }
    }
}

// Numbers by hand: four cells a side, one sample raised.
TEST(TileMorph, H16_MovesHeightsAlongTheCoarserTriangles) {
    TileLayout layout;
    layout.tileCells = 4;
    layout.samplesX = layout.samplesZ = 5;
    HeightTile tile;
    tile.side = layout.tileSide();
    tile.samples.assign(std::size_t{7} * 7, 0.0f);
    const auto set = [&](int i, int j, float height) {
        tile.samples[static_cast<std::size_t>((j + 1) * 7 + i + 1)] = height;
    };
    set(2, 2, 8);
    set(1, 1, 4);
    set(0, 1, 1);
    set(0, 2, 2);
    const auto height = [&](float detail, float edge, double u, double v) {
        return sampleNodeHeight(tile, layout, {{0, 0, 0}, detail, {edge, edge, edge, edge}}, u, v);
    };
    EXPECT_EQ(height(0, 0, 1, 1), 4);
    EXPECT_EQ(height(0, 0, 1, 2), 0);
    EXPECT_EQ(height(0, 0, 0, 1), 1);
    // (1, 1) lies on the diagonal from (2, 0) to (0, 2), (1, 2) between (0, 2) and (2, 2), (3, 3) between (4,
    // 2) and (2, 4), where all is level.
    EXPECT_EQ(height(0.5, 0.5, 1, 1), 4 + 0.5 * (1 - 4));
    EXPECT_EQ(height(0.5, 0.5, 1, 2), 0.5 * 5);
    EXPECT_EQ(height(0.25, 0.25, 3, 2), 0.25 * 4);
    EXPECT_EQ(height(0.5, 0.5, 3, 3), 0);
    EXPECT_EQ(height(1, 1, 1, 1), 1);
    EXPECT_EQ(height(1, 1, 1, 2), 5);
    // A coarser edge takes its vertex at the middle from 2 to 0, and what slides toward it along.
    EXPECT_EQ(height(0.5, 1.5, 0, 2), 1);
    EXPECT_EQ(height(0.5, 2, 0, 2), 0);
    EXPECT_EQ(height(0.5, 1.5, 0, 1), 0.5);
    EXPECT_EQ(height(0.5, 1.5, 1, 1), 4 + 0.5 * (0.5 - 4));
    EXPECT_EQ(height(0.5, 1.5, 1, 2), 0.5 * (0.5 * (1 + 8)));
    EXPECT_EQ(height(2, 2, 2, 2), 0);
    // Places beyond the tile take its border.
    EXPECT_EQ(height(0, 0, -3, 1), 1);
    EXPECT_EQ(height(0, 0, 0, 9), 0);
}

}  // namespace
}  // namespace karst::heightfield
