#include <gpu_scene.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <cmath>
#include <limits>

namespace karst::render {

namespace {

SceneSettings lookingDown(WorldPosition eye) {
    SceneSettings scene;
    scene.camera = CameraView::lookAt(eye, eye + Vec3d{0.3, -1, 0.2}, 1.0, 1.5, 0.5).value();
    return scene;
}

// The matrix is right where it matters: positions that f32 holds, less the origin, land where f64 says.
TEST(GpuScene, OriginAndMatrixAgreeFarFromTheWorldOrigin) {
    test::Random random(5);
    for (int i = 0; i < 200; ++i) {
        const WorldPosition eye{random.range(-4e6, 4e6), random.range(-100, 9000), random.range(-4e6, 4e6)};
        const SceneSettings scene = lookingDown(eye);
        const auto gpu = gpuSceneOf(scene, {});
        ASSERT_TRUE(gpu) << gpu.error().message;
        const Vec3f vertex =
            toFloat(eye + Vec3d{random.range(-50, 50), random.range(-80, -20), random.range(-50, 50)});
        const Vec3f relative = vertex - Vec3f{gpu->origin.x, gpu->origin.y, gpu->origin.z};
        const Mat4f& m = gpu->viewProjection;
        const float w =
            m.at(3, 0) * relative.x + m.at(3, 1) * relative.y + m.at(3, 2) * relative.z + m.at(3, 3);
        EXPECT_NEAR(w, dot(toDouble(vertex) - eye, scene.camera.forward), 1e-4);
    }
}

TEST(GpuScene, NoiseOriginRepeatsWithItsPeriod) {
    SceneSettings near = lookingDown({12.5, 80, -3.25});
    near.materials.detailSize = 2;
    SceneSettings far = near;
    const double period = 16384.0 * 2;
    far.camera.position = near.camera.position + Vec3d{31 * period, 0, -30 * period};
    const auto a = gpuSceneOf(near, {}), b = gpuSceneOf(far, {});
    ASSERT_TRUE(a && b);
    EXPECT_FLOAT_EQ(a->noiseOrigin.x, b->noiseOrigin.x);
    EXPECT_FLOAT_EQ(a->noiseOrigin.z, b->noiseOrigin.z);
    EXPECT_GE(a->noiseOrigin.z, 0);
    EXPECT_LE(a->noiseOrigin.z, 16384);
}

TEST(GpuScene, RefusesByName) {
    const auto refuses = [](const char* name, void (*spoil)(SceneSettings&)) {
        SceneSettings scene = lookingDown({0, 100, 0});
        ASSERT_TRUE(gpuSceneOf(scene, {}));
        spoil(scene);
        const auto result = gpuSceneOf(scene, {});
        ASSERT_FALSE(result) << name;
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    };
    refuses("sun direction", [](SceneSettings& s) { s.sun.direction = {0, 0, 0}; });
    refuses("visibility", [](SceneSettings& s) { s.sky.visibility = 0; });
    refuses("haze thickness", [](SceneSettings& s) { s.sky.hazeThickness = -1; });
    refuses("detailSize", [](SceneSettings& s) { s.materials.detailSize = 0; });
    refuses("highHeight", [](SceneSettings& s) { s.materials.highHeight = s.materials.lowHeight; });
    refuses("exposure", [](SceneSettings& s) { s.exposure = std::numeric_limits<float>::quiet_NaN(); });
    refuses("camera position", [](SceneSettings& s) { s.camera.position.y = HUGE_VAL; });
}

TEST(GpuScene, SunDirectionFollowsTheCompass) {
    const float quarter = static_cast<float>(M_PI / 2);
    EXPECT_NEAR(sunDirection(quarter, 0).x, 1, 1e-6);  // east
    EXPECT_NEAR(sunDirection(0, 0).z, -1, 1e-6);       // north
    EXPECT_NEAR(sunDirection(0, quarter).y, 1, 1e-6);  // overhead
    EXPECT_NEAR(length(sunDirection(1, 0.4f)), 1, 1e-6);
}

}  // namespace

}  // namespace karst::render
