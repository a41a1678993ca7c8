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
        int facesCast = 0;  ///< faces of the light that voxels were drawn into
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
        constexpr std::uint32_t kFaceSide = 128;
        auto scene = SceneUniforms::create(
            device(),
            {.cascades = 2, .cascadeResolution = 256, .pointLights = 1, .pointResolution = kFaceSide});
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
            const auto cast = [&](const RenderView& view, VkRect2D area) {
                pool.prepare(&view.frustum, draws);
                if (which.terrain)
                    terrainCasters->record(commands, *scene, view, *buffers, plate.indexCount(), area);
                const bool voxelsCast =
                    which.voxels &&
                    voxelCasters->record(commands, *scene, view, pool, draws, area).chunks > 0;
                maps.recordEnd(commands);
                return voxelsCast;
            };
            for (int i = 0; which.shadows && i < 2; ++i) {
                maps.recordBeginCascade(commands, i);
                cast(scene->cascades().views[static_cast<std::size_t>(i)], maps.cascadeArea());
            }
            for (int face = 0; which.shadows && settings.lightCount > 0 && face < kCubeFaces; ++face) {
                maps.recordBeginFace(commands, 0, face);
                const auto faces = pointLightFaces(settings.lights[0], scene->origin(), kFaceSide);
                frame.facesCast += cast(faces[static_cast<std::size_t>(face)], maps.faceArea()) ? 1 : 0;
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
        const auto [sx, sy] = pixelOf(scene, {-12, -10, 0}, kSide);
        const auto [lx, ly] = pixelOf(scene, {-28, -10, 0}, kSide);
        const auto [rx, ry] = pixelOf(scene, {0, 0, 0}, kSide);
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
        const auto [sx, sy] = pixelOf(scene, {-12, -10, 0}, kSide);
        const auto [lx, ly] = pixelOf(scene, {-26, -10, 0}, kSide);
        EXPECT_LT(with.green(sx, sy), without.green(sx, sy) * 0.8);
        EXPECT_EQ(with.green(lx, ly), without.green(lx, ly));
    }
}

// A lamp over a roof over a floor: one of them voxels, then the other, then both.
TEST_F(BothGrounds, PointLightsShineOnVoxelsAndVoxelsShadeThem) {
    SceneSettings scene = lampScene({0, 45, 45}, {0, -10, -5});
    scene.sun.color = {};
    scene.lightCount = 1;
    scene.lights[0].position = {0, 8, 0};
    scene.lights[0].color = {300, 500, 200};
    scene.lights[0].radius = 38;
    SceneSettings dark = scene;
    dark.lightCount = 0;
    // In the shade of the roof, which is 8 below the lamp, beside it, and beyond the radius.
    const Vec3d shaded{9, -10, -9}, bright{17, -10, -17}, far{-36, -10, -22};
    const SurfaceMesh ground = plateMesh(0, 0, 32, kRockId);
    const SurfaceMesh small = plateMesh(0, 0, 24, kRockId);  // 6 wide where a cell is 0.25
    const Vec3f rock = paletteOf(MaterialTable::standard())[kRockId].color;
    const auto check = [&](const Frame& with, const Frame& open, const Frame& none) {
        const auto at = [&](const Frame& frame, Vec3d p) {
            const auto [x, y] = pixelOf(scene, p, kSide);
            return frame.green(x, y);
        };
        EXPECT_EQ(at(with, shaded), at(none, shaded));
        EXPECT_GT(at(open, shaded), at(none, shaded) + 10);
        EXPECT_GT(at(with, bright), at(none, bright) + 4);
        EXPECT_EQ(at(with, bright), at(open, bright));
        EXPECT_EQ(at(open, far), at(none, far));
        EXPECT_GT(at(with, {2, 0, 2}), at(none, {2, 0, 2}) + 10) << "the roof does not shade itself";
    };
    const auto publish = [](VoxelPool& pool, const SurfaceMesh& mesh, int reach) {
        for (int x = -reach; x < reach; ++x) {
            for (int z = -reach; z < reach; ++z)
                ASSERT_TRUE(pool.publish({x, 0, z}, &mesh, nullptr));
        }
    };
    {
        SCOPED_TRACE("a roof of voxels over a plate");
        VoxelPool pool = makePool({.placement = {.cellSize = 0.25}});
        // Each chunk has 8 units; the roof reaches from -6 to 6.
        for (const ChunkCoord c : {ChunkCoord{-1, 0, -1}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 0}}) {
            SurfaceMesh part = small;
            for (auto& v : part.vertices) {
                if (c.x < 0) v.position.x += 8;
                if (c.z < 0) v.position.z += 8;
            }
            ASSERT_TRUE(pool.publish(c, &part, nullptr));
        }
        uploadAll(pool);
        const test::GridMesh floor = plate(-10, 40);
        const Frame with = drawBoth(floor, pool, scene, {.shadows = true});
        check(with, drawBoth(floor, pool, scene, {}), drawBoth(floor, pool, dark, {}));
        EXPECT_EQ(with.facesCast, 1) << "the face that looks down";
    }
    {
        SCOPED_TRACE("a plate over a floor of voxels");
        VoxelPool pool = makePool({.placement = {.cellSize = 1, .origin = {0, -10, 0}}});
        publish(pool, ground, 2);
        uploadAll(pool);
        const test::GridMesh roof = plate(0, 6);
        const Frame with = drawBoth(roof, pool, scene, {.shadows = true}),
                    open = drawBoth(roof, pool, scene, {});
        check(with, open, drawBoth(roof, pool, dark, {}));
        // And as bright as the fall-off says.
        for (const Vec3d p : {bright, Vec3d{10, -10, 4}, Vec3d{-14, -10, 8}}) {
            const Vec3d away = p - scene.lights[0].position;
            const double part = dot(away, away) / (38.0 * 38.0),
                         window = (1 - part * part) * (1 - part * part);
            const double falls = 18 / length(away) * window / dot(away, away);
            const auto [x, y] = pixelOf(scene, p, kSide);
            EXPECT_NEAR(open.green(x, y), encoded(rock.y * (0.9f * 0.5f + 500 * static_cast<float>(falls))),
                        2);
        }
    }
    {
        SCOPED_TRACE("voxels over voxels");
        VoxelPool pool = makePool({.placement = {.cellSize = 1, .origin = {0, -10, 0}}});
        publish(pool, ground, 2);
        SurfaceMesh roof = plateMesh(10, 0, 6, kRockId);
        for (const ChunkCoord c : {ChunkCoord{-1, 0, -1}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 0}}) {
            SurfaceMesh both = ground;
            for (auto v : roof.vertices) {
                if (c.x < 0) v.position.x += 26;
                if (c.z < 0) v.position.z += 26;
                both.vertices.push_back(v);
            }
            for (const std::uint32_t i : roof.indices)
                both.indices.push_back(i + 4);
            ASSERT_TRUE(pool.publish(c, &both, nullptr));
        }
        uploadAll(pool);
        const test::GridMesh none = plate(-30, 1);
        const Frame with = drawBoth(none, pool, scene, {.terrain = false, .shadows = true});
        check(with, drawBoth(none, pool, scene, {.terrain = false}),
              drawBoth(none, pool, dark, {.terrain = false}));
    }
}

}  // namespace
}  // namespace karst::render
