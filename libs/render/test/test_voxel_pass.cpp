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

    /// Where the camera sees the back of a surface, by its normals.
    std::vector<bool> seesInside(VoxelPool& pool, SceneSettings scene) {
        scene.diagnostic = Diagnostic::Normals;
        const Drawn drawn = draw(pool, scene, {.sky = false});
        const double tan = std::tan(scene.camera.verticalFov / 2);
        std::vector<bool> out;
        for (int i = 0; i < kSide * kSide; ++i) {
            const auto part = [&](int channel) {
                const double e = drawn.pixel(i % kSide, i / kSide, channel) / 255.0;
                return (e <= 0.04045 ? e / 12.92 : std::pow((e + 0.055) / 1.055, 2.4)) * 2 - 1;
            };
            const double x = (i % kSide + 0.5) / kSide * 2 - 1, y = (i / kSide + 0.5) / kSide * 2 - 1;
            const CameraView& c = scene.camera;
            const Vec3d ray = normalized(c.forward + c.right() * (x * tan) - c.up * (y * tan));
            out.push_back(drawn.depth[static_cast<std::size_t>(i)] > 0 &&
                          dot(Vec3d{part(0), part(1), part(2)}, ray) > 0.2);
        }
        return out;
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

// Waves of ground whose chunks alternate between two levels, seen from above and along the ground.
TEST_F(VoxelPassTest, V19_SkirtsCloseTheCracksWithoutASeam) {
    Grid grid = Grid::create({.placement = {.cellSize = 1}, .materials = {}}).value();
    const auto wavy = [](WorldPosition p) {
        return 0.7 * (p.y - 20 - 5 * std::sin(p.x / 9) - 5 * std::cos(p.z / 7));
    };
    ASSERT_TRUE(fillSignedDistance(grid, {{-32, -40, -32}, {160, 40, 160}}, wavy, kRockId));
    VoxelPool fine = makePool({.placement = grid.placement()});
    publishAll(fine, grid.snapshot(), [](ChunkCoord) { return 0; });
    uploadAll(fine);
    const std::array scenes{lampScene({64, 120, 66}, {64, 10, 64}), lampScene({64, 90, 150}, {64, 10, 64}),
                            lampScene({64, 45, 140}, {64, 20, 60})};
    std::vector<Drawn> references;
    for (const SceneSettings& scene : scenes)
        references.push_back(draw(fine, scene, {.sky = false}));
    for (const auto& [even, odd] : {std::pair{2, 0}, {1, 0}, {3, 2}}) {
        const auto mixed = [one = even, other = odd](ChunkCoord c) {
            return (c.x + c.z) % 2 == 0 ? one : other;
        };
        VoxelPool bare = makePool({.placement = grid.placement()}),
                  skirted = makePool({.placement = grid.placement()});
        publishAll(bare, grid.snapshot(), mixed, false);
        publishAll(skirted, grid.snapshot(), mixed, true);
        uploadAll(bare);
        uploadAll(skirted);
        int open = 0, left = 0;
        for (std::size_t view = 0; view < scenes.size(); ++view) {
            const bool fromAbove = view == 0;
            const SceneSettings& scene = scenes[view];
            const Drawn& reference = references[view];
            const Drawn without = draw(bare, scene, {.sky = false}),
                        with = draw(skirted, scene, {.sky = false});
            const std::vector<bool> dark = seesInside(bare, scene), stillDark = seesInside(skirted, scene);
            for (std::size_t i = 0; i < with.depth.size(); ++i) {
                // One looks through a crack at the inside, behind where the ground is.
                const auto isHole = [&](const Drawn& drawn, const std::vector<bool>& inside) {
                    return inside[i] && drawn.depth[i] < reference.depth[i] * 0.93f;
                };
                open += isHole(without, dark) ? 1 : 0;
                left += isHole(with, stillDark) ? 1 : 0;
                if (!fromAbove) continue;
                ASSERT_GT(reference.depth[i], 0);
                ASSERT_FALSE(isHole(with, stillDark)) << i;
                // What closes the crack looks like the ground near it.
                if (!isHole(without, dark)) continue;
                for (std::size_t c = 0; c < 3; ++c)
                    EXPECT_NEAR(with.image.rgba[i * 4 + c], reference.image.rgba[i * 4 + c], 30);
            }
        }
        EXPECT_GT(open, 100) << "there are cracks to close";
        EXPECT_LE(left * (even - odd > 1 ? 100 : 500), open) << "from aside";
    }
}

TEST_F(VoxelPassTest, EveryKindDrawsTheSameTriangles) {
    const Grid grid = hills(2);
    VoxelPool pool = makePool({.placement = grid.placement()});
    publishAll(pool, grid.snapshot(), [](ChunkCoord c) { return (c.x + 1) % 4; });
    uploadAll(pool);
    const SceneSettings scene = plainScene({32, 60, 80}, {32, 5, 30}, 0.1);
    const Drawn lit = draw(pool, scene, {.sky = false});
    const Drawn over = draw(pool, scene, {.kind = PassKind::Overdraw, .sky = false});
    const Drawn wire = draw(pool, scene, {.kind = PassKind::Wireframe, .sky = false});
    EXPECT_EQ(lit.solid.triangles, over.solid.triangles);
    EXPECT_EQ(lit.solid.triangles, wire.solid.triangles);
    int deepest = 0, lines = 0, ground = 0;
    for (int i = 0; i < kSide * kSide; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(lit.depth[at] > 0, over.image.rgba[at * 4] > 0);
        deepest = std::max(deepest, int{over.image.rgba[at * 4]});
        const int line = wire.image.rgba[at * 4 + 1];
        if (lit.depth[at] == 0) continue;
        ++ground;
        lines += line > 60 ? 1 : 0;
    }
    EXPECT_GT(deepest, over.pixel(kSide / 2, kSide - 2, 0) / 2) << "front and back";
    EXPECT_GT(lines, ground / 4) << "lines are bright where nothing was drawn before";
}

TEST_F(VoxelPassTest, DiagnosticsShowLevelsMaterialsAndBorders) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}});
    SurfaceMesh plate = plateMesh(4, 0, 32, kGrassId);
    SceneSettings scene = lampScene({16, 14, 16}, {16, 4, 16});
    const auto middle = [&](Diagnostic diagnostic) {
        scene.diagnostic = diagnostic;
        const Drawn drawn = draw(pool, scene);
        return std::array{drawn.pixel(kSide / 2, kSide / 2, 0), drawn.pixel(kSide / 2, kSide / 2, 1),
                          drawn.pixel(kSide / 2, kSide / 2, 2)};
    };
    std::vector<std::array<int, 3>> levels;
    for (int level = 0; level < 4; ++level) {
        plate.level = level;
        ASSERT_TRUE(pool.publish({}, &plate, nullptr));
        uploadAll(pool);
        levels.push_back(middle(Diagnostic::Levels));
        for (int i = 0; i < level; ++i)
            EXPECT_NE(levels[static_cast<std::size_t>(i)], levels.back());
    }
    const auto normal = middle(Diagnostic::Normals);
    EXPECT_NEAR(normal[0], 188, 1);  // 0.5, encoded
    EXPECT_EQ(normal[1], 255);
    const auto grass = middle(Diagnostic::Materials);
    plate = plateMesh(4, 0, 32, kSnowId);
    ASSERT_TRUE(pool.publish({}, &plate, nullptr));
    uploadAll(pool);
    EXPECT_NE(grass, middle(Diagnostic::Materials));
    // The border between two chunks is a bright line, the ground beside it is not.
    ASSERT_TRUE(pool.publish({1, 0, 0}, &plate, nullptr));
    uploadAll(pool);
    scene = lampScene({32.02, 14, 16}, {32.02, 4, 16});
    scene.diagnostic = Diagnostic::Borders;
    const Drawn borders = draw(pool, scene);
    EXPECT_GT(borders.pixel(kSide / 2, kSide / 2, 0), borders.pixel(kSide / 2, kSide / 2, 2) + 60);
    EXPECT_LT(
        std::abs(borders.pixel(kSide / 2 + 4, kSide / 2, 0) - borders.pixel(kSide / 2 + 4, kSide / 2, 2)),
        60);
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
