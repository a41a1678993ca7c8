#include <gmock/gmock.h>
#include <karst/render/terrain_pass.h>

#include "pass_scene.h"

namespace karst::render {
namespace {

using heightfield::VertexLayout;

// A wide floor and a small plate above it.
class ShadowMapsTest : public PassTest {
  protected:
    struct Frame {
        app::Image image;
        float at(int x, int y) const { return image.rgba[static_cast<std::size_t>(y * kSide + x) * 4 + 1]; }
    };

    Frame drawWith(SceneSettings settings, bool drawShadows) {
        const test::GridMesh floor = plate(0, 40), roof = plate(10, 6);
        const app::OffscreenTargetDesc targetDesc{
            .width = kSide, .height = kSide, .samples = VK_SAMPLE_COUNT_1_BIT};
        auto target = app::OffscreenTarget::create(context(), targetDesc);
        auto scene = SceneUniforms::create(
            device(), {.cascades = 2, .cascadeResolution = 256, .pointLights = 1, .pointResolution = 128});
        auto lit = TerrainPass::create(
            device(), *scene, {.target = {PassKind::Lit, target->formats()}, .layout = floor.layout});
        auto casters =
            TerrainPass::create(device(), *scene, {.target = ShadowMaps::target(), .layout = floor.layout});
        auto a = test::buffersOf(context(), floor.vertexBytes(), floor.indexBytes());
        auto b = test::buffersOf(context(), roof.vertexBytes(), roof.indexBytes());
        EXPECT_TRUE(lit && casters && a && b);
        ShadowMaps& maps = scene->shadowMaps();
        const auto drawBoth = [&](VkCommandBuffer commands, TerrainPass& pass, const RenderView& view,
                                  VkRect2D area) {
            pass.record(commands, *scene, view, *a, floor.indexCount(), area);
            pass.record(commands, *scene, view, *b, roof.indexCount(), area);
        };
        const auto drawn = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            a->recordUploads(commands);
            b->recordUploads(commands);
            if (auto updated = scene->recordUpdate(commands, settings); !updated) return updated;
            if (drawShadows) {
                for (int i = 0; i < scene->cascades().count; ++i) {
                    maps.recordBeginCascade(commands, i);
                    drawBoth(commands, *casters, scene->cascades().views[static_cast<std::size_t>(i)],
                             maps.cascadeArea());
                    maps.recordEnd(commands);
                }
                if (settings.lightCount > 0) {
                    const auto faces = pointLightFaces(settings.lights[0], scene->origin(), 128);
                    for (int face = 0; face < kCubeFaces; ++face) {
                        maps.recordBeginFace(commands, 0, face);
                        drawBoth(commands, *casters, faces[static_cast<std::size_t>(face)], maps.faceArea());
                        maps.recordEnd(commands);
                    }
                }
            }
            target->beginRendering(commands);
            drawBoth(commands, *lit, scene->camera(), target->area());
            target->endRendering(commands);
            return {};
        });
        EXPECT_TRUE(drawn) << drawn.error().message;
        return {target->image()};
    }

    // From the south and above: the roof does not hide the floor below its northern part.
    static SceneSettings view() {
        SceneSettings scene = plainScene({0, 45, 45}, {0, 0, -5});
        scene.cascades.distance = 150;
        return scene;
    }
};

TEST_F(ShadowMapsTest, TheSunsShadowFallsWhereTheRoofHidesTheSun) {
    SceneSettings scene = view();
    scene.sun.direction = {1, 1, 0};  // the shadow lies 10 to the west of the roof
    scene.cascades.count = 2;
    const Frame with = drawWith(scene, true), without = drawWith(scene, false);
    const auto [sx, sy] = pixelOf(scene, {-10, 0, 0}, kSide);
    const auto [lx, ly] = pixelOf(scene, {-25, 0, 0}, kSide);
    const auto [rx, ry] = pixelOf(scene, {0, 10, 0}, kSide);
    EXPECT_LT(with.at(sx, sy), without.at(sx, sy) * 0.8f);
    EXPECT_EQ(with.at(lx, ly), without.at(lx, ly)) << "in the sun";
    EXPECT_EQ(with.at(rx, ry), without.at(rx, ry)) << "the roof does not shade itself";
    // Nothing else darkens: the shadow covers about the roof's area.
    int darker = 0;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x)
            darker += with.at(x, y) < without.at(x, y) * 0.9f;
    }
    EXPECT_GT(darker, 40);
    EXPECT_LT(darker, 300);
}

TEST_F(ShadowMapsTest, APointLightShinesToItsRadiusAndBehindNothing) {
    SceneSettings scene = view();
    scene.sun.color = {};
    scene.lightCount = 1;
    scene.lights[0].position = {0, 18, 0};
    scene.lights[0].color = {600, 600, 600};
    scene.lights[0].radius = 38;
    SceneSettings dark = scene;
    dark.lightCount = 0;
    const Frame with = drawWith(scene, true), open = drawWith(scene, false), none = drawWith(dark, false);
    // The roof, 8 below the light, shades the floor out to 6 * 18 / 8 = 13.5.
    const auto [sx, sy] = pixelOf(scene, {10, 0, -9}, kSide);
    const auto [lx, ly] = pixelOf(scene, {17, 0, -17}, kSide);
    const auto [fx, fy] = pixelOf(scene, {-39, 0, -30}, kSide);
    EXPECT_EQ(with.at(sx, sy), none.at(sx, sy));
    EXPECT_GT(open.at(sx, sy), none.at(sx, sy) + 10);
    EXPECT_GT(with.at(lx, ly), none.at(lx, ly) + 4);
    EXPECT_EQ(with.at(fx, fy), none.at(fx, fy)) << "beyond the radius";
}

TEST_F(ShadowMapsTest, RefusesWhatItHasNoMapsFor) {
    const auto made = ShadowMaps::create(device(), {.cascades = 5});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, testing::HasSubstr("cascades 5"));
    const auto small = ShadowMaps::create(device(), {.cascades = 1, .cascadeResolution = 4});
    ASSERT_FALSE(small);
    EXPECT_THAT(small.error().message, testing::HasSubstr("resolution 4"));
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    SceneSettings settings = view();
    settings.cascades.count = 1;
    const auto result = app::submitAndWait(
        context(), [&](VkCommandBuffer commands) { return scene->recordUpdate(commands, settings); });
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, testing::HasSubstr("1 cascades"));
}

}  // namespace
}  // namespace karst::render
