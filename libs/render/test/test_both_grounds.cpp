#include <karst/heightfield_mesh/vertex_layout.h>
#include <karst/render/terrain_pass.h>

#include "voxel_scene.h"

namespace karst::render {
namespace {

using namespace voxel;
using voxel_mesh::SurfaceMesh;

/// A plate of height samples and chunks of voxel ground in one frame with one depth buffer.
class BothGrounds : public VoxelTest {
  protected:
    struct Frame {
        app::Image image;
        std::vector<float> depth;
        std::uint32_t calls = 0;
        int green(int x, int y) const {
            return image.rgba[static_cast<std::size_t>((y * kSide + x) * 4 + 1)];
        }
    };
    struct Which {
        bool terrain = true, voxels = true, shadows = false, voxelsFirst = false;
    };

    Frame drawBoth(const test::GridMesh& plate, VoxelPool& pool, SceneSettings settings, Which which) {
        auto target = app::OffscreenTarget::create(
            context(), {.width = kSide, .height = kSide, .samples = VK_SAMPLE_COUNT_1_BIT});
        auto scene = SceneUniforms::create(device(), {.cascades = 2, .cascadeResolution = 256});
        auto buffers = test::buffersOf(context(), plate.vertexBytes(), plate.indexBytes());
        const PassTarget lit{PassKind::Lit, target->formats()};
        auto terrain = TerrainPass::create(device(), *scene, {.target = lit, .layout = plate.layout});
        auto terrainCasters =
            TerrainPass::create(device(), *scene, {.target = ShadowMaps::target(), .layout = plate.layout});
        auto voxels = VoxelPass::create(device(), *scene, pool, {lit});
        auto voxelCasters = VoxelPass::create(device(), *scene, pool, {ShadowMaps::target()});
        EXPECT_TRUE(buffers && terrain && terrainCasters && voxels && voxelCasters);
        Frame frame;
        VoxelDraws draws;
        settings.cascades.count = 2;
        settings.cascades.distance = 150;
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            buffers->recordUploads(commands);
            if (auto uploads = pool.recordUploads(commands, settings.camera.position); !uploads)
                return uploads.error();
            if (auto updated = scene->recordUpdate(commands, settings); !updated) return updated;
            ShadowMaps& maps = scene->shadowMaps();
            for (int i = 0; which.shadows && i < 2; ++i) {
                const RenderView& view = scene->cascades().views[static_cast<std::size_t>(i)];
                pool.prepare(&view.frustum, draws);
                maps.recordBeginCascade(commands, i);
                if (which.terrain) {
                    terrainCasters->record(commands, *scene, view, *buffers, plate.indexCount(),
                                           maps.cascadeArea());
                }
                if (which.voxels) {
                    voxelCasters->record(commands, *scene, view, pool, draws, maps.cascadeArea());
                }
                maps.recordEnd(commands);
            }
            const RenderView& view = scene->camera();
            pool.prepare(&view.frustum, draws);
            target->beginRendering(commands);
            const auto voxelDraw = [&] {
                if (which.voxels)
                    frame.calls += voxels->record(commands, *scene, view, pool, draws, target->area()).calls;
            };
            if (which.voxelsFirst) voxelDraw();
            if (which.terrain) {
                frame.calls +=
                    terrain->record(commands, *scene, view, *buffers, plate.indexCount(), target->area())
                        .draws;
            }
            if (!which.voxelsFirst) voxelDraw();
            target->endRendering(commands);
            return {};
        });
        EXPECT_TRUE(done) << (done ? "" : done.error().message);
        frame.image = target->image();
        frame.depth = target->depth();
        return frame;
    }

    static test::GridMesh plate(double y, double half) {
        return test::makeGridMesh({.layout = heightfield::VertexLayout::positionNormal(),
                                   .columns = 9,
                                   .rows = 9,
                                   .minX = -half,
                                   .minZ = -half,
                                   .spacing = half / 4},
                                  [&](double, double) { return y; });
    }
    // The pixel that shows a point.
    static std::pair<int, int> pixel(const SceneSettings& scene, Vec3d p) {
        const Mat4f m = scene.camera.viewProjection({});
        const auto row = [&](int r) {
            return m.at(r, 0) * p.x + m.at(r, 1) * p.y + m.at(r, 2) * p.z + m.at(r, 3);
        };
        return {static_cast<int>((row(0) / row(3) * 0.5 + 0.5) * kSide),
                static_cast<int>((row(1) / row(3) * 0.5 + 0.5) * kSide)};
    }
};

TEST_F(BothGrounds, TheNearerHidesTheOtherBothWays) {
    // A ball of voxels that is half above the plate.
    Grid grid = Grid::create({.placement = {.cellSize = 1}, .materials = {}}).value();
    ASSERT_TRUE(fillBall(grid, {0, 0, 0}, 12, kSnowId));
    VoxelPool pool = makePool({.placement = grid.placement()});
    publishAll(pool, grid.snapshot(), [](ChunkCoord) { return 0; });
    uploadAll(pool);
    const test::GridMesh level = plate(0, 30);
    for (const SceneSettings& scene :
         {plainScene({0, 40, 30}, {0, 0, 0}), plainScene({0, -40, 30}, {0, 0, 0})}) {
        const Frame both = drawBoth(level, pool, scene, {});
        const Frame swapped = drawBoth(level, pool, scene, {.voxelsFirst = true});
        const Frame terrain = drawBoth(level, pool, scene, {.voxels = false});
        const Frame voxels = drawBoth(level, pool, scene, {.terrain = false});
        EXPECT_EQ(both.depth, swapped.depth);
        int fromVoxels = 0, hidden = 0;
        for (std::size_t i = 0; i < both.depth.size(); ++i) {
            ASSERT_EQ(both.depth[i], std::max(terrain.depth[i], voxels.depth[i]));
            const Frame& nearer = voxels.depth[i] > terrain.depth[i] ? voxels : terrain;
            if (voxels.depth[i] == terrain.depth[i]) continue;
            ASSERT_EQ(both.image.rgba[i * 4], nearer.image.rgba[i * 4]);
            fromVoxels += voxels.depth[i] > terrain.depth[i] ? 1 : 0;
            hidden += voxels.depth[i] > 0 && voxels.depth[i] < terrain.depth[i] ? 1 : 0;
        }
        EXPECT_GT(fromVoxels, 500);
        EXPECT_GT(hidden, 100) << "the half behind the plate";
        EXPECT_LE(both.calls, 8u);
    }
}

TEST_F(BothGrounds, EachCastsItsShadowOnTheOther) {
    SceneSettings scene = plainScene({0, 45, 45}, {0, 0, -5});
    scene.sun.direction = {1, 1, 0};  // shadows lie to the west
    // A voxel roof over the height plate, 10 above it.
    {
        VoxelPool pool = makePool({.placement = {.cellSize = 0.25}});
        const SurfaceMesh roof = plateMesh(0, 0, 32, kRockId);
        for (const ChunkCoord c : {ChunkCoord{-1, 0, -1}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 0}})
            ASSERT_TRUE(pool.publish(c, &roof, nullptr));
        uploadAll(pool);
        const test::GridMesh floor = plate(-10, 40);
        const Frame with = drawBoth(floor, pool, scene, {.shadows = true}),
                    without = drawBoth(floor, pool, scene, {});
        const auto [sx, sy] = pixel(scene, {-12, -10, 0});
        const auto [lx, ly] = pixel(scene, {-28, -10, 0});
        const auto [rx, ry] = pixel(scene, {0, 0, 0});
        EXPECT_LT(with.green(sx, sy), without.green(sx, sy) * 0.8);
        EXPECT_EQ(with.green(lx, ly), without.green(lx, ly));
        EXPECT_EQ(with.green(rx, ry), without.green(rx, ry)) << "the roof does not shade itself";
    }
    // A height plate over a voxel floor.
    {
        VoxelPool pool = makePool({.placement = {.cellSize = 1, .origin = {0, -10, 0}}});
        const SurfaceMesh floor = plateMesh(0, 0, 32, kRockId);
        for (const ChunkCoord c : {ChunkCoord{-1, 0, -1}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 0}})
            ASSERT_TRUE(pool.publish(c, &floor, nullptr));
        uploadAll(pool);
        const test::GridMesh roof = plate(0, 6);
        const Frame with = drawBoth(roof, pool, scene, {.shadows = true}),
                    without = drawBoth(roof, pool, scene, {});
        const auto [sx, sy] = pixel(scene, {-12, -10, 0});
        const auto [lx, ly] = pixel(scene, {-26, -10, 0});
        EXPECT_LT(with.green(sx, sy), without.green(sx, sy) * 0.8);
        EXPECT_EQ(with.green(lx, ly), without.green(lx, ly));
    }
}

}  // namespace
}  // namespace karst::render
