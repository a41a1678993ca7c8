#include <gmock/gmock.h>

#include "readback_target.h"
#include "tile_ground.h"

namespace karst::render {

namespace {

using testing::HasSubstr;

class TilePassTest : public TileTest {};

TEST_F(TilePassTest, H22_TheGBufferHoldsNormalsAndAlbedoAtTheSameDepth) {
    ReadbackTarget target(context(), PassKind::GBuffer, 64);
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    auto pass = TilePass::create(device(), *scene, {target.target()});
    ASSERT_TRUE(pass) << pass.error().message;
    auto terrain = TileTerrain::create(device());
    ASSERT_TRUE(terrain);
    // A plane that rises by half a metre each metre to the east.
    const heightfield::Surface slope =
        test::makeGround({.samples = 65}, [](double x, double) { return 0.5 * x; });
    SceneSettings settings = look({32, 60, 32}, {32, 16, 32});
    settings.materials.detailSize = 1e-3f;
    settings.materials.normalDetail = 0;
    settings.materials.relief = 1;
    TileDrawStats drawn;
    const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
        if (auto updated = scene->recordUpdate(commands, settings); !updated) return updated;
        auto stats = terrain->prepare(slope, settings.camera, 64, {}, {&scene->camera(), 1});
        if (!stats) return stats.error();
        terrain->recordUploads(commands);
        target.begin(commands);
        drawn = terrain->record(commands, *scene, 0, *pass, target.area());
        target.end(commands);
        return {};
    });
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_GE(drawn.tiles, 1u);
    const Vec3d expected = normalized(Vec3d{-0.5, 1, 0});
    const std::vector<float> depth = target.depth();
    for (const std::size_t pixel : {20 * 64 + 20, 32 * 64 + 32, 40 * 64 + 45}) {
        const Vec3f normal = target.normal(pixel);
        EXPECT_NEAR(normal.x, expected.x, 0.004);
        EXPECT_NEAR(normal.y, expected.y, 0.004);
        EXPECT_NEAR(normal.z, expected.z, 0.004);
        EXPECT_NE(target.byte(0, pixel, 0) + target.byte(0, pixel, 1) + target.byte(0, pixel, 2), 0);
        EXPECT_GT(depth[pixel], 0);
    }
    EXPECT_NEAR(0.5 / double{depth[32 * 64 + 32]}, 44, 0.2);
}

TEST_F(TilePassTest, RefusesFormatsByName) {
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    PassTarget bad;
    bad.formats.color = VK_FORMAT_R16G16B16A16_SFLOAT;
    const auto colour = TilePass::create(device(), *scene, {bad});
    ASSERT_FALSE(colour);
    EXPECT_THAT(colour.error().message, HasSubstr("colour format"));
    bad = {};
    bad.formats.depth = VK_FORMAT_D16_UNORM;
    const auto depth = TilePass::create(device(), *scene, {bad});
    ASSERT_FALSE(depth);
    EXPECT_THAT(depth.error().message, HasSubstr("depth format"));
}

}  // namespace

}  // namespace karst::render
