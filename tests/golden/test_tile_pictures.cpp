#include <gtest/gtest.h>

#include <cmath>

#include "golden/golden.h"
#include "golden/gpu_test.h"
#include "golden/grid_mesh.h"
#include "golden/tile_scene.h"

namespace karst::test {

namespace {

using render::Diagnostic;

// Hills of 4 km by 4 km, up to 1100 m high, seen from the south-east, as height tiles.
class TilePictures : public GpuTest {
  protected:
    static double height(double x, double z) {
        return 1100 * hills(x / 2000, z / 2000) + 12 * std::sin(x / 37) * std::cos(z / 29) +
               4 * std::sin(x / 11 + z / 17);
    }

    static const heightfield::Surface& ground() {
        static const heightfield::Surface surface = makeGround(
            {.samples = 513, .spacing = 4000.0 / 512, .originX = -2000, .originZ = -2000, .tileCells = 32},
            height);
        return surface;
    }

    static render::SceneSettings settings() {
        render::SceneSettings scene;
        scene.camera = CameraView::lookAt({900, 620, 1900}, {-100, 350, -200}, 0.75, 1.6, 1).value();
        scene.materials.highHeight = 950;
        scene.sky.visibility = 40000;
        return scene;
    }

    app::Image draw(const render::SceneSettings& scene, TileSceneDesc desc = {},
                    const heightfield::Surface& surface = ground(), render::TileTerrainSettings tiles = {}) {
        desc.width = 320;
        desc.height = 200;
        desc.sky = desc.kind != render::PassKind::Overdraw;
        auto made = TileScene::create(context(), desc);
        if (!made) {
            ADD_FAILURE() << made.error().message;
            return {};
        }
        auto picture = made->draw(surface, scene, tiles);
        if (!picture) {
            ADD_FAILURE() << picture.error().message;
            return {};
        }
        return picture->image;
    }

    app::Image drawMode(Diagnostic mode) {
        render::SceneSettings scene = settings();
        scene.diagnostic = mode;
        return draw(scene, {}, ground(), coarse());
    }

    // So coarse that tiles of several levels are in the picture.
    static render::TileTerrainSettings coarse() { return {.tolerance = 6}; }
};

TEST_F(TilePictures, H22_Lit) {
    EXPECT_TRUE(matchesGolden(draw(settings()), "tiles_lit"));
}

TEST_F(TilePictures, H22_Levels) {
    EXPECT_TRUE(matchesGolden(drawMode(Diagnostic::Levels), "tiles_levels"));
}

TEST_F(TilePictures, H22_Borders) {
    EXPECT_TRUE(matchesGolden(drawMode(Diagnostic::Borders), "tiles_borders"));
}

TEST_F(TilePictures, H22_Normals) {
    EXPECT_TRUE(matchesGolden(drawMode(Diagnostic::Normals), "tiles_normals"));
}

TEST_F(TilePictures, H21_NormalsOfVertices) {
    render::SceneSettings scene = settings();
    scene.diagnostic = Diagnostic::Normals;
    render::TileTerrainSettings tiles = coarse();
    tiles.pixelNormals = false;
    EXPECT_TRUE(matchesGolden(draw(scene, {}, ground(), tiles), "tiles_vertex_normals"));
}

TEST_F(TilePictures, H22_Error) {
    EXPECT_TRUE(matchesGolden(drawMode(Diagnostic::Error), "tiles_error"));
}

TEST_F(TilePictures, H22_Materials) {
    EXPECT_TRUE(matchesGolden(drawMode(Diagnostic::Materials), "tiles_materials"));
}

TEST_F(TilePictures, H22_Wireframe) {
    if (!device().fillModeNonSolid) GTEST_SKIP() << "the device draws no lines";
    EXPECT_TRUE(matchesGolden(draw(settings(), {.kind = render::PassKind::Wireframe}, ground(), coarse()),
                              "tiles_wireframe"));
}

TEST_F(TilePictures, H22_Overdraw) {
    EXPECT_TRUE(matchesGolden(draw(settings(), {.kind = render::PassKind::Overdraw}), "tiles_overdraw"));
}

TEST_F(TilePictures, H17_ShadowsOfTheSun) {
    render::SceneSettings scene = settings();
    scene.sun.direction = render::sunDirection(4.9f, 0.35f);
    scene.cascades.count = 2;
    scene.cascades.distance = 6000;
    EXPECT_TRUE(
        matchesGolden(draw(scene, {.shadows = {.cascades = 2, .cascadeResolution = 1024}}), "tiles_shadows"));
}

TEST_F(TilePictures, HX2_AHole) {
    const heightfield::Surface holed = makeGround({.samples = 513,
                                                   .spacing = 4000.0 / 512,
                                                   .originX = -2000,
                                                   .originZ = -2000,
                                                   .tileCells = 32,
                                                   .holeX0 = 290,
                                                   .holeZ0 = 320,
                                                   .holeX1 = 340,
                                                   .holeZ1 = 370},
                                                  height);
    EXPECT_TRUE(matchesGolden(draw(settings(), {.prepass = true}, holed), "tiles_hole"));
}

}  // namespace

}  // namespace karst::test
