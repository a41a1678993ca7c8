#include <karst_test/test_support.h>

#include "readback_target.h"
#include "voxel_rays.h"
#include "voxel_scene.h"

namespace karst::render {
namespace {

using namespace voxel;
using voxel_mesh::SurfaceMesh;
using voxel_mesh::WaterMesh;

int srgb(float linear) {
    const float encodedPart =
        linear > 0.0031308f ? 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f : 12.92f * linear;
    return static_cast<int>(std::lround(encodedPart * 255));
}

/// What VoxelPass and WaterPass write, against the chunks' meshes on the CPU.
class VoxelReadback : public VoxelTest {
  protected:
    /// A pond in rock under earth and grass, with a ball of snow at its shore: 2 x 2 chunks.
    static Grid pond() {
        Grid grid =
            Grid::create({.placement = {.cellSize = 0.5, .origin = {3, -2, 7}}, .materials = {}}).value();
        const auto world = [&](Vec3d cells) { return grid.placement().origin + cells * 0.5; };
        EXPECT_TRUE(fillRegion(grid, {{0, 0, 0}, {64, 10, 64}}, kRockId));
        EXPECT_TRUE(fillRegion(grid, {{0, 7, 0}, {64, 12, 64}}, kGroundId));
        EXPECT_TRUE(fillRegion(grid, {{0, 10, 20}, {64, 13, 64}}, kGrassId));
        EXPECT_TRUE(fillBall(grid, world({20, 12, 44}), 4, kSnowId));
        EXPECT_TRUE(fillRegion(grid, {{26, 5, 22}, {46, 13, 38}}, kAir));
        EXPECT_TRUE(fillBlock(grid, {world({36, 7.25, 30}), {}}, {10, 2.25, 8}, kWaterId));
        return grid;
    }

    static SceneSettings view(const Grid& grid) {
        const auto world = [&](Vec3d cells) { return grid.placement().origin + cells * 0.5; };
        SceneSettings scene = plainScene(world({40, 50, 85}), world({33, 8, 32}));
        scene.materials.detailSize = 1e-5f;
        return scene;
    }

    VoxelPool poolOf(const Grid& grid, const VoxelPalette& palette) {
        VoxelPool pool = makePool({.placement = grid.placement()});
        pool.setPalette(palette);
        WaterLook still;
        still.waveHeight = 0;
        EXPECT_TRUE(pool.setWater(still));
        publishAll(pool, grid.snapshot(), levelOf);
        uploadAll(pool);
        return pool;
    }
    static int levelOf(ChunkCoord c) { return (c.x + 2 * c.z) & 1; }

    static VoxelPalette vividPalette() {
        VoxelPalette palette = paletteOf(MaterialTable::standard());
        test::Random random(17);
        for (VoxelMaterial& m : palette) {
            m.color = {static_cast<float>(random.unit()), static_cast<float>(random.unit()),
                       static_cast<float>(random.unit())};
            m.roughness = static_cast<float>(random.unit());
        }
        return palette;
    }

    /// One draw of the camera's view into a target of its own.
    void drawInto(ReadbackTarget& target, VoxelPool& pool, const SceneSettings& settings, bool water) {
        auto scene = SceneUniforms::create(device());
        auto solidPass = VoxelPass::create(device(), *scene, pool, {target.target()});
        ASSERT_TRUE(scene && solidPass);
        std::optional<WaterPass> waterPass;
        if (water) {
            auto made = WaterPass::create(device(), *scene, pool, {target.target()});
            ASSERT_TRUE(made) << made.error().message;
            waterPass.emplace(std::move(*made));
        }
        VoxelDraws draws;
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            if (auto uploads = pool.recordUploads(commands, settings.camera.position); !uploads)
                return uploads.error();
            if (auto updated = scene->recordUpdate(commands, settings); !updated) return updated;
            pool.prepare(&scene->camera().frustum, draws);
            target.begin(commands);
            solidPass->record(commands, *scene, scene->camera(), pool, draws, target.area());
            if (waterPass) waterPass->record(commands, *scene, scene->camera(), pool, draws, target.area());
            target.end(commands);
            return {};
        });
        ASSERT_TRUE(done) << done.error().message;
    }
};

TEST_F(VoxelReadback, V14_TheGBufferHoldsWhatTheMeshesSay) {
    const Grid grid = pond();
    const VoxelPalette palette = vividPalette();
    VoxelPool pool = poolOf(grid, palette);
    VoxelRays ground(grid.placement(), palette), water(grid.placement());
    const GridSnapshot snapshot = grid.snapshot();
    for (const ChunkCoord chunk : voxel_mesh::meshCandidates(snapshot)) {
        SurfaceMesh mesh;
        WaterMesh sheet;
        voxel_mesh::ChunkMesher().build(snapshot, chunk, levelOf(chunk), mesh);
        mesh.level = levelOf(chunk);
        voxel_mesh::appendSkirt(mesh);
        voxel_mesh::WaterMesher().build(snapshot, chunk, sheet);
        ground.add(chunk, mesh);
        water.add(chunk, sheet);
    }
    const SceneSettings scene = view(grid);
    ReadbackTarget target(context(), PassKind::GBuffer, kSide);
    ASSERT_NO_FATAL_FAILURE(drawInto(target, pool, scene, true));
    const std::vector<float> depth = target.depth();
    int wet = 0, dry = 0, empty = 0, silhouettes = 0;
    for (int y = 3; y < kSide; y += 7) {
        for (int x = 2; x < kSide; x += 6) {
            const auto pixel = static_cast<std::size_t>(y * kSide + x);
            const auto solidHit = ground.inside(scene.camera, kSide, x, y);
            const auto waterHit = water.inside(scene.camera, kSide, x, y);
            if (!solidHit) {
                if (ground.at(scene.camera, kSide, x + 0.5, y + 0.5)) {
                    ++silhouettes;
                } else if (!water.at(scene.camera, kSide, x + 0.5, y + 0.5)) {
                    ++empty;
                    EXPECT_EQ(depth[pixel], 0) << x << " " << y;
                }
                continue;
            }
            // At the shore's outline one or the other.
            if (!waterHit && water.at(scene.camera, kSide, x + 0.5, y + 0.5)) continue;
            if (waterHit && std::abs(waterHit->along - solidHit->along) < 0.2) continue;
            const bool isWater = waterHit && waterHit->along < solidHit->along;
            const VoxelRays::Hit& hit = isWater ? *waterHit : *solidHit;
            EXPECT_NEAR(scene.camera.nearPlane / static_cast<double>(depth[pixel]), hit.along,
                        2e-4 * hit.along)
                << x << " " << y;
            const Vec3f normal = target.normal(pixel);
            EXPECT_LT(length(normal - hit.normal), 0.006f) << x << " " << y;
            EXPECT_EQ(target.byte(2, pixel, 2), isWater ? 255 : 0);
            EXPECT_EQ(target.byte(2, pixel, 1), 255) << "no clouds";
            if (isWater) {
                ++wet;
                continue;
            }
            ++dry;
            for (std::size_t c = 0; c < 3; ++c) {
                const float albedo = c == 0 ? hit.albedo.x : c == 1 ? hit.albedo.y : hit.albedo.z;
                EXPECT_NEAR(target.byte(0, pixel, c), srgb(albedo), 2) << x << " " << y << " " << c;
            }
        }
    }
    EXPECT_GT(dry, 100);
    EXPECT_GT(wet, 10);
    EXPECT_GT(empty, 20);
    EXPECT_LT(silhouettes, 20);
}

// The colours of one material say its roughness; its weights are of four.
TEST_F(VoxelReadback, V14_TheGBufferBlendsRoughnessByWeights) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}});
    const VoxelPalette palette = vividPalette();
    pool.setPalette(palette);
    const std::array<MaterialId, 4> materials{3, 7, 100, 200};
    const std::array<std::uint8_t, 4> weights{90, 80, 60, 25};
    const SurfaceMesh plate = plateMesh(4, 0, 32, {weights, weights, weights, weights}, materials);
    ASSERT_TRUE(pool.publish({}, &plate, nullptr));
    uploadAll(pool);
    ReadbackTarget target(context(), PassKind::GBuffer, 32);
    ASSERT_NO_FATAL_FAILURE(drawInto(target, pool, lampScene({16, 14, 16}, {16, 4, 16}), false));
    const std::size_t middle = 16 * 32 + 16;
    float roughness = 0;
    for (std::size_t i = 0; i < 4; ++i)
        roughness += palette[materials[i]].roughness * static_cast<float>(weights[i]) / 255;
    EXPECT_NEAR(target.byte(2, middle, 0), roughness * 255, 1);
    const Vec3f albedo = blendPalette(palette, materials, weights);
    EXPECT_NEAR(target.byte(0, middle, 0), srgb(albedo.x), 1);
    EXPECT_NEAR(target.byte(0, middle, 1), srgb(albedo.y), 1);
    EXPECT_NEAR(target.byte(0, middle, 2), srgb(albedo.z), 1);
    EXPECT_NEAR(target.normal(middle).y, 1, 0.002);
}

TEST_F(VoxelReadback, ThePrepassHasTheLitPassesDepthBitForBit) {
    const Grid grid = pond();
    VoxelPool pool = poolOf(grid, vividPalette());
    const auto world = [&](Vec3d cells) { return grid.placement().origin + cells * 0.5; };
    for (const auto& [eye, at] : {std::pair{Vec3d{40, 50, 85}, Vec3d{33, 8, 32}},
                                  {{-20, 14, 10}, {32, 10, 40}},
                                  {{32, -30, 32.1}, {32, 0, 32}}}) {
        const SceneSettings scene = plainScene(world(eye), world(at), 0.1);
        ReadbackTarget prepass(context(), PassKind::DepthPrepass, kSide);
        ASSERT_NO_FATAL_FAILURE(drawInto(prepass, pool, scene, false));
        ReadbackTarget gbuffer(context(), PassKind::GBuffer, kSide);
        ASSERT_NO_FATAL_FAILURE(drawInto(gbuffer, pool, scene, false));
        const Drawn lit = draw(pool, scene, {.water = false, .sky = false});
        const std::vector<float> depth = prepass.depth();
        EXPECT_EQ(depth, lit.depth);
        EXPECT_EQ(depth, gbuffer.depth());
        EXPECT_GT(std::count_if(depth.begin(), depth.end(), [](float d) { return d > 0; }), 1000);
    }
}

}  // namespace
}  // namespace karst::render
