#include "pass_scene.h"

namespace karst::render {

namespace {

class SkyPassTest : public PassTest {};

TEST_F(SkyPassTest, OverheadIsTheZenithAndWritesNoDepth) {
    SceneSettings scene = plainScene({0, 10, 0}, {0, 20, 0});
    scene.sun.color = {0, 0, 0};
    const Picture picture = draw(plate(0, 20), scene);
    const auto pixel = picture.image.pixel(kSide / 2, kSide / 2);
    EXPECT_NEAR(pixel[0], encoded(scene.sky.zenith.x), 1);
    EXPECT_NEAR(pixel[1], encoded(scene.sky.zenith.y), 1);
    EXPECT_NEAR(pixel[2], encoded(scene.sky.zenith.z), 1);
    for (const float depth : picture.depth)
        ASSERT_EQ(depth, 0);
}

TEST_F(SkyPassTest, StraightDownIsEarth) {
    const SceneSettings scene = plainScene({0, 10, 0}, {0, 0, 0});
    const auto pixel = draw(plate(30, 20), scene).image.pixel(kSide / 2, kSide / 2);
    EXPECT_NEAR(pixel[0], encoded(scene.materials.earth.x), 1);
    EXPECT_NEAR(pixel[2], encoded(scene.materials.earth.z), 1);
}

TEST_F(SkyPassTest, TheRaysAreTheCameras) {
    // The sun stands where the camera looks, then toward the upper right.
    SceneSettings scene = plainScene({0, 10, 0}, {0, 10, -10});
    scene.sky.zenith = scene.sky.horizon = {0, 0, 0};
    const auto brightest = [&] {
        const Picture picture = draw(plate(-1e6, 1), scene);
        int bestX = 0, bestY = 0, best = -1;
        for (int y = 0; y < kSide; ++y) {
            for (int x = 0; x < kSide; ++x) {
                const auto p = picture.image.pixel(x, y);
                const int sum = p[0] + p[1] + p[2];
                if (sum > best) {
                    best = sum;
                    bestX = x;
                    bestY = y;
                }
            }
        }
        return std::pair{bestX, bestY};
    };
    const double tan = std::tan(0.4);
    scene.sun.color = {0.5f, 0.5f, 0.5f};
    scene.sun.direction = toFloat(Vec3d{0.5 * tan, 0.25 * tan, -1});
    const auto [x, y] = brightest();
    EXPECT_NEAR(x, kSide * 0.75, 2);
    EXPECT_NEAR(y, kSide * 0.375, 2);
}

TEST_F(SkyPassTest, HasNoLineAtTheHorizonHoweverHighTheEyeIs) {
    SceneSettings scene;
    scene.sky.cloud = 0;
    for (const double height : {1000.0, 2e4, 1e5, 3e5, 2e6}) {
        for (const double fov : {0.02, 0.6}) {
            scene.camera = CameraView::lookAt({0, height, 0}, {0, height, -100}, fov, 1, 0.5).value();
            const Picture picture = draw(plate(-1e7, 1), scene);
            // The plain goes over into the sky, and is the darker the farther down one looks.
            const int horizon = picture.image.pixel(kSide / 2, kSide / 2 - 1)[1];
            int above = horizon;
            for (int y = kSide / 2; y < kSide; ++y) {
                const int green = picture.image.pixel(kSide / 2, y)[1];
                ASSERT_LE(green, above + 2) << height << " " << fov << " " << y;
                if (y < kSide / 2 + 2) {
                    ASSERT_GE(green, horizon - 16) << height << " " << fov << " " << y;
                }
                above = green;
            }
            EXPECT_GT(above, 20) << height << " " << fov;
        }
    }
}

TEST_F(SkyPassTest, GroundIsSeenThroughTheHazeFromAnyHeight) {
    SceneSettings scene;
    scene.sun.cloudShade = 0;
    std::vector<int> greens;
    for (const double height : {1e4, 1e5, 3e5, 2e6}) {
        scene.camera = CameraView::lookAt({0, height, 0}, {0, 0, 0}, 0.6, 1, 0.5).value();
        greens.push_back(draw(plate(0, 2e6), scene).image.pixel(kSide / 2, kSide / 2)[1]);
    }
    // All of the haze lies below each of them.
    for (const int green : greens)
        EXPECT_NEAR(green, greens[0], 6);
    EXPECT_GT(greens[0], 60);
}

TEST_F(SkyPassTest, GroundStaysInFront) {
    // A plate that fills the middle only: the sky around it follows its colour, the plate does not.
    SceneSettings scene = plainScene({0, -10, 0}, {0, 0, 0});
    const Picture before = draw(plate(0, 2), scene);
    EXPECT_GT(before.depth[kCentre], 0);
    EXPECT_EQ(before.depth[0], 0);
    scene.sky.zenith = {1, 0, 0};
    const Picture after = draw(plate(0, 2), scene);
    EXPECT_NE(after.image.pixel(0, 0), before.image.pixel(0, 0));
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            if (before.depth[static_cast<std::size_t>(y * kSide + x)] > 0) {
                ASSERT_EQ(after.image.pixel(x, y), before.image.pixel(x, y)) << x << " " << y;
            }
        }
    }
}

}  // namespace

}  // namespace karst::render
