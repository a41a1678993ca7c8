#include "common/voxel_picture.h"

#include <karst/voxel_mesh/chunk_surface.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/voxel_light.h"

namespace karst::app {
namespace {

using namespace karst::voxel;

constexpr int kCascades = 3;

// Chunks that may own a surface or draw water.
std::vector<ChunkCoord> chunksOf(const GridSnapshot& grid) {
    const std::vector<ChunkCoord> solid = voxel_mesh::meshCandidates(grid);
    std::set<ChunkCoord> chunks(solid.begin(), solid.end());
    grid.forEachChunk([&](ChunkCoord c, const Chunk&) {
        for (std::int32_t z = -1; z <= 1; ++z) {
            for (std::int32_t x = -1; x <= 1; ++x) {
                const ChunkCoord near{c.x + x, c.y, c.z + z};
                if (!chunks.contains(near) && voxel_mesh::mayDrawWater(grid, near)) chunks.insert(near);
            }
        }
    });
    return {chunks.begin(), chunks.end()};
}

// Light of the sky alone: the sun's shadow is drawn.
void addLight(VoxelPicture::Part& part, VoxelLight& light) {
    const CellCoord first = firstCell(part.chunk);
    const Vec3d corner{double(first.x), double(first.y), double(first.z)};
    const double step = 1.0 + 0.5 * ((1 << part.solid.level) - 1);
    part.light.reserve(part.solid.vertices.size());
    for (const voxel_mesh::SurfaceVertex& vertex : part.solid.vertices) {
        const float sky = light.sky(corner + toDouble(vertex.position), vertex.normal, step);
        part.light.push_back({255, static_cast<std::uint8_t>(std::lround(sky * 255.0f))});
    }
}

Bounds boundsOf(const VoxelPicture::Part& part, const GridPlacement& placement) {
    Bounds bounds;
    const WorldPosition corner = placement.cellCorner(firstCell(part.chunk));
    const auto add = [&](Vec3f place) {
        const Vec3d p = corner + toDouble(place) * placement.cellSize;
        bounds = unite(bounds, {p, p});
    };
    for (const auto& vertex : part.solid.vertices)
        add(vertex.position);
    for (const auto& vertex : part.water.vertices)
        add(vertex.position);
    return bounds;
}

Result<render::VoxelPool> poolOf(VulkanContext& context, const VoxelPicture& picture) {
    std::size_t largest = 0, solid = 0, water = 0;
    for (const VoxelPicture::Part& part : picture.parts) {
        const std::size_t s = part.solid.vertices.size() * 24 + part.solid.indices.size() * 4;
        const std::size_t w = part.water.vertices.size() * 24 + part.water.indices.size() * 4;
        solid += s;
        water += w;
        largest = std::max({largest, s, w});
    }
    render::VoxelPoolDesc desc;
    desc.placement = picture.placement;
    // Room for meshes with more vertices than half their triangles, and for the largest in a block.
    const auto room = [&](std::size_t bytes) {
        return std::clamp<std::uint64_t>(bytes * 2 + largest * 8, 1 << 20, std::uint64_t{1536} << 20);
    };
    desc.solidBytes = room(solid);
    desc.waterBytes = room(water);
    desc.maxChunks = static_cast<std::uint32_t>(std::clamp<std::size_t>(picture.parts.size(), 1, 65536));
    desc.uploadBudgetBytes = std::clamp<std::uint64_t>(solid + water, 64 << 10, 64 << 20);
    desc.uploadNanoseconds = ~std::uint64_t{0};
    desc.framesInFlight = 1;
    // Water of a size that cells can show.
    const auto cell = static_cast<float>(picture.placement.cellSize);
    render::WaterLook look;
    look.waveHeight = 0.03f * cell;
    look.waveLength = 2.25f * cell;
    look.waveSpeed = 1 / std::sqrt(cell);
    look.clearDepth = 0.75f * cell;
    desc.waveReach = static_cast<double>(look.waveHeight);
    auto pool = render::VoxelPool::create(context.description(), desc);
    if (!pool) return pool.error();
    pool->setPalette(render::paletteOf(picture.materials));
    if (auto set = pool->setWater(look); !set) return set.error();
    for (const VoxelPicture::Part& part : picture.parts) {
        const auto published = pool->publish(part.chunk, &part.solid, &part.water, part.light);
        if (!published) return published.error();
    }
    return pool;
}

}  // namespace

VoxelPicture makeVoxelPicture(const GridSnapshot& grid, const VoxelPictureOptions& options, JobSystem& jobs) {
    VoxelPicture picture;
    picture.placement = grid.placement();
    picture.materials = grid.materials();
    const std::vector<ChunkCoord> chunks = chunksOf(grid);
    picture.parts.resize(chunks.size());
    jobs.parallelFor(chunks.size(), 4, [&](std::size_t begin, std::size_t end) {
        VoxelLight light(grid);
        voxel_mesh::ChunkMesher mesher;
        voxel_mesh::WaterMesher waterMesher;
        for (std::size_t i = begin; i < end; ++i) {
            VoxelPicture::Part& part = picture.parts[i];
            part.chunk = chunks[i];
            mesher.build(grid, part.chunk, options.level, part.solid);
            part.solid.level = options.level;
            waterMesher.build(grid, part.chunk, part.water);
            addLight(part, light);
        }
    });
    for (const VoxelPicture::Part& part : picture.parts) {
        picture.bounds = unite(picture.bounds, boundsOf(part, picture.placement));
        picture.vertices += part.solid.vertices.size() + part.water.vertices.size();
        picture.triangles += (part.solid.indices.size() + part.water.indices.size()) / 3;
    }
    return picture;
}

Result<VoxelPictureRenderer> VoxelPictureRenderer::create(VulkanContext& context,
                                                          const VoxelPictureDesc& desc) {
    const render::VulkanDevice device = context.description();
    auto target = OffscreenTarget::create(
        context, {.width = desc.width, .height = desc.height, .samples = desc.samples});
    if (!target) return target.error();
    auto scene = render::SceneUniforms::create(
        device, {.cascades = kCascades, .cascadeResolution = desc.shadowResolution});
    if (!scene) return scene.error();
    auto sky = render::SkyPass::create(device, *scene, target->formats());
    if (!sky) return sky.error();
    return VoxelPictureRenderer(context, std::move(*target), std::move(*scene), std::move(*sky));
}

Result<VoxelPictureRenderer::Image> VoxelPictureRenderer::draw(const VoxelPicture& picture,
                                                               render::SceneSettings scene,
                                                               const PictureMesh* things) {
    const render::VulkanDevice device = m_context->description();
    auto thingBuffers = uploadMesh(*m_context, things ? *things : PictureMesh());
    if (!thingBuffers) return thingBuffers.error();
    const auto thingIndices = things ? static_cast<std::uint32_t>(things->indices.size()) : 0;
    auto thingPass =
        render::MeshPass::create(device, m_scene, {.target = {render::PassKind::Lit, m_target.formats()}});
    if (!thingPass) return thingPass.error();
    auto thingCasters = render::MeshPass::create(device, m_scene, {.target = render::ShadowMaps::target()});
    if (!thingCasters) return thingCasters.error();
    auto pool = poolOf(*m_context, picture);
    if (!pool) return pool.error();
    const render::PassTarget lit{render::PassKind::Lit, m_target.formats()};
    auto solid = render::VoxelPass::create(device, m_scene, *pool, {lit});
    if (!solid) return solid.error();
    auto casters = render::VoxelPass::create(device, m_scene, *pool, {render::ShadowMaps::target()});
    if (!casters) return casters.error();
    auto water = render::WaterPass::create(device, m_scene, *pool, {lit});
    if (!water) return water.error();
    auto underWater = render::WaterGround::create(device, {.depth = m_target.depthView()});
    if (!underWater) return underWater.error();

    scene.camera.aspect = m_target.aspect();
    if (!picture.bounds.empty()) {
        const double across = length(picture.bounds.size());
        scene.cascades.count = kCascades;
        scene.cascades.distance = distance(picture.bounds, scene.camera.position) + across;
        scene.cascades.casterReach = across;
    }
    for (;;) {
        render::VoxelUploadStats uploads;
        const auto copied = submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
            auto recorded = pool->recordUploads(commands, scene.camera.position);
            if (!recorded) return recorded.error();
            uploads = *recorded;
            return {};
        });
        if (!copied) return copied.error();
        if (uploads.waiting == 0) break;
        if (uploads.bytes == 0) {
            return makeError(ErrorCode::TooLarge, "picture: %u chunks of voxel ground found no room",
                             uploads.withoutRoom);
        }
    }
    render::VoxelDraws draws;
    const auto drawn = submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
        if (auto updated = m_scene.recordUpdate(commands, scene); !updated) return updated;
        thingBuffers->recordUploads(commands);
        render::ShadowMaps& maps = m_scene.shadowMaps();
        for (int i = 0; i < m_scene.cascades().count; ++i) {
            const render::RenderView& view = m_scene.cascades().views[static_cast<std::size_t>(i)];
            pool->prepare(&view.frustum, draws);
            maps.recordBeginCascade(commands, i);
            casters->record(commands, m_scene, view, *pool, draws, maps.cascadeArea());
            thingCasters->record(commands, m_scene, view, *thingBuffers, 0, thingIndices, maps.cascadeArea());
            maps.recordEnd(commands);
        }
        pool->prepare(&m_scene.camera().frustum, draws);
        m_target.beginRendering(commands);
        solid->record(commands, m_scene, m_scene.camera(), *pool, draws, m_target.area());
        thingPass->record(commands, m_scene, m_scene.camera(), *thingBuffers, 0, thingIndices,
                          m_target.area());
        m_sky.record(commands, m_scene, m_target.area());
        m_target.continueRendering(commands);
        water->record(commands, m_scene, m_scene.camera(), *pool, draws, m_target.area(), &*underWater);
        m_target.endRendering(commands);
        return {};
    });
    if (!drawn) return drawn.error();
    return Image{m_target.image(), m_target.depth()};
}

}  // namespace karst::app
