#include "height_drawing.h"

#include <algorithm>
#include <cmath>

namespace karst::viewer {

using namespace heightfield;

HeightDrawing::HeightDrawing(const DrawingContext& context, PassSet<render::TerrainPass> passes,
                             const HeightGround& ground)
    : m_ground(&ground),
      m_jobs(context.externals.jobs),
      m_passes(std::move(passes)),
      m_buffer(context.device, context.framesInFlight),
      m_selector(context.externals) {}

Result<std::unique_ptr<HeightDrawing>> HeightDrawing::create(const DrawingContext& context,
                                                             const HeightGround& ground) {
    auto passes = PassSet<render::TerrainPass>::create(context, [&](const render::PassTarget& target) {
        return render::TerrainPass::create(context.device, *context.scene,
                                           {.target = target, .layout = VertexLayout::compact()});
    });
    if (!passes) return passes.error();
    return std::unique_ptr<HeightDrawing>(new HeightDrawing(context, std::move(*passes), ground));
}

// A little way changes which tiles are drawn by little: by how far the ground is below.
bool HeightDrawing::stale(const CameraView& camera) const {
    const Surface& surface = m_ground->surface();
    if (surface.lineage() != m_lineage || surface.revision() != m_revision) return true;
    if (m_ground->tileView().tolerance != m_tolerance) return true;
    const auto below = residentHeightAt(surface, camera.position.x, camera.position.z);
    const double near = below ? std::abs(camera.position.y - *below) : m_ground->spacing();
    return length(camera.position - m_eye) > 0.05 * std::max(near, m_ground->spacing());
}

Result<void> HeightDrawing::prepare(VkCommandBuffer commands, const CameraView& camera) {
    m_buffer.beginFrame();
    m_stats.uploadedBytes = 0;
    const Surface& surface = m_ground->surface();
    if (surface.empty() || !stale(camera)) return {};
    TileView view = m_ground->tileView();
    view.eye = camera.position;
    const TileSelection selection = m_selector.select(surface, view, m_ground->detailLevels());
    buildTileMesh(surface, selection.nodes, VertexLayout::compact(), {}, m_mesh, *m_jobs);
    const auto vertices = std::as_bytes(std::span(m_mesh.vertices));
    const auto indices = std::as_bytes(std::span(m_mesh.indices));
    if (auto room = m_buffer.reserve(vertices.size(), indices.size()); !room) return room.error();
    render::NodeMeshBuffers& buffers = *m_buffer.buffers();
    if (!vertices.empty()) {
        if (auto put = buffers.uploadVertices(0, vertices); !put) return put;
    }
    if (!indices.empty()) {
        if (auto put = buffers.uploadIndices(0, indices); !put) return put;
    }
    m_stats.uploadedBytes = buffers.recordUploads(commands).bytes;
    m_stats.deviceBytes = m_buffer.bytes();
    m_lineage = surface.lineage();
    m_revision = surface.revision();
    m_eye = camera.position;
    m_tolerance = m_ground->tileView().tolerance;
    return {};
}

void HeightDrawing::draw(const DrawTarget& target) {
    const render::TerrainPass* pass = m_passes.of(target.kind);
    if (!pass || !m_buffer.buffers()) return;
    const auto drawn = pass->record(target.commands, target.scene, target.view, *m_buffer.buffers(),
                                    static_cast<std::uint32_t>(m_mesh.indices.size()), target.area);
    if (!target.view.camera) return;
    m_stats.draws = drawn.draws;
    m_stats.triangles = drawn.triangles;
}

}  // namespace karst::viewer
