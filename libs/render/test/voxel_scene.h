#pragma once

#include <common/one_shot.h>
#include <karst/render/sky_pass.h>
#include <karst/render/voxel_pass.h>
#include <karst/render/water_pass.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/skirt.h>

#include <optional>
#include <vector>

#include "pass_scene.h"

namespace karst::render {

inline constexpr voxel::MaterialId kWaterId = 1, kGrassId = 2, kGroundId = 3, kRockId = 4, kSandId = 5,
                                   kSnowId = 6;

/// A square plate of one quad, level, seen from above, of one set of materials: for colours to compute.
inline voxel_mesh::SurfaceMesh plateMesh(float height, float low, float high,
                                         const std::array<std::array<std::uint8_t, 4>, 4>& weights,
                                         std::array<voxel::MaterialId, 4> materials) {
    voxel_mesh::SurfaceMesh mesh;
    const float at[4][2] = {{low, low}, {high, low}, {high, high}, {low, high}};
    for (std::size_t i = 0; i < 4; ++i)
        mesh.vertices.push_back({{at[i][0], height, at[i][1]}, {0, 1, 0}, materials, weights[i]});
    mesh.indices = {0, 3, 2, 0, 2, 1};
    return mesh;
}

inline voxel_mesh::SurfaceMesh plateMesh(float height, float low, float high, voxel::MaterialId material) {
    const std::array<std::uint8_t, 4> all{255, 0, 0, 0};
    return plateMesh(height, low, high, {all, all, all, all}, {material, material, material, material});
}

/// A level sheet of water with the same fade everywhere.
inline voxel_mesh::WaterMesh sheetMesh(float height, float low, float high, float fade) {
    voxel_mesh::WaterMesh mesh;
    for (const auto& [x, z] : {std::pair{low, low}, {high, low}, {high, high}, {low, high}})
        mesh.vertices.push_back({{x, height, z}, {0, 1, 0}, fade});
    mesh.indices = {0, 3, 2, 0, 2, 1};
    return mesh;
}

class VoxelTest : public test::GpuTest {
  protected:
    static constexpr int kSide = 128;
    struct Drawn {
        app::Image image;
        std::vector<float> depth;
        VoxelDrawStats solid, water;
        VoxelUploadStats uploads;
        int pixel(int x, int y, int channel) const {
            return image.rgba[static_cast<std::size_t>((y * kSide + x) * 4 + channel)];
        }
    };
    struct How {
        PassKind kind = PassKind::Lit;
        bool cull = true, solid = true, water = true, sky = true;
        bool ground = false;  ///< whether the water is told what lies under it
    };

    VoxelPool makePool(VoxelPoolDesc desc = {}, bool indirect = true) {
        if (desc.solidBytes == VoxelPoolDesc{}.solidBytes) desc.solidBytes = 16 << 20;
        if (desc.waterBytes == VoxelPoolDesc{}.waterBytes) desc.waterBytes = 1 << 20;
        VulkanDevice host = device();
        if (!indirect) host.multiDrawIndirect = false;
        auto pool = VoxelPool::create(host, desc);
        if (!pool) ADD_FAILURE() << pool.error().message;
        return std::move(pool).value();
    }

    /// One recordUploads, submitted and waited for.
    VoxelUploadStats upload(VoxelPool& pool, WorldPosition camera = {}) {
        VoxelUploadStats stats;
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            auto uploads = pool.recordUploads(commands, camera);
            if (!uploads) return uploads.error();
            stats = *uploads;
            return {};
        });
        if (!done) ADD_FAILURE() << done.error().message;
        return stats;
    }
    void uploadAll(VoxelPool& pool, WorldPosition camera = {}) {
        for (int frame = 0; frame < 1000; ++frame) {
            if (upload(pool, camera).waiting == 0) return;
        }
        ADD_FAILURE() << "the uploads never end";
    }

    /// All chunks of the grid, at levels as `levelOf` says.
    static void publishAll(VoxelPool& pool, const voxel::GridSnapshot& grid, auto&& levelOf,
                           bool skirts = true) {
        voxel_mesh::ChunkMesher mesher;
        voxel_mesh::WaterMesher waterMesher;
        for (const voxel::ChunkCoord chunk : voxel_mesh::meshCandidates(grid)) {
            voxel_mesh::SurfaceMesh mesh;
            voxel_mesh::WaterMesh water;
            mesher.build(grid, chunk, levelOf(chunk), mesh);
            mesh.level = levelOf(chunk);
            if (skirts) voxel_mesh::appendSkirt(mesh);
            waterMesher.build(grid, chunk, water);
            const auto published = pool.publish(chunk, &mesh, &water);
            if (!published) ADD_FAILURE() << published.error().message;
        }
    }

    /// Draws what the pool shows, after one more recordUploads.
    Drawn draw(VoxelPool& pool, const SceneSettings& settings, How how) {
        Passes* passes = passesOf(pool, how.kind);
        Drawn out;
        if (!passes) return out;
        app::OffscreenTarget& target = *m_target;
        VoxelDraws draws;
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            const auto uploads = pool.recordUploads(commands, settings.camera.position);
            if (!uploads) return uploads.error();
            out.uploads = *uploads;
            if (auto updated = m_scene->recordUpdate(commands, settings); !updated) return updated;
            const RenderView& view = m_scene->camera();
            pool.prepare(how.cull ? &view.frustum : nullptr, draws);
            target.beginRendering(commands);
            if (how.solid)
                out.solid = passes->solid.record(commands, *m_scene, view, pool, draws, target.area());
            if (how.sky) m_sky->record(commands, *m_scene, target.area());
            if (how.ground) target.continueRendering(commands);
            if (how.water) {
                out.water = passes->water.record(commands, *m_scene, view, pool, draws, target.area(),
                                                 how.ground ? &*m_ground : nullptr);
            }
            target.endRendering(commands);
            return {};
        });
        if (!done) ADD_FAILURE() << done.error().message;
        out.image = target.image();
        out.depth = target.depth();
        return out;
    }
    Drawn draw(VoxelPool& pool, const SceneSettings& settings) { return draw(pool, settings, How()); }

  private:
    struct Passes {
        PassKind kind;
        VoxelPass solid;
        WaterPass water;
    };
    // Made with the first pool that is drawn; any other is drawn with them too.
    Passes* passesOf(const VoxelPool& pool, PassKind kind) {
        if (!m_target) {
            auto target = app::OffscreenTarget::create(
                context(), {.width = kSide, .height = kSide, .samples = VK_SAMPLE_COUNT_1_BIT});
            auto scene = SceneUniforms::create(device());
            auto sky = SkyPass::create(device(), *scene, target->formats());
            auto ground = WaterGround::create(device(), {.depth = target->depthView()});
            if (!ground) ADD_FAILURE() << ground.error().message;
            m_ground.emplace(std::move(ground).value());
            m_target.emplace(std::move(target).value());
            m_scene.emplace(std::move(scene).value());
            m_sky.emplace(std::move(sky).value());
        }
        for (Passes& passes : m_passes) {
            if (passes.kind == kind) return &passes;
        }
        const PassTarget target{kind, m_target->formats()};
        auto solid = VoxelPass::create(device(), *m_scene, pool, {target});
        auto water = WaterPass::create(device(), *m_scene, pool, {target});
        if (!solid || !water) {
            ADD_FAILURE() << (solid ? water.error() : solid.error()).message;
            return nullptr;
        }
        m_passes.push_back({kind, std::move(*solid), std::move(*water)});
        return &m_passes.back();
    }

    std::optional<app::OffscreenTarget> m_target;
    std::optional<SceneUniforms> m_scene;
    std::optional<SkyPass> m_sky;
    std::optional<WaterGround> m_ground;
    std::vector<Passes> m_passes;
};

/// Colours to compute: a white-ish lamp, an even sky, noise finer than a pixel.
inline SceneSettings lampScene(WorldPosition eye, WorldPosition target) {
    SceneSettings scene = plainScene(eye, target);
    scene.materials.detailSize = 1e-5f;
    scene.sun.direction = {0.5f, 0.5f, 0};
    scene.sun.color = {2, 1.5f, 1};
    scene.sky.horizon = scene.sky.zenith = {0.4f, 0.5f, 0.8f};
    return scene;
}

/// What a level, wholly open surface of this colour sends under lampScene, in steps of 255.
inline std::array<int, 3> litBy(Vec3f albedo) {
    const float sun = std::sqrt(0.5f), sky = 0.9f;
    return {encoded(albedo.x * (2.0f * sun + sky * 0.4f)), encoded(albedo.y * (1.5f * sun + sky * 0.5f)),
            encoded(albedo.z * (1.0f * sun + sky * 0.8f))};
}

}  // namespace karst::render
