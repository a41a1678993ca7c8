#include "pass_scene.h"

namespace karst::render {

namespace {

class SceneUniformsTest : public PassTest {};

TEST_F(SceneUniformsTest, TwoViewsInOneCommandBufferKeepTheirSettings) {
    const test::GridMesh mesh = plate(0, 20);
    const SceneSettings first = plainScene({0, 10, 0}, {0, 0, 0});
    SceneSettings second = plainScene({0, 25, 0}, {0, 0, 0});
    second.exposure = 0.4f;
    const Picture expectedFirst = draw(mesh, first), expectedSecond = draw(mesh, second);

    const app::OffscreenTargetDesc targetDesc{
        .width = kSide, .height = kSide, .samples = VK_SAMPLE_COUNT_1_BIT};
    auto a = app::OffscreenTarget::create(context(), targetDesc),
         b = app::OffscreenTarget::create(context(), targetDesc);
    auto uniforms = SceneUniforms::create(device());
    ASSERT_TRUE(a && b && uniforms);
    auto terrain = TerrainPass::create(device(), *uniforms,
                                       {.target = {PassKind::Lit, a->formats()}, .layout = mesh.layout});
    auto sky = SkyPass::create(device(), *uniforms, a->formats());
    auto buffers = test::buffersOf(context(), mesh.vertexBytes(), mesh.indexBytes());
    ASSERT_TRUE(terrain && sky && buffers);
    const auto drawn = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
        buffers->recordUploads(commands);
        for (const auto& [target, scene] : {std::pair{&*a, &first}, {&*b, &second}}) {
            if (auto updated = uniforms->recordUpdate(commands, *scene); !updated) return updated;
            target->beginRendering(commands);
            terrain->record(commands, *uniforms, uniforms->camera(), *buffers, mesh.indexCount(),
                            target->area());
            sky->record(commands, *uniforms, target->area());
            target->endRendering(commands);
        }
        return {};
    });
    ASSERT_TRUE(drawn) << drawn.error().message;
    EXPECT_EQ(a->image().rgba, expectedFirst.image.rgba);
    EXPECT_EQ(b->image().rgba, expectedSecond.image.rgba);
    EXPECT_EQ(b->depth(), expectedSecond.depth);
}

TEST_F(SceneUniformsTest, RefusedSettingsRecordNothing) {
    auto uniforms = SceneUniforms::create(device());
    ASSERT_TRUE(uniforms);
    SceneSettings scene = plainScene({0, 10, 0}, {0, 0, 0});
    scene.sky.visibility = -5;
    const auto result = app::submitAndWait(
        context(), [&](VkCommandBuffer commands) { return uniforms->recordUpdate(commands, scene); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(result.error().message.find("visibility -5"), std::string::npos) << result.error().message;
}

}  // namespace

}  // namespace karst::render
