#include <gtest/gtest.h>

#include "golden/golden.h"
#include "golden/gpu_test.h"
#include "golden/grid_mesh.h"
#include "golden/mesh_buffers.h"

namespace karst::test {

namespace {

class TerrainPictures : public GpuTest {
  protected:
    // Hills of 4 km by 4 km, up to 1100 m high, seen from the south-east.
    app::Image drawHills(const heightfield::VertexLayout& layout, bool hole) {
        GridMeshDesc desc;
        desc.layout = layout;
        desc.minX = desc.minZ = -2000;
        desc.spacing = 4000.0 / 128;
        GridMesh mesh =
            makeGridMesh(desc, [](double x, double z) { return 1100 * hills(x / 2000, z / 2000); });
        if (hole) mesh.cutHole(70, 78, 84, 92);
        auto renderer =
            app::PictureRenderer::create(context(), {.width = 320, .height = 200, .layout = layout});
        auto buffers = buffersOf(context(), mesh.vertexBytes(), mesh.indexBytes());
        if (!renderer || !buffers) {
            ADD_FAILURE() << (renderer ? buffers.error() : renderer.error()).message;
            return {};
        }
        render::SceneSettings scene;
        scene.camera = CameraView::lookAt({1500, 1150, 2600}, {-100, 250, -200}, 0.75, 1.6, 1).value();
        scene.materials.highHeight = 950;
        scene.sky.visibility = 40000;
        auto picture = renderer->draw(*buffers, mesh.indexCount(), scene);
        if (!picture) {
            ADD_FAILURE() << picture.error().message;
            return {};
        }
        return picture->image;
    }
};

TEST_F(TerrainPictures, Hills) {
    EXPECT_TRUE(matchesGolden(drawHills(heightfield::VertexLayout::positionNormal(), false), "hills"));
}

TEST_F(TerrainPictures, HillsWithAHole) {
    EXPECT_TRUE(matchesGolden(drawHills(heightfield::VertexLayout::compact(), true), "hills_hole"));
}

}  // namespace

}  // namespace karst::test
