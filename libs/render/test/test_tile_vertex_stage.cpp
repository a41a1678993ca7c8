#include <golden/gpu_test.h>
#include <karst/heightfield_mesh/tile_lattice.h>

#include <map>
#include <optional>

#include "tile_probe.h"

namespace karst::render {

namespace {

using namespace heightfield;

class TileVertexStageTest : public test::GpuTest {
  protected:
    static void TearDownTestSuite() { shared().reset(); }
    TileProbe& probe() {
        if (!shared()) shared().emplace(context());
        return *shared();
    }

  private:
    static std::optional<TileProbe>& shared() {
        static std::optional<TileProbe> probe;
        return probe;
    }
};

// Positions and gradients that the shader makes against the references on the CPU. The shader computes in
// f32: a height may be off by a few units in its last place, a gradient by those of two heights.
TEST_F(TileVertexStageTest, H16_H21_TheVertexStageEqualsTheCpuReference) {
    test::Random random(17);
    std::size_t checked = 0;
    double worstHeight = 0, worstGradient = 0;
    for (int round = 0; round < 12; ++round) {
        const DrawnTiles drawn(random);
        const TileLayout& layout = drawn.pyramid.layout;
        gpu::GpuTiles tiles;
        tiles.columnX = {static_cast<float>(layout.spacingX / 16), 0, 0, 0};
        tiles.columnY = {0, 1, 0, 0};
        tiles.columnZ = {0, 0, static_cast<float>(layout.spacingZ / 16), 0};
        tiles.offset = {0, 0, 0, drawn.anchor.height};
        const Vec3d anchor = anchorPosition(layout, drawn.anchor);
        std::vector<TileProbe::Vertex> vertices;
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const std::uint32_t stride = drawn.stage(n).stride();
            for (std::uint32_t j = 0; j <= layout.tileCells; j += stride) {
                for (std::uint32_t i = 0; i <= layout.tileCells; i += stride)
                    vertices.push_back({static_cast<std::uint32_t>(n), latticeIndex(i, j)});
            }
        }
        const std::vector<TileProbe::Made> made = probe().run(drawn, tiles, vertices);
        double highest = std::abs(double{drawn.anchor.height});
        for (const TilePtr& tile : drawn.surface.tiles())
            highest =
                std::max({highest, std::abs(double{tile->bounds.min}), std::abs(double{tile->bounds.max})});
        for (std::size_t v = 0; v < vertices.size(); ++v) {
            const std::size_t n = vertices[v].record;
            const std::uint32_t i = vertices[v].place & 0xffu, j = vertices[v].place >> 8;
            const TileNode& node = drawn.nodes[n];
            const Rect rect = layout.footprint(node.key);
            const double height = sampleNodeHeight(drawn.tileOf(n), layout, node, i, j) - anchor.y;
            ASSERT_NEAR(double{made[v].position[1]}, height, 4e-7 * highest);
            ASSERT_NEAR(double{made[v].position[0]},
                        rect.minX + i * layout.strideX(node.key.level) - anchor.x, 1e-4);
            ASSERT_NEAR(double{made[v].position[2]},
                        rect.minZ + j * layout.strideZ(node.key.level) - anchor.z, 1e-4);
            const TileVertex reference = drawn.stage(n).vertex(i, j);
            const double finest = std::ldexp(1.0, node.key.level);
            ASSERT_NEAR(double{made[v].gradient[0]}, reference.gradientX, 1e-6 * highest / finest);
            ASSERT_NEAR(double{made[v].gradient[1]}, reference.gradientZ, 1e-6 * highest / finest);
            worstHeight = std::max(worstHeight, std::abs(double{made[v].position[1]} - height) / highest);
            worstGradient =
                std::max(worstGradient,
                         std::abs(double{made[v].gradient[0]} - reference.gradientX) * finest / highest);
            ++checked;
        }
    }
    EXPECT_GT(checked, 8000u);
    RecordProperty("worstHeight", std::to_string(worstHeight));
    RecordProperty("worstGradient", std::to_string(worstGradient));
}

// Tiles of the same level that share a vertex put it at the very same place: no crack can open between them.
TEST_F(TileVertexStageTest, H13_TilesPutTheVerticesTheyShareAtTheSameBits) {
    test::Random random(18);
    std::size_t shared = 0;
    for (int round = 0; round < 8; ++round) {
        const DrawnTiles drawn(random, 4);
        const TileLayout& layout = drawn.pyramid.layout;
        gpu::GpuTiles tiles;
        // Turned and scaled, so that every coordinate is rounded.
        tiles.columnX = {0.0513f, 0.011f, -0.0071f, 0};
        tiles.columnY = {-0.13f, 0.97f, 0.17f, 0};
        tiles.columnZ = {0.0071f, -0.003f, 0.0497f, 0};
        tiles.offset = {0.3f, -12.7f, 0.1f, drawn.anchor.height};
        std::vector<TileProbe::Vertex> vertices;
        for (std::size_t n = 0; n < drawn.nodes.size(); ++n) {
            const std::uint32_t stride = drawn.stage(n).stride(), cells = layout.tileCells;
            for (std::uint32_t t = 0; t <= cells; t += stride) {
                for (const std::uint16_t place :
                     {latticeIndex(0, t), latticeIndex(cells, t), latticeIndex(t, 0), latticeIndex(t, cells)})
                    vertices.push_back({static_cast<std::uint32_t>(n), place});
            }
        }
        const std::vector<TileProbe::Made> made = probe().run(drawn, tiles, vertices);
        std::map<std::pair<std::int64_t, std::int64_t>, std::array<float, 4>> points;
        for (std::size_t v = 0; v < vertices.size(); ++v) {
            const TileRecord& record = drawn.records[vertices[v].record];
            const std::int64_t cell = std::int64_t{1} << (record.level() + 4);
            const std::pair point{record.x + (vertices[v].place & 0xff) * cell,
                                  record.z + (vertices[v].place >> 8) * cell};
            const auto [found, isNew] = points.insert({point, made[v].position});
            if (isNew) continue;
            ++shared;
            ASSERT_EQ(found->second, made[v].position);
        }
    }
    EXPECT_GT(shared, 2000u);
}

}  // namespace

}  // namespace karst::render
