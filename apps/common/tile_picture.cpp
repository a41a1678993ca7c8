#include "common/tile_picture.h"

#include <algorithm>

namespace karst::app {

Result<TilePictureRenderer> TilePictureRenderer::create(VulkanContext& context, const TilePictureDesc& desc,
                                                        const Externals& externals) {
    const render::VulkanDevice device = context.description();
    auto target = OffscreenTarget::create(
        context, {.width = desc.width, .height = desc.height, .samples = desc.samples});
    if (!target) return target.error();
    render::ShadowMapsDesc shadows;
    shadows.cascades = desc.cascades;
    shadows.cascadeResolution = desc.cascadeResolution;
    auto scene = render::SceneUniforms::create(device, shadows);
    if (!scene) return scene.error();
    auto lit = render::TilePass::create(device, *scene, {{render::PassKind::Lit, target->formats()}});
    if (!lit) return lit.error();
    auto shadow = render::TilePass::create(device, *scene, {render::ShadowMaps::target()});
    if (!shadow) return shadow.error();
    auto sky = render::SkyPass::create(device, *scene, target->formats());
    if (!sky) return sky.error();
    render::TileTerrainDesc terrainDesc;
    terrainDesc.framesInFlight = 1;
    terrainDesc.externals = externals;
    auto terrain = render::TileTerrain::create(device, terrainDesc);
    if (!terrain) return terrain.error();
    return TilePictureRenderer(context, desc, std::move(*target), std::move(*scene), std::move(*lit),
                               std::move(*shadow), std::move(*sky), std::move(*terrain));
}

Result<TilePictureRenderer::Picture> TilePictureRenderer::draw(const heightfield::Surface& surface,
                                                               render::SceneSettings scene,
                                                               const render::TileTerrainSettings& settings) {
    scene.camera.aspect = m_target.aspect();
    scene.cascades.count = m_desc.cascades;
    Picture picture;
    const auto drawn = submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
        if (auto updated = m_scene.recordUpdate(commands, scene); !updated) return updated;
        std::vector<render::RenderView> views{m_scene.camera()};
        const render::CascadeViews& cascades = m_scene.cascades();
        views.insert(views.end(), cascades.views.begin(), cascades.views.begin() + cascades.count);
        auto stats = m_terrain.prepare(surface, scene.camera, m_desc.height, settings, views);
        if (!stats) return stats.error();
        picture.stats = *stats;
        m_terrain.recordUploads(commands);
        render::ShadowMaps& maps = m_scene.shadowMaps();
        for (int i = 0; i < cascades.count; ++i) {
            maps.recordBeginCascade(commands, i);
            m_terrain.record(commands, m_scene, static_cast<std::size_t>(i) + 1, m_shadow,
                             maps.cascadeArea());
            maps.recordEnd(commands);
        }
        m_target.beginRendering(commands);
        picture.drawn = m_terrain.record(commands, m_scene, 0, m_lit, m_target.area());
        m_sky.record(commands, m_scene, m_target.area());
        m_target.endRendering(commands);
        return {};
    });
    if (!drawn) return drawn.error();
    picture.image = m_target.image();
    return picture;
}

}  // namespace karst::app
