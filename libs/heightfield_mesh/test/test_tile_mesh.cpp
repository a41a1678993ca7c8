#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/heightfield_mesh/tile_mesh.h>

#include <map>

#include "drawn_mesh.h"

namespace karst::heightfield {
namespace {

struct Scene {
    Surface surface;
    std::vector<TileNode> nodes;
};

Scene randomScene(test::Random& random) {
    const HeightRaster raster = [&] {
        HeightRaster made =
            makeRaster(random.integer(3, 120), random.integer(3, 120), random.range(0.5, 20), random.next());
        for (int i = 0; i < 6; ++i) {
            const int x = random.integer(0, made.columns() - 2), z = random.integer(0, made.rows() - 2);
            made.setHoles(GridRect{x, z, x + random.integer(1, 6), z + random.integer(1, 6)}, true);
        }
        return made;
    }();
    RasterInput input(raster);
    BuildOptions options;
    options.tileCells = 1u << random.integer(2, 4);
    options.originX = random.range(-1000, 1000);
    Scene scene;
    const Result<Surface> surface = buildSurface(input, options);
    EXPECT_TRUE(surface.ok());
    scene.surface = *surface;
    TileView view;
    const Rect ground = scene.surface.layout().groundRect();
    view.eye = {random.range(ground.minX, ground.maxX), random.range(0, 50 * raster.spacingX()),
                random.range(ground.minZ, ground.maxZ)};
    view.projectionScale = std::pow(10, random.range(0, 3));
    TileSelector selector;
    const TileSelection selection = selector.select(scene.surface, view);
    scene.nodes.assign(selection.nodes.begin(), selection.nodes.end());
    EXPECT_FALSE(scene.nodes.empty());
    return scene;
}

Vec3d vertexAt(const TileMesh& mesh, std::uint32_t index) {
    const std::uint32_t* v = mesh.vertices.data() + std::size_t{index} * 4;
    return {double{bitCast<float>(v[0])}, double{bitCast<float>(v[1])}, double{bitCast<float>(v[2])}};
}

TEST(TileMesh, H16_VerticesStandAtTheHeightThatTheNodeDraws) {
    test::Random random(60);
    for (int round = 0; round < 60; ++round) {
        const Scene scene = randomScene(random);
        const TileLayout& layout = scene.surface.layout();
        const Vec3d origin{layout.originX, 12, layout.originZ};
        TileMesh mesh;
        buildTileMesh(scene.surface, scene.nodes, VertexLayout::compact(), origin, mesh, inlineJobSystem());
        ASSERT_EQ(mesh.tiles, scene.nodes.size());
        std::uint32_t vertex = 0;
        for (const TileNode& node : scene.nodes) {
            const HeightTile& tile = *scene.surface.find(node.key);
            const auto stride =
                static_cast<std::uint32_t>(std::exp2(std::floor(double{node.detail} - node.key.level)));
            for (std::uint32_t j = 0; j <= layout.tileCells; j += stride) {
                for (std::uint32_t i = 0; i <= layout.tileCells; i += stride, ++vertex) {
                    const Vec3d p = vertexAt(mesh, vertex);
                    ASSERT_EQ(p.y,
                              double{static_cast<float>(sampleNodeHeight(tile, layout, node, i, j) - 12)});
                    const Rect f = layout.footprint(node.key);
                    ASSERT_NEAR(p.x + origin.x, f.minX + i * layout.strideX(node.key.level), 1e-2);
                    ASSERT_NEAR(p.z + origin.z, f.minZ + j * layout.strideZ(node.key.level), 1e-2);
                }
            }
        }
        ASSERT_EQ(vertex, mesh.vertexCount);
    }
}

TEST(TileMesh, HX2_TheTrianglesAreTheGroundLessItsHoles) {
    test::Random random(61);
    for (int round = 0; round < 60; ++round) {
        const Scene scene = randomScene(random);
        const TileLayout& layout = scene.surface.layout();
        const Vec3d origin{layout.originX, 0, layout.originZ};
        TileMesh mesh;
        buildTileMesh(scene.surface, scene.nodes, VertexLayout::compact(), origin, mesh, inlineJobSystem());
        double area = 0;
        for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
            const Vec3d a = vertexAt(mesh, mesh.indices[t]), b = vertexAt(mesh, mesh.indices[t + 1]);
            const Vec3d c = vertexAt(mesh, mesh.indices[t + 2]);
            const double up = cross(b - a, c - a).y;
            ASSERT_GT(up, 0) << "a triangle faces down";
            area += up / 2;
        }
        double expected = 0;
        for (const TileNode& node : scene.nodes) {
            const HeightTile& tile = *scene.surface.find(node.key);
            const int stride = 1 << int(std::floor(double{node.detail} - node.key.level));
            for (int j = 0; j < int(layout.tileCells); j += stride) {
                for (int i = 0; i < int(layout.tileCells); i += stride) {
                    if (tile.isHole(i + stride / 2, j + stride / 2)) continue;
                    expected +=
                        stride * stride * layout.strideX(node.key.level) * layout.strideZ(node.key.level);
                }
            }
        }
        ASSERT_NEAR(area, expected, 1e-3 * (expected + 1));
    }
}

TEST(TileMesh, TheBytesDoNotDependOnTheWorkers) {
    test::Random random(62);
    const Scene scene = randomScene(random);
    TileMesh one, many;
    ThreadPool pool(4);
    buildTileMesh(scene.surface, scene.nodes, VertexLayout::engine23(), {}, one, inlineJobSystem());
    buildTileMesh(scene.surface, scene.nodes, VertexLayout::engine23(), {}, many, pool);
    EXPECT_EQ(one.vertices, many.vertices);
    EXPECT_EQ(one.indices, many.indices);
}

}  // namespace
}  // namespace karst::heightfield
