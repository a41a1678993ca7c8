#include <common/one_shot.h>
#include <common/voxel_pool_sink.h>
#include <gtest/gtest.h>
#include <karst/render/sky_pass.h>
#include <karst/render/voxel_pass.h>
#include <karst/render/water_pass.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel_stream/voxel_streamer.h>

#include <cmath>
#include <optional>

#include "common/offscreen_target.h"
#include "golden/golden.h"
#include "golden/gpu_test.h"

namespace karst::test {
namespace {

using namespace voxel;

constexpr MaterialId kWater = 1, kGrass = 2, kRock = 4, kSand = 5;

class InlineExecutor final : public voxel_stream::MeshExecutor {
  public:
    std::uint32_t freeSlots() override { return 1; }
    void start(std::shared_ptr<voxel_stream::MeshBatch> batch) override { batch->run(); }
};

// A valley between waves of ground, with a pool on a ledge that falls to a lake; cells of 1.
Grid valley(WorldPosition origin) {
    Grid grid = Grid::create({.placement = {.cellSize = 1, .origin = origin}, .materials = {}}).value();
    const auto good = [](const Result<EditSummary>& edit) {
        if (!edit) ADD_FAILURE() << edit.error().message;
    };
    const CellBox all{{0, -16, 0}, {256, 48, 256}};
    const auto ground = [&](WorldPosition p) {
        const double x = p.x - origin.x, y = p.y - origin.y, z = p.z - origin.z;
        const double valleyFloor = 0.0045 * (x - 128) * (x - 128) / (1 + 0.01 * std::abs(x - 128));
        const double height = 4 + valleyFloor + 3 * std::sin(x / 13) * std::cos(z / 17) + 0.02 * (256 - z);
        return 0.6 * (y - height);
    };
    good(fillSignedDistance(grid, all, ground, kGrass));
    good(fillBall(grid, origin + Vec3d{128, 6, 214}, 26, kSand, FillMode::Paint));
    // A ledge of rock with a pool on it, open towards the south.
    good(fillBlock(grid, {origin + Vec3d{128, 10, 176}, {}}, {44, 20, 36}, kRock));
    good(fillRegion(grid, {{112, 15, 164}, {144, 20, 194}}, kAir));
    good(fillRegion(grid, {{112, 15, 164}, {144, 18, 194}}, kWater));
    good(fillRegion(grid, {{124, 6, 194}, {132, 18, 196}}, kWater));
    // The lake below.
    good(fillBall(grid, origin + Vec3d{128, 14, 216}, 20, kAir));
    good(fillCylinder(grid, {origin + Vec3d{128, 0, 216}, {}}, 6, 16, kWater));
    good(fillCylinder(grid, {origin + Vec3d{172, 22, 150}, {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}}, 80, 8, kAir));
    return grid;
}

class VoxelModes : public GpuTest {
  protected:
    static constexpr int kWidth = 256, kHeight = 160;

    /// The valley as it is streamed around an eye.
    struct Ground {
        app::OffscreenTarget target;
        render::SceneUniforms scene;
        render::VoxelPool pool;
    };
    std::optional<Ground> ground(WorldPosition eye, WorldPosition origin = {}) {
        const Grid grid = valley(origin);
        auto target = app::OffscreenTarget::create(
            context(), {.width = kWidth, .height = kHeight, .samples = VK_SAMPLE_COUNT_4_BIT});
        auto scene = render::SceneUniforms::create(device(), {.cascades = 2, .cascadeResolution = 1024});
        auto pool = render::VoxelPool::create(device(), {.placement = grid.placement(),
                                                         .solidBytes = 32 << 20,
                                                         .waterBytes = 1 << 20,
                                                         .uploadNanoseconds = ~std::uint64_t{0},
                                                         .framesInFlight = 1});
        if (!target || !scene || !pool) {
            ADD_FAILURE() << "the renderer cannot be made";
            return std::nullopt;
        }
        stream(grid, *pool, eye);
        return Ground{std::move(*target), std::move(*scene), std::move(*pool)};
    }

    app::Image draw(Ground& in, render::SceneSettings settings, render::PassKind kind = render::PassKind::Lit,
                    bool waterGround = false) {
        app::OffscreenTarget* target = &in.target;
        render::SceneUniforms* scene = &in.scene;
        render::VoxelPool* pool = &in.pool;
        const render::PassTarget lit{render::PassKind::Lit, target->formats()};
        auto solid = render::VoxelPass::create(device(), *scene, *pool, {lit});
        auto casters = render::VoxelPass::create(device(), *scene, *pool, {render::ShadowMaps::target()});
        auto water = render::WaterPass::create(device(), *scene, *pool, {lit});
        auto sky = render::SkyPass::create(device(), *scene, target->formats());
        auto under = render::WaterGround::create(device(), {.depth = target->depthView()});
        auto over = render::VoxelPass::create(device(), *scene, *pool, {{kind, target->formats()}});
        if (!solid || !casters || !water || !sky || !over || !under) {
            ADD_FAILURE() << "a pass cannot be made";
            return {};
        }
        settings.camera.aspect = target->aspect();
        settings.cascades.count = 2;
        settings.cascades.distance = 400;
        render::VoxelDraws draws;
        const auto drawn = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            if (auto uploads = pool->recordUploads(commands, settings.camera.position); !uploads)
                return uploads.error();
            if (auto updated = scene->recordUpdate(commands, settings); !updated) return updated;
            render::ShadowMaps& maps = scene->shadowMaps();
            for (int i = 0; i < scene->cascades().count; ++i) {
                const render::RenderView& view = scene->cascades().views[static_cast<std::size_t>(i)];
                pool->prepare(&view.frustum, draws);
                maps.recordBeginCascade(commands, i);
                casters->record(commands, *scene, view, *pool, draws, maps.cascadeArea());
                maps.recordEnd(commands);
            }
            const render::RenderView& view = scene->camera();
            pool->prepare(&view.frustum, draws);
            target->beginRendering(commands);
            if (kind != render::PassKind::Overdraw) {
                solid->record(commands, *scene, view, *pool, draws, target->area());
                sky->record(commands, *scene, target->area());
                if (waterGround) target->continueRendering(commands);
                water->record(commands, *scene, view, *pool, draws, target->area(),
                              waterGround ? &*under : nullptr);
            }
            if (kind != render::PassKind::Lit) {
                over->record(commands, *scene, view, *pool, draws, target->area());
            }
            target->endRendering(commands);
            return {};
        });
        if (!drawn) ADD_FAILURE() << drawn.error().message;
        return target->image();
    }

    void stream(const Grid& grid, render::VoxelPool& pool, WorldPosition eye) {
        app::VoxelPoolSink sink(pool);
        InlineExecutor executor;
        voxel_stream::StreamOptions options;
        options.levels = {.thresholds = {70, 140, 220}, .hysteresis = 4};
        auto streamer = voxel_stream::VoxelStreamer::create(options, executor, sink);
        ASSERT_TRUE(streamer) << streamer.error().message;
        for (int frame = 0; frame < 1000; ++frame) {
            const auto updated = streamer->update(grid, eye, 2000);
            ASSERT_TRUE(updated) << updated.error().message;
            render::VoxelUploadStats uploads;
            const auto copied = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
                auto recorded = pool.recordUploads(commands, eye);
                if (!recorded) return recorded.error();
                uploads = *recorded;
                return {};
            });
            ASSERT_TRUE(copied) << copied.error().message;
            if (streamer->settled() && uploads.waiting == 0) break;
        }
        EXPECT_TRUE(streamer->settled());
        EXPECT_EQ(sink.refused(), 0u);
        EXPECT_GT(pool.stats().shownSolid, 20u);
        EXPECT_EQ(pool.stats().chunks, streamer->stats().shown);
    }

    static render::SceneSettings view(WorldPosition eye, WorldPosition at) {
        render::SceneSettings scene;
        scene.camera = CameraView::lookAt(eye, at, 0.8, 1.6, 0.2).value();
        scene.sun.cloudShade = 0;
        scene.materials.detailSize = 0.25f;
        scene.sky.visibility = 4000;
        scene.sky.hazeThickness = 200;
        scene.time = 4;
        return scene;
    }
};

TEST_F(VoxelModes, EveryModeOfAStreamedValley) {
    render::SceneSettings scene = view({190, 60, 285}, {126, 8, 170});
    auto in = ground(scene.camera.position);
    ASSERT_TRUE(in);
    using render::Diagnostic;
    for (const auto& [diagnostic, name] : {std::pair{Diagnostic::None, "voxels_lit"},
                                           {Diagnostic::Levels, "voxels_levels"},
                                           {Diagnostic::Borders, "voxels_borders"},
                                           {Diagnostic::Normals, "voxels_normals"},
                                           {Diagnostic::Materials, "voxels_materials"},
                                           {Diagnostic::Error, "voxels_error"}}) {
        scene.diagnostic = diagnostic;
        EXPECT_TRUE(matchesGolden(draw(*in, scene), name));
    }
    scene.diagnostic = Diagnostic::None;
    EXPECT_TRUE(
        matchesGolden(draw(*in, scene, render::PassKind::Overdraw), "voxels_overdraw", {.mean = 1.0}));
    if (device().fillModeNonSolid) {
        // Nearer, so that cells are several pixels wide.
        scene.camera = view({147, 24, 246}, {125, 7, 205}).camera;
        EXPECT_TRUE(matchesGolden(draw(*in, scene, render::PassKind::Wireframe), "voxels_wireframe",
                                  {.fraction = 0.03, .mean = 2}));
    }
}

// From the lake's shore to the fall, here and 1000 km away; without noise and waves, whose phase the place
// decides, both pictures are one.
TEST_F(VoxelModes, HX3_WaterAndAFallHereAndFarFromTheOrigin) {
    const WorldPosition origin{1e6 + 0.37, 2000.11, -1e6 - 0.61};
    render::SceneSettings scene = view({143, 9, 242}, {127, 7, 196});
    auto here = ground(scene.camera.position), there = ground(scene.camera.position + origin, origin);
    ASSERT_TRUE(here && there);
    EXPECT_TRUE(matchesGolden(draw(*here, scene), "voxels_water"));
    EXPECT_TRUE(matchesGolden(draw(*here, scene, render::PassKind::Lit, true), "voxels_water_depth"));

    render::WaterLook still;
    still.waveHeight = 0;
    ASSERT_TRUE(here->pool.setWater(still) && there->pool.setWater(still));
    scene.materials.detailSize = 1e-5f;
    const app::Image near = draw(*here, scene);
    scene.camera.position = scene.camera.position + origin;
    for (float* height : {&scene.sky.hazeHeight, &scene.materials.lowHeight, &scene.materials.highHeight})
        *height += static_cast<float>(origin.y);
    const auto difference = app::compareImages(near, draw(*there, scene), 8);
    ASSERT_TRUE(difference);
    EXPECT_LT(difference->meanDifference, 0.5);
    EXPECT_LT(difference->fractionOver, 0.005);
}

}  // namespace
}  // namespace karst::test
