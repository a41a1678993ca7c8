#include "height_drawing.h"

namespace karst::viewer {

Result<std::unique_ptr<HeightDrawing>> HeightDrawing::create(const DrawingContext& context,
                                                             HeightGround& ground) {
    auto passes = PassSet<render::TilePass>::create(context, [&](const render::PassTarget& target) {
        return render::TilePass::create(context.device, *context.scene, {.target = target});
    });
    if (!passes) return passes.error();
    auto terrain = render::TileTerrain::create(
        context.device, {.framesInFlight = context.framesInFlight, .externals = context.externals});
    if (!terrain) return terrain.error();
    return std::unique_ptr<HeightDrawing>(new HeightDrawing(std::move(*passes), std::move(*terrain), ground));
}

Result<void> HeightDrawing::prepare(VkCommandBuffer commands, const FrameViews& views) {
    m_prepared = !m_ground->surface().empty();
    if (!m_prepared) return {};
    render::TileTerrainSettings settings;
    settings.tolerance = m_ground->levels().tolerance;
    const auto prepared =
        m_terrain.prepare(m_ground->surface(), views.camera, views.viewportHeight, settings, views.views);
    if (!prepared) return prepared.error();
    m_terrain.recordUploads(commands);
    m_stats.uploadedBytes = prepared->uploadBytes;
    m_stats.deviceBytes = prepared->layerBytes;
    return {};
}

void HeightDrawing::draw(const DrawTarget& target) {
    const render::TilePass* pass = m_passes.of(target.kind);
    if (!pass || !m_prepared) return;
    const auto drawn = m_terrain.record(target.commands, target.scene, target.viewIndex, *pass, target.area);
    if (target.viewIndex > 0) return;
    m_stats.draws = drawn.draws;
    m_stats.triangles = drawn.triangles;
}

}  // namespace karst::viewer
