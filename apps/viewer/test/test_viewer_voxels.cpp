// Digging, walking and falling in the viewer's window, on a virtual display.
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>
#include <karst/voxel_sqlite/voxel_store.h>

#include "display_fixture.h"

namespace karst {
namespace {

using app::Image;
using test::DrivenViewer;
using test::kLoaded;

class ViewerVoxelsSlow : public test::DisplayTest {
  protected:
    void SetUp() override {
        DisplayTest::SetUp();
        if (IsSkipped()) return;
        voxel::GridDefinition definition;
        definition.placement.cellSize = 1;
        auto grid = voxel::Grid::create(definition);
        const voxel::MaterialTable& materials = grid->materials();
        ASSERT_TRUE(voxel::fillBlock(*grid, {{32, -8, 32}, {}}, {96, 16, 96}, *materials.find("rock")).ok());
        ASSERT_TRUE(voxel::fillBlock(*grid, {{32, -1, 32}, {}}, {96, 2, 96}, *materials.find("grass")).ok());
        auto store = voxel::VoxelStore::create(world(), grid->placement(), materials);
        ASSERT_TRUE(store.ok());
        ASSERT_TRUE(store->save(*grid).ok());
    }

    std::string world() const { return file("world.voxels"); }
    DrivenViewer::Shot settledShot(DrivenViewer& viewer, const Image& other, bool same) {
        auto shot = viewer.shoot();
        for (int i = 0; i < 60 && (difference(shot.picture, other) < 0.01) != same; ++i)
            shot = viewer.shoot();
        return shot;
    }
    double solidAt(WorldPosition place) const {
        auto store = voxel::VoxelStore::open(world(), {.readOnly = true});
        if (!store) return -1;
        const auto grid = store->load();
        return grid ? voxel::solidFractionAt(*grid, place).value() : -1;
    }
};

TEST_F(ViewerVoxelsSlow, DigsTakesBackAndSaves) {
    DrivenViewer viewer(display(), path(),
                        {world(), "--camera", "32,20,66", "--look-at", "32,0,32", "--radius", "5"});
    ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
    viewer.press("F2");
    viewer.pointAt(10, 10);
    const auto before = viewer.shoot();
    EXPECT_GT(solidAt({32, -1, 32}), 0.9);

    viewer.press("2");
    viewer.pointAt(DrivenViewer::kWidth / 2, DrivenViewer::kHeight / 2);
    viewer.holdButton(1, 0.6);
    viewer.press("1");
    viewer.pointAt(10, 10);
    const auto dug = settledShot(viewer, before.picture, false);
    EXPECT_GT(dug.edits, 0u);
    EXPECT_GT(difference(before.picture, dug.picture), 0.01);

    viewer.press("ctrl+z");
    const auto back = settledShot(viewer, before.picture, true);
    EXPECT_LT(difference(before.picture, back.picture), 0.01);
    viewer.press("ctrl+y");
    const auto again = settledShot(viewer, before.picture, false);
    EXPECT_GT(difference(before.picture, again.picture), 0.01);
    viewer.press("ctrl+s");
    ASSERT_TRUE(viewer.waitFor("saved")) << viewer.output();
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
    EXPECT_LT(solidAt({32, -1, 32}), 0.1);
    EXPECT_GT(solidAt({10, -1, 10}), 0.9);
}

TEST_F(ViewerVoxelsSlow, WalksAndDropsBodies) {
    DrivenViewer viewer(display(), path(),
                        {world(), "--camera", "32,6,60", "--look-at", "32,1,32", "--radius", "5"});
    ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
    viewer.press("F2");
    viewer.press("f");
    ASSERT_TRUE(viewer.waitFor("walking")) << viewer.output();
    viewer.pointAt(10, 10);
    auto standing = viewer.shoot();
    for (int i = 0; i < 60 && standing.camera.y > 1.9; ++i)
        standing = viewer.shoot();
    // Eyes of who stands on the ground at 0.
    EXPECT_NEAR(standing.camera.y, 1.65, 0.15);
    viewer.hold("w", 1.0);
    const auto walked = viewer.shoot();
    EXPECT_LT(walked.camera.z, standing.camera.z - 0.5);
    EXPECT_GT(walked.camera.z, standing.camera.z - 30);
    EXPECT_NEAR(walked.camera.y, 1.65, 0.15);

    viewer.press("f");
    ASSERT_TRUE(viewer.waitFor("flying")) << viewer.output();
    const auto before = viewer.shoot();
    viewer.press("b");
    if (viewer.waitFor("bodies fall")) {
        const auto fallen = settledShot(viewer, before.picture, false);
        EXPECT_GT(difference(before.picture, fallen.picture), 0.01);
    } else {
        EXPECT_TRUE(viewer.waitFor("without Bullet")) << viewer.output();
    }
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

}  // namespace
}  // namespace karst
