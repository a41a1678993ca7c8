#include <common/voxel_picture.h>
#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/voxel/fill_shapes.h>

#include <cmath>

#include "golden/golden.h"
#include "golden/gpu_test.h"

namespace karst::test {

namespace {

using namespace voxel;

constexpr MaterialId kWater = 1, kGrass = 2, kGround = 3, kRock = 4, kSnow = 6, kWood = 13;

// A hill with a tunnel through it, a pond before it, a snowball on it and a hut beside it.
Grid smallScene() {
    Grid grid = Grid::create({}).value();
    const auto good = [](const Result<EditSummary>& edit) {
        if (!edit) ADD_FAILURE() << edit.error().message;
    };
    good(fillBlock(grid, {{0, -20, 0}, {}}, {240, 40, 240}, kRock));
    good(fillBlock(grid, {{0, 4, 0}, {}}, {240, 8, 240}, kGround));
    good(fillBlock(grid, {{0, 11, 0}, {}}, {240, 6, 240}, kGrass));
    good(fillBall(grid, {-20, -30, -30}, 90, kRock));
    good(fillBall(grid, {-20, -30, -30}, 90, kGrass, FillMode::Paint));
    good(fillBall(grid, {-20, 62, -30}, 26, kSnow, FillMode::Paint));
    good(fillCylinder(grid, {{-20, 22, -30}, {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}, 220, 15, kAir));
    good(fillBall(grid, {60, 40, 60}, 50, kAir));
    good(fillCylinder(grid, {{60, 0, 60}, {}}, 17, 60, kWater));
    good(fillBlock(grid, {{84, 22, -40}, {}}, {28, 20, 28}, kWood));
    good(fillWedge(grid, {{84, 38, -47}, {}}, {32, 14, 16}, kWood));
    return grid;
}

class VoxelPictures : public GpuTest {
  protected:
    app::Image draw(int level) {
        const Grid grid = smallScene();
        ThreadPool pool(2);
        app::VoxelPictureOptions options;
        options.level = level;
        const app::VoxelPicture picture = app::makeVoxelPicture(grid.snapshot(), options, pool);
        auto renderer = app::VoxelPictureRenderer::create(
            context(), {.width = 320, .height = 200, .shadowResolution = 1024});
        if (!renderer) {
            ADD_FAILURE() << renderer.error().message;
            return {};
        }
        render::SceneSettings scene;
        scene.camera = CameraView::lookAt({90, 150, 290}, {5, 10, 10}, 0.7, 1.6, 1).value();
        scene.sun.cloudShade = 0;
        scene.materials.detailSize = 0.5f;
        scene.materials.lowHeight = -300;
        auto drawn = renderer->draw(picture, scene);
        if (!drawn) {
            ADD_FAILURE() << drawn.error().message;
            return {};
        }
        return drawn->image;
    }
};

TEST_F(VoxelPictures, HillWithATunnelAndAPond) {
    EXPECT_TRUE(matchesGolden(draw(0), "voxels"));
}

TEST_F(VoxelPictures, ACoarserLevelIsTheSameScene) {
    const auto difference = app::compareImages(draw(0), draw(1), 24);
    ASSERT_TRUE(difference);
    EXPECT_LT(difference->fractionOver, 0.25);
    EXPECT_GT(difference->fractionOver, 0.001);
}

TEST(VoxelPicture, IsTheSameForAnyNumberOfWorkers) {
    const Grid grid = smallScene();
    const app::VoxelPicture alone = app::makeVoxelPicture(grid.snapshot(), {}, inlineJobSystem());
    ThreadPool pool(3);
    const app::VoxelPicture many = app::makeVoxelPicture(grid.snapshot(), {}, pool);
    ASSERT_EQ(alone.parts.size(), many.parts.size());
    std::size_t water = 0;
    for (std::size_t i = 0; i < alone.parts.size(); ++i) {
        const auto &a = alone.parts[i], &b = many.parts[i];
        ASSERT_EQ(a.chunk, b.chunk);
        ASSERT_EQ(a.solid.vertices, b.solid.vertices);
        ASSERT_EQ(a.water.vertices, b.water.vertices);
        ASSERT_EQ(a.light.size(), b.light.size());
        for (std::size_t v = 0; v < a.light.size(); ++v)
            ASSERT_EQ(a.light[v].sky, b.light[v].sky);
        water += a.water.indices.size();
    }
    EXPECT_GT(water, 0u);
}

TEST(VoxelPicture, HasAllOfTheGroundInItsBounds) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(fillRegion(grid, {{0, 0, 0}, {8, 4, 8}}, kRock));
    ASSERT_TRUE(fillRegion(grid, {{2, 1, 2}, {6, 4, 6}}, kAir));
    ASSERT_TRUE(fillRegion(grid, {{2, 1, 2}, {6, 3, 6}}, kWater));
    const app::VoxelPicture picture = app::makeVoxelPicture(grid.snapshot(), {}, inlineJobSystem());
    EXPECT_NEAR(picture.bounds.min.y, 0, 0.1);
    EXPECT_NEAR(picture.bounds.max.y, 16, 0.1);
    EXPECT_NEAR(picture.bounds.max.x, 32, 0.1);
    EXPECT_GT(picture.triangles, 0u);
}

}  // namespace

}  // namespace karst::test
