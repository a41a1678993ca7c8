#include <gmock/gmock.h>
#include <karst_test/test_support.h>

#include "voxel_scene.h"

namespace karst::render {
namespace {

using namespace voxel;
using voxel_mesh::SurfaceMesh;

class VoxelPassTest : public VoxelTest {
  protected:
    /// Rolling hills of rock under earth and grass, about 4 x 4 chunks of cells of 1.
    static Grid hills(int chunks = 4) {
        Grid grid = Grid::create({.placement = {.cellSize = 1}, .materials = {}}).value();
        const double side = 32.0 * chunks;
        EXPECT_TRUE(fillBlock(grid, {{side / 2, 6, side / 2}, {}}, {side, 12, side}, kRockId));
        for (int i = 0; i < chunks * 3; ++i) {
            const double x = side * ((i * 7 + 3) % 11) / 11.0, z = side * ((i * 5 + 2) % 13) / 13.0;
            EXPECT_TRUE(fillBall(grid, {x, 8.0 + i % 3, z}, 9.0 + i % 5, i % 2 ? kGrassId : kGroundId));
        }
        return grid;
    }
};

TEST_F(VoxelPassTest, V14_APixelBlendsFourMaterialsByTheirWeights) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}});
    VoxelPalette palette = paletteOf(MaterialTable::standard());
    test::Random random(3);
    for (VoxelMaterial& material : palette)
        material.color = {static_cast<float>(random.unit()), static_cast<float>(random.unit()),
                          static_cast<float>(random.unit())};
    pool.setPalette(palette);
    const std::array<MaterialId, 4> materials{3, 7, 100, 255};
    for (const std::array<std::uint8_t, 4>& weights : {std::array<std::uint8_t, 4>{255, 0, 0, 0},
                                                       {0, 0, 0, 255},
                                                       {100, 80, 50, 25},
                                                       {64, 64, 64, 63},
                                                       {0, 200, 55, 0}}) {
        const SurfaceMesh plate = plateMesh(4, 0, 32, {weights, weights, weights, weights}, materials);
        ASSERT_TRUE(pool.publish({0, 0, 0}, &plate, nullptr));
        uploadAll(pool);
        const Drawn drawn = draw(pool, lampScene({16, 14, 16}, {16, 4, 16}));
        const auto expected = litBy(blendPalette(palette, materials, weights));
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(drawn.pixel(kSide / 2, kSide / 2, c), expected[static_cast<std::size_t>(c)], 1);
    }
}

TEST_F(VoxelPassTest, V14_WeightsRunAcrossATriangle) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}});
    VoxelPalette palette;
    palette[8].color = {0.8f, 0.02f, 0.1f};
    palette[9].color = {0.05f, 0.6f, 0.3f};
    pool.setPalette(palette);
    const std::array<std::uint8_t, 4> west{255, 0, 0, 0}, east{0, 255, 0, 0};
    const SurfaceMesh plate = plateMesh(4, 0, 32, {west, east, east, west}, {8, 9, 9, 9});
    ASSERT_TRUE(pool.publish({0, 0, 0}, &plate, nullptr));
    uploadAll(pool);
    const SceneSettings scene = lampScene({16, 14, 16}, {16, 4, 16});
    const Drawn drawn = draw(pool, scene);
    const double half = 10 * std::tan(scene.camera.verticalFov / 2);  // of the picture, on the plate
    for (int x = 0; x < kSide; x += 9) {
        const auto part = static_cast<float>((16 + half * ((x + 0.5) / kSide * 2 - 1)) / 32);
        const auto expected = litBy(palette[8].color * (1 - part) + palette[9].color * part);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(drawn.pixel(x, kSide / 2, c), expected[static_cast<std::size_t>(c)], 1) << x;
    }
}

TEST_F(VoxelPassTest, CullingByBoxesLosesNoTriangleOfAView) {
    const Grid grid = hills();
    VoxelPool pool = makePool({.placement = grid.placement()});
    publishAll(pool, grid.snapshot(), [](ChunkCoord) { return 0; });
    uploadAll(pool);
    test::Random random(5);
    std::uint32_t fewest = ~0u;
    for (int i = 0; i < 6; ++i) {
        const WorldPosition eye{random.range(0, 128), random.range(18, 40), random.range(0, 128)};
        const WorldPosition at{random.range(0, 128), random.range(0, 16), random.range(0, 128)};
        const SceneSettings scene = plainScene(eye, at, 0.1);
        const Drawn culled = draw(pool, scene), all = draw(pool, scene, {.cull = false});
        EXPECT_EQ(culled.image.rgba, all.image.rgba);
        EXPECT_EQ(culled.depth, all.depth);
        EXPECT_LE(culled.solid.triangles, all.solid.triangles);
        fewest = std::min(fewest, culled.solid.chunks);
        EXPECT_EQ(all.solid.chunks, pool.stats().shownSolid);
    }
    EXPECT_LT(fewest, pool.stats().shownSolid) << "something is culled";
}

TEST_F(VoxelPassTest, V22_FewCallsWithAndWithoutIndirectDraws) {
    const Grid grid = hills();
    const SceneSettings scene = plainScene({64, 50, 150}, {64, 5, 60}, 0.1);
    VoxelPool indirect = makePool({.placement = grid.placement()});
    VoxelPool direct = makePool({.placement = grid.placement()}, false);
    for (VoxelPool* pool : {&indirect, &direct}) {
        publishAll(*pool, grid.snapshot(), [](ChunkCoord) { return 0; });
        uploadAll(*pool);
        // Holes in the blocks, and a chunk that comes back elsewhere.
        for (int i = 0; i < 8; ++i)
            pool->withdraw({i % 4, 0, i / 2});
        uploadAll(*pool);
    }
    const Drawn a = draw(indirect, scene), b = draw(direct, scene);
    EXPECT_EQ(a.image.rgba, b.image.rgba);
    EXPECT_EQ(a.depth, b.depth);
    EXPECT_LE(a.solid.calls, 4u);
    EXPECT_LE(b.solid.calls, 4u);
    EXPECT_GT(a.solid.chunks, 4u);
}

// A plate's edge, seen from 2 cm above: a pixel is 0.13 mm wide.
TEST_F(VoxelPassTest, HX3_AMillimetreStaysOneAThousandKilometresAway) {
    std::vector<int> here;
    for (const WorldPosition origin : {WorldPosition{0, 0, 0}, {1e6 + 0.123, 4321.017, -1e6 - 0.377}}) {
        VoxelPool pool = makePool({.placement = {.cellSize = 0.25, .origin = origin}});
        const SurfaceMesh plate = plateMesh(4, 16, 32, kRockId);
        ASSERT_TRUE(pool.publish({0, 0, 0}, &plate, nullptr));
        uploadAll(pool);
        std::vector<int> edges;
        for (const double x : {4.0, 4.001, 4.003}) {
            SceneSettings scene = lampScene(origin + Vec3d{x, 1.02, 6}, origin + Vec3d{x, 1, 6});
            scene.camera.nearPlane = 0.001;
            const Drawn drawn = draw(pool, scene);
            int column = 0;
            while (column < kSide && drawn.depth[static_cast<std::size_t>(kSide / 2 * kSide + column)] == 0)
                ++column;
            edges.push_back(column);
        }
        EXPECT_NEAR(edges[0], kSide / 2, 1);
        const double pixels = 0.001 * kSide / (2 * 0.02 * std::tan(0.4));
        EXPECT_NEAR(edges[0] - edges[1], pixels, 1);
        EXPECT_NEAR(edges[0] - edges[2], 3 * pixels, 1);
        if (here.empty()) here = edges;
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(edges[i], here[i], 1);
    }
}

}  // namespace
}  // namespace karst::render
