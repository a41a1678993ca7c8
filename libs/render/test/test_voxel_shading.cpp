#include <gtest/gtest.h>

#include "shaded_ground.h"
#include "voxel_scene.h"

namespace karst::render {
namespace {

using namespace voxel;

// Voxel ground lit by compute from visibility (ground_shading.h).
class VoxelShadingTest : public VoxelTest {
  protected:
    static Grid hills() {
        Grid grid = Grid::create({.placement = {.cellSize = 1}, .materials = {}}).value();
        EXPECT_TRUE(fillBlock(grid, {{64, 6, 64}, {}}, {128, 12, 128}, kRockId));
        for (int i = 0; i < 12; ++i) {
            const double x = 128 * ((i * 7 + 3) % 11) / 11.0, z = 128 * ((i * 5 + 2) % 13) / 13.0;
            EXPECT_TRUE(fillBall(grid, {x, 8.0 + i % 3, z}, 9.0 + i % 5, i % 2 ? kGrassId : kGroundId));
        }
        return grid;
    }
    static SceneSettings look() {
        SceneSettings scene = plainScene({20, 34, 20}, {80, 6, 80});
        scene.sun.direction = sunDirection(2.0f, 0.7f);
        return scene;
    }
    static void show(VoxelPool& pool, int level) {
        const Grid grid = hills();
        publishAll(pool, grid.snapshot(), [&](ChunkCoord) { return level; });
    }
};

TEST_F(VoxelShadingTest, V14_LightsAsTheLitPassDoes) {
    for (const int level : {0, 1}) {
        VoxelPool pool = makePool({.placement = {.cellSize = 1}});
        show(pool, level);
        uploadAll(pool);
        ShadedGround shaded(context(), kSide, kSide);
        for (const Diagnostic mode : {Diagnostic::None, Diagnostic::Levels, Diagnostic::Normals,
                                      Diagnostic::Materials, Diagnostic::Error}) {
            SceneSettings settings = look();
            settings.diagnostic = mode;
            const Drawn lit = draw(pool, settings, {.water = false, .sky = false});
            const Difference d = compare(lit.image, lit.depth, shaded.draw({}, settings, {}, &pool));
            EXPECT_GT(d.shaded, kSide * kSide / 4);
            EXPECT_EQ(d.missing + d.outside, 0);
            // The error's colour goes by how large a pixel is, which Lit asks of the triangle.
            const bool error = mode == Diagnostic::Error;
            EXPECT_LT(d.mean, error ? 1.5 : 1.0) << static_cast<int>(mode);
            EXPECT_LT(d.far, error ? 0.1 : 0.03) << static_cast<int>(mode);
        }
    }
}

TEST_F(VoxelShadingTest, BothGroundsShareOneVisibility) {
    // A plain of height tiles cuts the hills at half their height: a pixel has what is nearer.
    const heightfield::Surface plain =
        test::makeGround({.samples = 65, .spacing = 4}, [](double, double) { return 13.0; });
    VoxelPool pool = makePool({.placement = {.cellSize = 1}});
    show(pool, 0);
    uploadAll(pool);
    ShadedGround shaded(context(), kSide, kSide);
    SceneSettings settings = look();
    settings.diagnostic = Diagnostic::Levels;
    const auto both = shaded.draw(plain, settings, {}, &pool);
    const auto tiles = shaded.draw(plain, settings);
    const auto voxels = shaded.draw({}, settings, {}, &pool);
    int ofTiles = 0, ofVoxels = 0, ofNeither = 0;
    for (std::size_t i = 0; i < both.size(); i += 4) {
        const bool likeTiles = std::memcmp(&both[i], &tiles[i], 4) == 0;
        const bool likeVoxels = std::memcmp(&both[i], &voxels[i], 4) == 0;
        ofTiles += likeTiles && !likeVoxels;
        ofVoxels += likeVoxels && !likeTiles;
        ofNeither += !likeTiles && !likeVoxels;
    }
    EXPECT_GT(ofTiles, 1000);
    EXPECT_GT(ofVoxels, 1000);
    EXPECT_EQ(ofNeither, 0);
}

TEST_F(VoxelShadingTest, RefusesBlocksThatTheDeviceDoesNotReadAsStorage) {
    constexpr std::uint64_t kMost = std::uint64_t{1536} << 20;
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(context().physicalDevice(), &properties);
    if (properties.limits.maxStorageBufferRange >= kMost / 4) GTEST_SKIP() << "this device reads them all";
    VoxelPool large = makePool({.placement = {.cellSize = 1}, .solidBytes = kMost});
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    const PassTarget target{PassKind::Visibility,
                            {VK_FORMAT_UNDEFINED, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT}};
    const auto refused = VoxelPass::create(device(), *scene, large, {target});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("solidBytes 1610612736"), std::string::npos)
        << refused.error().message;
    EXPECT_TRUE(VoxelPass::create(device(), *scene, large, {ShadowMaps::target()}));
}

}  // namespace
}  // namespace karst::render
