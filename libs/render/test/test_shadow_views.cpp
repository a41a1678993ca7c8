#include <gtest/gtest.h>
#include <karst/render/shadow_views.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::render {
namespace {

struct Clip {
    double x, y, z, w;
};

Clip project(const Mat4f& m, Vec3d p) {
    double out[4];
    for (int row = 0; row < 4; ++row)
        out[row] = m.at(row, 0) * p.x + m.at(row, 1) * p.y + m.at(row, 2) * p.z + m.at(row, 3);
    return {out[0], out[1], out[2], out[3]};
}

Vec3d randomDirection(test::Random& random) {
    for (;;) {
        const Vec3d v{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        if (length(v) > 0.2 && length(v) < 1) return normalized(v);
    }
}

CameraView randomCamera(test::Random& random, double far) {
    const Vec3d eye{random.range(-far, far), random.range(-500, 500), random.range(-far, far)};
    return CameraView::lookAt(eye, eye + randomDirection(random) * 10, random.range(0.4, 1.6),
                              random.range(0.5, 2.2), 0.1)
        .value();
}

// A point that the camera sees at a distance along its axis.
Vec3d seen(const CameraView& camera, test::Random& random, double along) {
    const double tanY = std::tan(camera.verticalFov / 2);
    return camera.position + camera.forward * along +
           camera.right() * (along * tanY * camera.aspect * random.range(-1, 1)) +
           camera.up * (along * tanY * random.range(-1, 1));
}

TEST(ShadowViews, CascadesCoverAllThatTheCameraSeesUpToTheirDistance) {
    test::Random random(1);
    for (int round = 0; round < 60; ++round) {
        const CameraView camera = randomCamera(random, round % 2 ? 1e6 : 1e3);
        const Vec3d sun = randomDirection(random);
        CascadeSettings settings;
        settings.count = random.integer(1, kMaxCascades);
        settings.distance = random.range(50, 3000);
        settings.split = random.range(0, 1);
        const CascadeViews cascades = fitCascades(camera, toFloat(sun), settings, 1024);
        ASSERT_EQ(cascades.count, settings.count);
        for (int i = 0; i < 100; ++i) {
            const Vec3d point = seen(camera, random, random.range(camera.nearPlane, settings.distance));
            bool covered = false;
            for (int c = 0; c < cascades.count; ++c) {
                const RenderView& view = cascades.views[static_cast<std::size_t>(c)];
                const Clip clip = project(view.viewProjection, point - sceneOrigin(camera));
                ASSERT_EQ(clip.w, 1);
                const double edge = 1 - 3.9 / 1024;  // two texels are left for filtering
                const bool inside =
                    std::abs(clip.x) < edge && std::abs(clip.y) < edge && clip.z > 0 && clip.z < 1;
                if (inside) {
                    EXPECT_TRUE(view.frustum.contains(point));
                }
                covered |= inside;
            }
            ASSERT_TRUE(covered) << "round " << round;
        }
    }
}

TEST(ShadowViews, CastersTowardTheSunAreNearerAndInView) {
    test::Random random(2);
    const CameraView camera = randomCamera(random, 100);
    const Vec3d sun = normalized(Vec3d{0.4, 0.5, -0.3});
    CascadeSettings settings;
    settings.count = 2;
    const CascadeViews cascades = fitCascades(camera, toFloat(sun), settings, 512);
    const Vec3d point = seen(camera, random, settings.distance * 0.5);
    const Vec3d caster = point + sun * (settings.casterReach * 0.9);
    const RenderView& view = cascades.views[1];
    const Clip at = project(view.viewProjection, point - sceneOrigin(camera));
    const Clip over = project(view.viewProjection, caster - sceneOrigin(camera));
    EXPECT_NEAR(at.x, over.x, 1e-3);
    EXPECT_NEAR(at.y, over.y, 1e-3);
    EXPECT_GT(over.z, at.z) << "reverse-Z: nearer to the light is greater";
    EXPECT_TRUE(view.frustum.contains(caster));
}

// A world point falls on the same place within its texel however the camera moves and turns.
TEST(ShadowViews, CascadesMoveInWholeTexels) {
    test::Random random(3);
    const CameraView first = randomCamera(random, 100);
    CascadeSettings settings;
    settings.count = 1;
    constexpr std::uint32_t kSide = 256;
    const auto inTexels = [&](const CameraView& camera, Vec3d point) {
        const CascadeViews views = fitCascades(camera, {0.3f, 0.8f, 0.1f}, settings, kSide);
        const Clip clip = project(views.views[0].viewProjection, point - sceneOrigin(camera));
        return std::pair{clip.x * kSide / 2, clip.y * kSide / 2};
    };
    const Vec3d point = seen(first, random, 700);
    const auto [x, y] = inTexels(first, point);
    for (int i = 0; i < 50; ++i) {
        CameraView moved = first;
        const Vec3d step = randomDirection(random) * random.range(0, 30);
        moved.position = first.position + step;
        if (i % 2) {
            moved = CameraView::lookAt(moved.position, moved.position + randomDirection(random),
                                       first.verticalFov, first.aspect, first.nearPlane)
                        .value();
        }
        const auto [x2, y2] = inTexels(moved, point);
        EXPECT_NEAR(x2 - x, std::round(x2 - x), 0.02);
        EXPECT_NEAR(y2 - y, std::round(y2 - y), 0.02);
    }
}

TEST(ShadowViews, EveryPointAroundALightIsInAFace) {
    test::Random random(4);
    for (int i = 0; i < 500; ++i) {
        PointLight light;
        light.position = {random.range(-1e6, 1e6), random.range(-100, 100), random.range(-1e6, 1e6)};
        light.radius = random.range(1, 100);
        const WorldPosition origin = light.position + randomDirection(random) * 20;
        const Vec3d point =
            light.position + randomDirection(random) * (light.radius * random.range(0.01, 0.99));
        int faces = 0;
        for (const RenderView& view : pointLightFaces(light, origin, 128)) {
            const Clip clip = project(view.viewProjection, point - origin);
            const bool inside = clip.w > 0 && std::abs(clip.x) <= clip.w && std::abs(clip.y) <= clip.w;
            if (!inside) continue;
            ++faces;
            EXPECT_GT(clip.z / clip.w, 0);
            EXPECT_LT(clip.z / clip.w, 1);
            EXPECT_TRUE(view.frustum.contains(point));
        }
        ASSERT_GE(faces, 1);
    }
}

}  // namespace
}  // namespace karst::render
