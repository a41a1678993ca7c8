#include "golden/tile_scene.h"

#include <common/one_shot.h>
#include <gtest/gtest.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/heightfield_mesh/tile_layer.h>

#include <cstring>

namespace karst::test {

using render::PassKind;

heightfield::Surface makeGround(const GroundDesc& desc, FunctionRef<double(double x, double z)> height) {
    using namespace heightfield;
    Vector<float> heights;
    for (int z = 0; z < desc.samples; ++z) {
        for (int x = 0; x < desc.samples; ++x) {
            heights.push_back(
                static_cast<float>(height(desc.originX + x * desc.spacing, desc.originZ + z * desc.spacing)));
        }
    }
    HeightRasterDesc raster;
    raster.columns = raster.rows = desc.samples;
    raster.rect =
        rectOfSamples(desc.originX, desc.originZ, desc.samples, desc.samples, desc.spacing, desc.spacing);
    Result<HeightRaster> made = HeightRaster::create(raster, std::move(heights));
    if (!made) {
        ADD_FAILURE() << made.error().message;
        return {};
    }
    if (desc.holeX1 > desc.holeX0)
        made->setHoles(GridRect{desc.holeX0, desc.holeZ0, desc.holeX1, desc.holeZ1}, true);
    RasterInput input(*made);
    BuildOptions options;
    options.tileCells = desc.tileCells;
    options.levels = desc.levels;
    options.originX = desc.originX;
    options.originZ = desc.originZ;
    Result<Surface> surface = buildSurface(input, options);
    if (!surface) {
        ADD_FAILURE() << surface.error().message;
        return {};
    }
    return *surface;
}

namespace {

template <class T>
Result<void> keep(std::optional<T>& out, Result<T> made) {
    if (!made) return made.error();
    out.emplace(std::move(*made));
    return {};
}

}  // namespace

Result<TileScene> TileScene::create(app::VulkanContext& context, const TileSceneDesc& desc) {
    TileScene made(context, desc);
    const render::VulkanDevice device = context.description();
    auto target = app::OffscreenTarget::create(
        context, {.width = desc.width, .height = desc.height, .samples = desc.samples});
    if (!target) return target.error();
    made.m_target.emplace(std::move(*target));
    const render::AttachmentFormats formats = made.m_target->formats();
    if (auto good = keep(made.m_scene, render::SceneUniforms::create(device, desc.shadows)); !good)
        return good.error();
    const render::SceneUniforms& scene = *made.m_scene;
    const auto pass = [&](std::optional<render::TilePass>& out, const render::PassTarget& passTarget) {
        return keep(out, render::TilePass::create(device, scene, {passTarget}));
    };
    if (desc.prepass) {
        if (auto good = pass(made.m_prepass, {PassKind::DepthPrepass, formats}); !good) return good.error();
    }
    if (auto good = pass(made.m_lit, {PassKind::Lit, formats}); !good) return good.error();
    if (desc.shadows.cascades > 0 || desc.shadows.pointLights > 0) {
        if (auto good = pass(made.m_shadow, render::ShadowMaps::target()); !good) return good.error();
    }
    if (desc.kind != PassKind::Lit) {
        if (auto good = pass(made.m_extra, {desc.kind, formats}); !good) return good.error();
    }
    if (auto good = keep(made.m_sky, render::SkyPass::create(device, scene, formats)); !good)
        return good.error();
    if (auto good = keep(made.m_terrain, render::TileTerrain::create(device, desc.terrain)); !good)
        return good.error();
    return made;
}

Result<TilePicture> TileScene::draw(const heightfield::Surface& surface, render::SceneSettings settings,
                                    const render::TileTerrainSettings& terrain) {
    settings.camera.aspect = m_target->aspect();
    TilePicture picture;
    const auto drawn = app::submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
        if (auto updated = m_scene->recordUpdate(commands, settings); !updated) return updated;
        std::vector<render::RenderView> views{m_scene->camera()};
        const render::CascadeViews& cascades = m_scene->cascades();
        for (int i = 0; i < cascades.count; ++i)
            views.push_back(cascades.views[static_cast<std::size_t>(i)]);
        for (int i = 0; i < settings.lightCount; ++i) {
            const auto faces = render::pointLightFaces(settings.lights[static_cast<std::size_t>(i)],
                                                       m_scene->origin(), m_desc.shadows.pointResolution);
            views.insert(views.end(), faces.begin(), faces.end());
        }
        auto stats = m_terrain->prepare(surface, settings.camera, m_desc.height, terrain, views);
        if (!stats) return stats.error();
        picture.stats = *stats;
        m_terrain->recordUploads(commands);
        render::ShadowMaps& maps = m_scene->shadowMaps();
        const auto shadow = [&](std::size_t view, VkRect2D area) {
            const render::TileDrawStats one = m_terrain->record(commands, *m_scene, view, *m_shadow, area);
            picture.shadows.draws += one.draws;
            picture.shadows.tiles += one.tiles;
            picture.shadows.triangles += one.triangles;
            maps.recordEnd(commands);
        };
        std::size_t view = 1;
        for (int i = 0; i < cascades.count; ++i) {
            maps.recordBeginCascade(commands, i);
            shadow(view++, maps.cascadeArea());
        }
        for (int i = 0; i < settings.lightCount; ++i) {
            for (int face = 0; face < render::kCubeFaces; ++face) {
                maps.recordBeginFace(commands, i, face);
                shadow(view++, maps.faceArea());
            }
        }
        const VkRect2D area = m_target->area();
        m_target->beginRendering(commands);
        if (m_desc.prepass) m_terrain->record(commands, *m_scene, 0, *m_prepass, area);
        if (m_desc.kind != PassKind::Overdraw)
            picture.drawn = m_terrain->record(commands, *m_scene, 0, *m_lit, area);
        if (m_extra) picture.drawn = m_terrain->record(commands, *m_scene, 0, *m_extra, area);
        if (m_desc.sky) m_sky->record(commands, *m_scene, area);
        m_target->endRendering(commands);
        return {};
    });
    if (!drawn) return drawn.error();
    picture.image = m_target->image();
    picture.depth = m_target->depth();
    return picture;
}

}  // namespace karst::test
