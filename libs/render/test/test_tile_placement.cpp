#include "tile_ground.h"

namespace karst::render {

namespace {

using namespace heightfield;

class TilePlacementTest : public TileTest {};

// Distance along the camera's axis, from reversed depth.
double distanceOf(float depth) {
    return 0.5 / static_cast<double>(depth);
}

// What a byte of an sRGB picture stands for.
double linearOf(int byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

TEST_F(TilePlacementTest, HX3_FarFromTheWorldOriginThePictureIsTheSame) {
    // A whole number of the noise's periods away, so that the surface noise is the same too; places of f32
    // are 1/16 apart there, and the camera stands on none of them.
    const double away = 61.0 * 16384;
    test::TileScene& scene = shared();
    const Vec3d eye = above(300.013, 300.007, 20.0021), target = above(700, 650, 0);
    const Surface far =
        test::makeGround({.samples = 257, .spacing = 1000.0 / 256, .originX = away, .originZ = -away},
                         [&](double x, double z) { return height(x - away, z + away); });
    const auto settings = [&](const Vec3d& offset, const Vec3d& nudge) {
        SceneSettings made = look(eye + offset + nudge, target + offset);
        made.camera.forward = normalized(target - eye);
        made.camera.up = normalized(cross(made.camera.right(), made.camera.forward));
        made.materials.detailSize = 1;
        return made;
    };
    const Vec3d offset{away, 0, -away};
    const test::TilePicture here = draw(scene, settings({}, {}));
    const test::TilePicture there = draw(scene, settings(offset, {}), {}, far);
    // The very same tiles, triangles and places, but for where f32 rounds the camera to.
    EXPECT_EQ(here.stats.cameraTriangles, there.stats.cameraTriangles);
    const auto difference = app::compareImages(here.image, there.image, 6);
    ASSERT_TRUE(difference);
    EXPECT_LT(difference->fractionOver, 0.005);
    EXPECT_LT(difference->meanDifference, 0.2);
    std::size_t compared = 0;
    double worst = 0;
    for (std::size_t i = 0; i < here.depth.size(); ++i) {
        if (here.depth[i] == 0 || there.depth[i] == 0) continue;
        const double a = distanceOf(here.depth[i]), b = distanceOf(there.depth[i]);
        if (std::abs(a - b) > 0.01 * a) continue;  // an edge of a hill that moved by a pixel
        ++compared;
        worst = std::max(worst, std::abs(a - b) / a);
    }
    EXPECT_GT(compared, 8000u);
    EXPECT_LT(worst, 1e-3);

    // The same by a transform from local space, without other tiles.
    TileTerrainSettings moved;
    moved.transform.translation = offset;
    const test::TilePicture placed = draw(scene, settings(offset, {}), moved);
    EXPECT_EQ(placed.stats.cameraTriangles, here.stats.cameraTriangles);
    const auto placedDifference = app::compareImages(here.image, placed.image, 6);
    ASSERT_TRUE(placedDifference);
    EXPECT_LT(placedDifference->fractionOver, 0.005);
}

TEST_F(TilePlacementTest, HX3_AMillimetreStaysAMillimetreFarFromTheOrigin) {
    // Level ground a metre below a camera that looks straight down, 1000 km from the origin.
    const double away = 1e6;
    const Surface flat = test::makeGround({.samples = 65, .spacing = 0.5, .originX = away, .originZ = away},
                                          [](double x, double) { return x > 1e6 + 16 ? 300.25 : 300.0; });
    test::TileScene& scene = shared();
    const auto centre = [&](double rise, double x) {
        SceneSettings settings = look({away + x, 300 + rise, away + 8}, {away + x, 300, away + 8});
        const test::TilePicture picture = draw(scene, settings, {}, flat);
        return distanceOf(picture.depth[64 * 128 + 64]);
    };
    for (const double rise : {1.0, 1.001, 1.002, 1.0035})
        EXPECT_NEAR(centre(rise, 8), rise, 1e-5);
    // And sideways: the step in the ground passes below the camera within a few millimetres.
    const Surface wall =
        test::makeGround({.samples = 65, .spacing = 0.015625, .originX = away, .originZ = away},
                         [&](double x, double) { return x > away + 0.5 ? 0.25 : 0.0; });
    const auto edge = [&](double x) {
        SceneSettings settings = look({away + x, 2, away + 0.5}, {away + x, 0, away + 0.5});
        const test::TilePicture picture = draw(scene, settings, {}, wall);
        return distanceOf(picture.depth[64 * 128 + 64]);
    };
    // The pixel looks 1 / 128 of the picture's half width aside. On the slope of one cell, 16 times as steep
    // as 45 degrees, the ground under it rises 16 / (1 + 16 * aside) times as fast as the camera moves.
    const double aside = std::tan(0.45) / 128;
    const double on = 0.5078 - 1.875 * aside;
    // (Rasterisers put vertices on 1 / 256 of a pixel, here a twentieth of a millimetre.)
    EXPECT_NEAR(edge(on) - edge(on + 0.001), 0.016 / (1 + 16 * aside), 0.002);
}

TEST_F(TilePlacementTest, ATransformTurnsScalesAndMirrors) {
    test::TileScene& scene = shared();
    const SceneSettings settings = look({500, 900, 1500}, {500, 50, 500});
    const test::TilePicture plain = draw(scene, settings);
    // Turned by a quarter around Y, and the ground built turned back: the same ground.
    const Surface turned = test::makeGround({.samples = 257, .spacing = 1000.0 / 256},
                                            [](double x, double z) { return height(1000 - z, x); });
    TileTerrainSettings quarter;
    quarter.transform = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}, {1000, 0, 0}};
    const test::TilePicture same = draw(scene, settings, quarter, turned);
    // The triangles are split along the other diagonal.
    const auto difference = app::compareImages(plain.image, same.image, 12);
    ASSERT_TRUE(difference);
    EXPECT_LT(difference->fractionOver, 0.08);

    // Mirrored in X, lit from above all the same.
    const Surface mirrored = test::makeGround({.samples = 257, .spacing = 1000.0 / 256},
                                              [](double x, double z) { return height(1000 - x, z); });
    TileTerrainSettings mirror;
    mirror.transform = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1000, 0, 0}};
    const auto mirrorDifference =
        app::compareImages(plain.image, draw(scene, settings, mirror, mirrored).image, 12);
    ASSERT_TRUE(mirrorDifference);
    EXPECT_LT(mirrorDifference->fractionOver, 0.08);

    // Half as large, and stretched back.
    const Surface small = test::makeGround({.samples = 257, .spacing = 500.0 / 256},
                                           [](double x, double z) { return height(2 * x, 2 * z) / 2; });
    TileTerrainSettings twice;
    twice.transform = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {}};
    const test::TilePicture large = draw(scene, settings, twice, small);
    EXPECT_EQ(large.stats.selected, plain.stats.selected);
    const auto largeDifference = app::compareImages(plain.image, large.image, 6);
    ASSERT_TRUE(largeDifference);
    EXPECT_LT(largeDifference->fractionOver, 0.005);
}

// Smooth ground from straight above, coarse but for a pinned disk, so that tiles of all levels meet. A ring
// that held a wrong height would show as a line of bent normals along a border.
TEST_F(TilePlacementTest, H21_HX4_NoBorderShowsInTheNormals) {
    const auto smooth = [](double x, double z) { return 60 * std::sin(x / 80) * std::cos(z / 95); };
    const Surface ground = test::makeGround({.samples = 257, .spacing = 1000.0 / 256}, smooth);
    test::TileScene& scene = shared();
    SceneSettings settings = look({470, 800, 510}, {470, 0, 510});
    settings.diagnostic = Diagnostic::Normals;
    for (const bool pixelNormals : {false, true}) {
        TileTerrainSettings tiles;
        tiles.tolerance = 4;
        tiles.targetRadius = 70;
        tiles.focus = WorldPosition{400, 0, 450};
        tiles.pixelNormals = pixelNormals;
        const test::TilePicture picture = draw(scene, settings, tiles, ground);
        EXPECT_GT(picture.drawn.draws, 1u) << "several strides";
        EXPECT_EQ(picture.stats.finestLevel, 0);
        const auto normal = [&](int x, int y, std::size_t part) {
            return linearOf(picture.image.pixel(x, y)[part]) * 2 - 1;
        };
        double sharpest = 0;
        for (int y = 1; y < 127; ++y) {
            for (int x = 1; x < 127; ++x) {
                for (const std::size_t part : {std::size_t{0}, std::size_t{2}}) {
                    const double here = 2 * normal(x, y, part);
                    sharpest =
                        std::max({sharpest, std::abs(normal(x - 1, y, part) + normal(x + 1, y, part) - here),
                                  std::abs(normal(x, y - 1, part) + normal(x, y + 1, part) - here)});
                }
            }
        }
        EXPECT_LT(sharpest, 0.06);
    }
}

TEST_F(TilePlacementTest, HX4_NormalsAreFinerThanTheLatticeDrawn) {
    // Ripples that a coarse lattice cannot show, seen from straight above.
    const auto ripples = [](double x, double z) { return 0.3 * std::sin(x * 0.35) * std::sin(z * 0.3); };
    const Surface ground = test::makeGround({.samples = 129, .tileCells = 128, .levels = 1}, ripples);
    test::TileScene& scene = shared();
    SceneSettings settings = look({64, 100, 64}, {64, 0, 64});
    settings.diagnostic = Diagnostic::Normals;
    TileTerrainSettings tiles;
    tiles.tolerance = 1e4;
    const auto meanError = [&](bool pixelNormals) {
        tiles.pixelNormals = pixelNormals;
        const test::TilePicture picture = draw(scene, settings, tiles, ground);
        EXPECT_LT(picture.stats.cameraTriangles, 3000u);
        double sum = 0;
        int pixels = 0;
        const CameraView& camera = settings.camera;
        for (int y = 4; y < 124; ++y) {
            for (int x = 4; x < 124; ++x) {
                const double tan = std::tan(camera.verticalFov / 2);
                const Vec3d ray = camera.forward + camera.right() * ((2 * (x + 0.5) / 128 - 1) * tan) -
                                  camera.up * ((2 * (y + 0.5) / 128 - 1) * tan);
                const double t = 100 / -ray.y, px = 64 + ray.x * t, pz = 64 + ray.z * t;
                const double gx = 0.3 * 0.35 * std::cos(px * 0.35) * std::sin(pz * 0.3),
                             gz = 0.3 * 0.3 * std::sin(px * 0.35) * std::cos(pz * 0.3);
                const Vec3d n = normalized(Vec3d{-gx, 1, -gz});
                const auto drawn = picture.image.pixel(x, y);
                sum +=
                    std::abs(linearOf(drawn[0]) * 2 - 1 - n.x) + std::abs(linearOf(drawn[2]) * 2 - 1 - n.z);
                ++pixels;
            }
        }
        return sum / pixels;
    };
    const double coarse = meanError(false), fine = meanError(true);
    EXPECT_GT(coarse, 0.05);
    EXPECT_LT(fine, 0.012);
}

}  // namespace

}  // namespace karst::render
