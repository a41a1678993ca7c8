#include "voxel_drawing.h"

namespace karst::viewer {

VoxelDrawing::~VoxelDrawing() {
    static_cast<void>(m_ground->setSink(nullptr));
}

Result<std::unique_ptr<VoxelDrawing>> VoxelDrawing::create(const DrawingContext& context,
                                                           VoxelGround& ground) {
    render::WaterLook look;
    render::VoxelPoolDesc desc;
    desc.placement = ground.grid().placement();
    desc.framesInFlight = context.framesInFlight;
    desc.waveReach = double{look.waveHeight};
    desc.clock = context.externals.clock;
    auto pool = render::VoxelPool::create(context.device, desc);
    if (!pool) return pool.error();
    pool->setPalette(render::paletteOf(ground.grid().materials()));
    if (auto set = pool->setWater(look); !set) return set.error();
    auto passes = PassSet<render::VoxelPass>::create(context, [&](const render::PassTarget& target) {
        return render::VoxelPass::create(context.device, *context.scene, *pool, {.target = target});
    });
    if (!passes) return passes.error();
    auto water = render::WaterPass::create(context.device, *context.scene, *pool,
                                           {.target = {render::PassKind::Lit, context.formats}});
    if (!water) return water.error();
    std::unique_ptr<VoxelDrawing> drawing(
        new VoxelDrawing(std::move(*passes), std::move(*water), std::move(*pool), ground));
    if (auto set = ground.setSink(&drawing->m_sink); !set) return set.error();
    return drawing;
}

Result<void> VoxelDrawing::prepare(VkCommandBuffer commands, const FrameViews& views) {
    const auto uploaded = m_pool.recordUploads(commands, views.camera.position);
    if (!uploaded) return uploaded.error();
    m_waiting = uploaded->waiting;
    m_stats.refused = m_sink.refused();
    m_stats.uploadedBytes = uploaded->bytes;
    m_stats.deviceBytes = m_pool.stats().blockBytes;
    for (std::size_t i = 0; i < views.views.size() && i < m_draws.size(); ++i)
        m_pool.prepare(&views.views[i].frustum, m_draws[i]);
    return {};
}

void VoxelDrawing::draw(const DrawTarget& target) {
    const render::VoxelPass* pass = m_passes.of(target.kind);
    if (!pass) return;
    const auto drawn = pass->record(target.commands, target.scene, target.view, m_pool,
                                    m_draws[target.viewIndex], target.area);
    if (target.viewIndex > 0) return;
    m_stats.draws = drawn.calls;
    m_stats.triangles = drawn.triangles;
}

void VoxelDrawing::drawWater(const DrawTarget& target) {
    const auto drawn = m_water.record(target.commands, target.scene, target.view, m_pool,
                                      m_draws[target.viewIndex], target.area);
    m_stats.draws += drawn.calls;
    m_stats.triangles += drawn.triangles;
}

}  // namespace karst::viewer
