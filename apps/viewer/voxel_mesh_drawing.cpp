#include "voxel_mesh_drawing.h"

#include <algorithm>
#include <cmath>

namespace karst::viewer {

using namespace voxel;
using render::MeshVertex;

namespace {

constexpr float kWaterOpacity = 0.8f;
// Colours on a map are lighter than those of the ground itself.
constexpr float kGroundShade = 0.6f, kWaterShade = 0.3f;

std::array<std::uint16_t, 4> packColor(Vec3f color, float opacity) {
    const auto bits = [](float v) {
        return static_cast<std::uint16_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 65535.0f));
    };
    return {bits(color.x), bits(color.y), bits(color.z), bits(opacity)};
}

}  // namespace

VoxelMeshDrawing::VoxelMeshDrawing(const DrawingContext& context, PassSet<render::MeshPass> passes,
                                   render::MeshPass water, VoxelGround& ground)
    : m_ground(&ground),
      m_passes(std::move(passes)),
      m_waterPass(std::move(water)),
      m_buffer(context.device, context.framesInFlight),
      m_colors(voxel_mesh::linearColors(ground.grid().materials())) {}

VoxelMeshDrawing::~VoxelMeshDrawing() {
    static_cast<void>(m_ground->setSink(nullptr));
}

Result<std::unique_ptr<VoxelMeshDrawing>> VoxelMeshDrawing::create(const DrawingContext& context,
                                                                   VoxelGround& ground) {
    auto passes = PassSet<render::MeshPass>::create(context, [&](const render::PassTarget& target) {
        return render::MeshPass::create(context.device, *context.scene, {.target = target});
    });
    if (!passes) return passes.error();
    auto water =
        render::MeshPass::create(context.device, *context.scene,
                                 {.target = {render::PassKind::Lit, context.formats}, .translucent = true});
    if (!water) return water.error();
    std::unique_ptr<VoxelMeshDrawing> drawing(
        new VoxelMeshDrawing(context, std::move(*passes), std::move(*water), ground));
    if (auto set = ground.setSink(drawing.get()); !set) return set.error();
    return drawing;
}

void VoxelMeshDrawing::show(ChunkCoord coord, int, const voxel_mesh::SurfaceMesh* solid,
                            const voxel_mesh::WaterMesh* water) {
    Chunk& chunk = m_chunks[coord];
    const GridPlacement& placement = m_ground->grid().placement();
    const WorldPosition corner = placement.cellCorner(firstCell(coord));
    const auto place = [&](Vec3f cells) { return toFloat(corner + toDouble(cells) * placement.cellSize); };
    if (solid) {
        chunk.solid.indices = solid->indices;
        chunk.solid.vertices.clear();
        for (const voxel_mesh::SurfaceVertex& vertex : solid->vertices) {
            MeshVertex& out = chunk.solid.vertices.emplace_back();
            out.position = place(vertex.position);
            out.normal = vertex.normal;
            out.color = packColor(voxel_mesh::blendColors(vertex, m_colors) * kGroundShade, 1);
        }
    }
    if (water) {
        const auto material = m_ground->grid().materials().find("water");
        const Vec3f color = material ? m_colors[*material] * kWaterShade : Vec3f{0.02f, 0.08f, 0.12f};
        chunk.water.indices = water->indices;
        chunk.water.vertices.clear();
        for (const voxel_mesh::WaterVertex& vertex : water->vertices) {
            MeshVertex& out = chunk.water.vertices.emplace_back();
            out.position = place(vertex.position);
            out.normal = vertex.normal;
            out.color = packColor(color, kWaterOpacity);
        }
    }
    m_changed = true;
}

void VoxelMeshDrawing::drop(ChunkCoord chunk) {
    m_chunks.erase(chunk);
    m_changed = true;
}

Result<void> VoxelMeshDrawing::prepare(VkCommandBuffer commands, const CameraView&) {
    m_buffer.beginFrame();
    m_stats.uploadedBytes = 0;
    if (!m_changed) return {};
    m_changed = false;
    m_vertices.clear();
    m_indices.clear();
    const auto append = [&](const Part& part) {
        const auto base = static_cast<std::uint32_t>(m_vertices.size());
        m_vertices.insert(m_vertices.end(), part.vertices.begin(), part.vertices.end());
        for (const std::uint32_t index : part.indices)
            m_indices.push_back(base + index);
    };
    for (const auto& [coord, chunk] : m_chunks)
        append(chunk.solid);
    m_solidIndices = static_cast<std::uint32_t>(m_indices.size());
    for (const auto& [coord, chunk] : m_chunks)
        append(chunk.water);
    m_waterIndices = static_cast<std::uint32_t>(m_indices.size()) - m_solidIndices;
    if (m_indices.empty()) return {};
    const auto vertices = std::as_bytes(std::span(m_vertices)), indices = std::as_bytes(std::span(m_indices));
    if (auto room = m_buffer.reserve(vertices.size(), indices.size()); !room) return room.error();
    render::NodeMeshBuffers& buffers = *m_buffer.buffers();
    if (auto put = buffers.uploadVertices(0, vertices); !put) return put;
    if (auto put = buffers.uploadIndices(0, indices); !put) return put;
    m_stats.uploadedBytes = buffers.recordUploads(commands).bytes;
    m_stats.deviceBytes = m_buffer.bytes();
    return {};
}

void VoxelMeshDrawing::draw(const DrawTarget& target) {
    const render::MeshPass* pass = m_passes.of(target.kind);
    if (!pass || !m_buffer.buffers()) return;
    pass->record(target.commands, target.scene, target.view, *m_buffer.buffers(), 0, m_solidIndices,
                 target.area);
    m_stats.draws = 1;
    m_stats.triangles = m_solidIndices / 3;
}

void VoxelMeshDrawing::drawWater(const DrawTarget& target) {
    if (m_waterIndices == 0 || !m_buffer.buffers()) return;
    m_waterPass.record(target.commands, target.scene, target.view, *m_buffer.buffers(), m_solidIndices,
                       m_waterIndices, target.area);
    ++m_stats.draws;
    m_stats.triangles += m_waterIndices / 3;
}

}  // namespace karst::viewer
