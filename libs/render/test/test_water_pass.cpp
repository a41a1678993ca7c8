#include <gmock/gmock.h>

#include "voxel_scene.h"

namespace karst::render {
namespace {

using namespace voxel;
using voxel_mesh::SurfaceMesh;
using voxel_mesh::WaterMesh;

class WaterPassTest : public VoxelTest {
  protected:
    VoxelPool waterPool(float waveHeight = 0.5f) {
        VoxelPool pool = makePool({.placement = {.cellSize = 1}});
        WaterLook look;
        look.waveHeight = waveHeight;
        look.waveLength = 6;
        EXPECT_TRUE(pool.setWater(look));
        return pool;
    }
    /// A pond in rock: 20 x 20 cells of water, 3 deep, with its top in the middle of a cell.
    static Grid pond() {
        Grid grid = Grid::create({.placement = {.cellSize = 1}, .materials = {}}).value();
        EXPECT_TRUE(fillRegion(grid, {{-4, 0, -4}, {36, 8, 36}}, kRockId));
        EXPECT_TRUE(fillRegion(grid, {{6, 4, 6}, {26, 8, 26}}, kAir));
        EXPECT_TRUE(fillBlock(grid, {{16, 5.25, 16}, {}}, {20, 2.5, 20}, kWaterId));
        return grid;
    }
    static int litPixels(const Drawn& drawn, int rowFrom, int rowTo) {
        int count = 0;
        for (int y = rowFrom; y < rowTo; ++y) {
            for (int x = 0; x < kSide; ++x)
                count += drawn.pixel(x, y, 0) > 0 ? 1 : 0;
        }
        return count;
    }
    static constexpr How kWaterAlone{.kind = PassKind::Overdraw, .solid = false, .sky = false};
};

// From the side, at the height of the water: waves stand out above and below the line.
TEST_F(WaterPassTest, V31_WavesMoveTheSheetAsFarAsItsFadeAndNoFarther) {
    for (const float fade : {0.0f, 0.5f, 1.0f}) {
        VoxelPool pool = waterPool(0.8f);
        WaterMesh sheet;  // many vertices, so that there are waves
        for (int z = 0; z <= 32; ++z) {
            for (int x = 0; x <= 32; ++x)
                sheet.vertices.push_back(
                    {{static_cast<float>(x), 5, static_cast<float>(z)}, {0, 1, 0}, fade});
        }
        for (std::uint32_t z = 0; z < 32; ++z) {
            for (std::uint32_t x = 0; x < 32; ++x) {
                const std::uint32_t a = z * 33 + x;
                sheet.indices.insert(sheet.indices.end(), {a, a + 33, a + 1, a + 1, a + 33, a + 34});
            }
        }
        ASSERT_TRUE(pool.publish({}, nullptr, &sheet));
        uploadAll(pool);
        SceneSettings scene = plainScene({16, 5, 52}, {16, 5, 16}, 0.1);
        scene.camera.verticalFov = 0.2;
        // World units of a pixel at the nearest edge, 20 away.
        const double pixel = 2 * 20 * std::tan(0.1) / kSide;
        const int reach = static_cast<int>(std::ceil(0.8 * static_cast<double>(fade) / pixel)) + 1;
        std::vector<std::vector<std::uint8_t>> pictures;
        for (const double time : {0.0, 0.9, 2.3}) {
            scene.time = time;
            const Drawn drawn = draw(pool, scene, kWaterAlone);
            EXPECT_EQ(litPixels(drawn, 0, kSide / 2 - reach), 0) << "fade " << fade;
            EXPECT_EQ(litPixels(drawn, kSide / 2 + reach, kSide), 0) << "fade " << fade;
            if (fade == 1.0f) {
                EXPECT_GT(litPixels(drawn, 0, kSide / 2 - reach / 2), 0);
            }
            pictures.push_back(drawn.image.rgba);
        }
        EXPECT_EQ(pictures[0] == pictures[1] && pictures[0] == pictures[2], fade == 0.0f);
    }
}

// The water of a grid, without the ground, seen from above and aslant: its outline stands still.
TEST_F(WaterPassTest, V31_TheSheetsEdgeStaysOnTheShore) {
    const Grid grid = pond();
    VoxelPool pool = waterPool();
    publishAll(pool, grid.snapshot(), [](ChunkCoord) { return 0; });
    uploadAll(pool);
    const auto covered = [&](SceneSettings scene, double time) {
        scene.time = time;
        const Drawn drawn = draw(pool, scene, kWaterAlone);
        std::vector<bool> out;
        for (int i = 0; i < kSide * kSide; ++i)
            out.push_back(drawn.image.rgba[static_cast<std::size_t>(i) * 4] > 0);
        return out;
    };
    for (const SceneSettings& scene :
         {plainScene({16, 50, 16}, {16, 0, 16}), plainScene({16, 40, 40}, {16, 6, 16})}) {
        const auto still = covered(scene, 0);
        EXPECT_EQ(still, covered(scene, 1.7));
        EXPECT_EQ(still, covered(scene, 3.1));
    }
    // But the water moves.
    SceneSettings scene = lampScene({16, 14, 30}, {16, 6, 16});
    const Drawn first = draw(pool, scene);
    scene.time = 1.7;
    const Drawn later = draw(pool, scene);
    EXPECT_NE(first.image.rgba, later.image.rgba);
    EXPECT_EQ(first.depth, later.depth) << "the ground and the depth do not";
}

TEST_F(WaterPassTest, WaterBlendsOverTheGroundAndIsHiddenBehindIt) {
    const Grid grid = pond();
    VoxelPool pool = waterPool(0);
    publishAll(pool, grid.snapshot(), [](ChunkCoord) { return 0; });
    uploadAll(pool);
    const SceneSettings scene = lampScene({16, 60, 16}, {16, 0, 16});
    const Drawn dry = draw(pool, scene, {.water = false}), wet = draw(pool, scene);
    EXPECT_EQ(dry.depth, wet.depth);
    EXPECT_EQ(wet.water.calls, 1u);
    const int middle = kSide / 2;
    EXPECT_LT(wet.pixel(middle, middle, 0), dry.pixel(middle, middle, 0) - 10) << "dark, deep water";
    EXPECT_EQ(wet.pixel(4, 4, 0), dry.pixel(4, 4, 0)) << "the rock beside it is dry";
    // From below the ground nothing of it is seen.
    const SceneSettings under = lampScene({16, -20, 16.1}, {16, 0, 16});
    EXPECT_EQ(draw(pool, under).image.rgba, draw(pool, under, {.water = false}).image.rgba);
}

// Black water over a bright floor: what is left of the floor's light is what comes through.
TEST_F(WaterPassTest, LetsThroughLessTheDeeperItIsWhereItKnowsTheGround) {
    WaterLook look;
    look.waveHeight = 0;
    look.clearDepth = 1.5f;
    look.color = look.shallow = {};
    SceneSettings scene = lampScene({16, 16, 16}, {16, 4, 16});
    scene.sky.horizon = scene.sky.zenith = scene.sky.ground = {};
    scene.sun.direction = {0.7f, 0.5f, 0};
    const auto linear = [](int byte) {
        const double e = byte / 255.0;
        return e <= 0.04045 ? e / 12.92 : std::pow((e + 0.055) / 1.055, 2.4);
    };
    for (const float depth : {0.0625f, 0.5f, 1.0f, 2.5f, 5.0f}) {
        VoxelPool pool = makePool({.placement = {.cellSize = 1}});
        VoxelPalette palette;
        palette[kSnowId].color = {0.8f, 0.9f, 0.7f};
        pool.setPalette(palette);
        ASSERT_TRUE(pool.setWater(look));
        const SurfaceMesh floor = plateMesh(8 - depth, 0, 32, kSnowId);
        const WaterMesh sheet = sheetMesh(8, 0, 32, 1);
        ASSERT_TRUE(pool.publish({}, &floor, &sheet));
        uploadAll(pool);
        const Drawn dry = draw(pool, scene, {.water = false}), wet = draw(pool, scene, {.ground = true});
        EXPECT_EQ(dry.depth, wet.depth);
        for (const auto& [x, y] : {std::pair{kSide / 2, kSide / 2}, {8, 30}, {100, 120}}) {
            const double tan = std::tan(scene.camera.verticalFov / 2);
            const double dx = ((x + 0.5) / kSide * 2 - 1) * tan, dy = ((y + 0.5) / kSide * 2 - 1) * tan;
            const double slant = std::sqrt(1 + dx * dx + dy * dy);
            const double along = static_cast<double>(depth) * slant;
            const double mirrored = 0.02 + 0.98 * std::pow(1 - 1 / slant, 5);
            for (int c = 0; c < 3; ++c) {
                const double expected = linear(dry.pixel(x, y, c)) * std::exp(-along / 1.5) * (1 - mirrored);
                EXPECT_NEAR(linear(wet.pixel(x, y, c)), expected, 0.006) << depth << " " << x << " " << y;
            }
        }
        // Without the ground it cannot know.
        const Drawn blind = draw(pool, scene);
        EXPECT_NEAR(linear(blind.pixel(64, 64, 1)), linear(dry.pixel(64, 64, 1)) * 0.15 * 0.98, 0.006);
    }
}

TEST_F(WaterPassTest, OverNothingItIsDeepAndSeenFromBelowItIsAsBefore) {
    VoxelPool pool = waterPool(0);
    const WaterMesh sheet = sheetMesh(8, 0, 32, 1);
    ASSERT_TRUE(pool.publish({}, nullptr, &sheet));
    uploadAll(pool);
    const SceneSettings above = lampScene({16, 16, 16}, {16, 4, 16});
    WaterLook look;
    const Drawn deep = draw(pool, above, {.sky = false, .ground = true});
    const auto expected = litBy(look.color);
    // The mirror adds a fiftieth of the sky.
    for (int c = 0; c < 3; ++c) {
        EXPECT_GE(deep.pixel(64, 64, c), expected[static_cast<std::size_t>(c)] - 1);
        EXPECT_LE(deep.pixel(64, 64, c), expected[static_cast<std::size_t>(c)] + 24);
    }
    const SceneSettings below = lampScene({16, 2, 16}, {16, 8, 16});
    EXPECT_EQ(draw(pool, below, {.ground = true}).image.rgba, draw(pool, below).image.rgba);
}

TEST_F(WaterPassTest, RefusesGroundThatIsNone) {
    const auto ground = WaterGround::create(device(), {});
    ASSERT_FALSE(ground);
    EXPECT_THAT(ground.error().message, testing::HasSubstr("view is null"));
    VoxelPool pool = makePool();
    WaterLook look;
    look.clearDepth = 0;
    const auto set = pool.setWater(look);
    ASSERT_FALSE(set);
    EXPECT_THAT(set.error().message, testing::HasSubstr("clearDepth 0"));
}

TEST_F(WaterPassTest, WaterMirrorsTheSkyWhenSeenFlatly) {
    VoxelPool pool = waterPool(0);
    const WaterMesh sheet = sheetMesh(4, -16, 48, 1);
    ASSERT_TRUE(pool.publish({}, nullptr, &sheet));
    uploadAll(pool);
    SceneSettings scene = lampScene({16, 4.3, 30}, {16, 4, 12});
    scene.sky.horizon = scene.sky.zenith = {0.1f, 0.6f, 0.1f};
    scene.sun.direction = {0, 1, 0};
    const Drawn drawn = draw(pool, scene);
    // The middle looks down by one degree.
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(drawn.pixel(kSide / 2, kSide / 2 + 2, c), drawn.pixel(kSide / 2, kSide / 4, c), 24);
    EXPECT_GT(drawn.pixel(kSide / 2, kSide / 2 + 2, 1), drawn.pixel(kSide / 2, kSide - 4, 1) + 15);
}

TEST_F(WaterPassTest, OpenSidesFallAndFoam) {
    // A column of water with air beside it.
    Grid grid = Grid::create({.placement = {.cellSize = 1}, .materials = {}}).value();
    ASSERT_TRUE(fillRegion(grid, {{8, 0, 8}, {20, 12, 20}}, kWaterId));
    VoxelPool pool = waterPool(0);
    publishAll(pool, grid.snapshot(), [](ChunkCoord) { return 0; });
    voxel_mesh::WaterMesher mesher;
    WaterMesh water;
    mesher.build(grid.snapshot(), {}, water);
    ASSERT_TRUE(pool.publish({}, nullptr, &water));
    uploadAll(pool);
    SceneSettings scene = lampScene({14, 6, 50}, {14, 6, 14});
    const Drawn side = draw(pool, scene, kWaterAlone);
    EXPECT_GT(side.pixel(kSide / 2, kSide / 2, 0), 0);
    // It is brighter than what one looks into from above.
    const Drawn fall = draw(pool, scene);
    const Drawn above = draw(pool, lampScene({14, 40, 14}, {14, 12, 14}));
    EXPECT_GT(fall.pixel(kSide / 2, kSide / 2, 0), above.pixel(kSide / 2, kSide / 2, 0) + 20);
}

TEST_F(WaterPassTest, RefusesKindsWithoutColours) {
    VoxelPool pool = makePool();
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    for (const PassKind kind : {PassKind::DepthPrepass, PassKind::Shadow}) {
        const auto pass = WaterPass::create(device(), *scene, pool, {{kind, {}}});
        ASSERT_FALSE(pass);
        EXPECT_THAT(pass.error().message, testing::HasSubstr("water pass"));
    }
}

}  // namespace
}  // namespace karst::render
