#include "common/picture_renderer.h"

#include <optional>

namespace karst::app {

Result<PictureRenderer> PictureRenderer::create(VulkanContext& context, const PictureDesc& desc) {
    const render::VulkanDevice device = context.description();
    auto target = OffscreenTarget::create(context, {.width = desc.width,
                                                    .height = desc.height,
                                                    .samples = desc.samples,
                                                    .colorFormat = desc.colorFormat});
    if (!target) return target.error();
    auto scene = render::SceneUniforms::create(device);
    if (!scene) return scene.error();
    render::TerrainPassDesc terrainDesc;
    terrainDesc.target.formats = target->formats();
    terrainDesc.layout = desc.layout;
    auto terrain = render::TerrainPass::create(device, *scene, terrainDesc);
    if (!terrain) return terrain.error();
    auto things =
        render::MeshPass::create(device, *scene, {.target = {render::PassKind::Lit, target->formats()}});
    if (!things) return things.error();
    auto sky = render::SkyPass::create(device, *scene, target->formats());
    if (!sky) return sky.error();
    return PictureRenderer(context, std::move(*target), std::move(*scene), std::move(*terrain),
                           std::move(*things), std::move(*sky));
}

Result<PictureRenderer::Picture> PictureRenderer::draw(render::NodeMeshBuffers& buffers,
                                                       std::uint32_t indexCount, render::SceneSettings scene,
                                                       const PictureMesh* things) {
    scene.camera.aspect = m_target.aspect();
    std::optional<render::NodeMeshBuffers> thingBuffers;
    if (things != nullptr && !things->indices.empty()) {
        auto made = uploadMesh(*m_context, *things);
        if (!made) return made.error();
        thingBuffers.emplace(std::move(*made));
    }
    Picture picture;
    const auto drawn = submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
        picture.uploads = buffers.recordUploads(commands);
        if (thingBuffers) thingBuffers->recordUploads(commands);
        if (auto updated = m_scene.recordUpdate(commands, scene); !updated) return updated;
        m_target.beginRendering(commands);
        picture.terrain =
            m_terrain.record(commands, m_scene, m_scene.camera(), buffers, indexCount, m_target.area());
        if (thingBuffers) {
            m_things.record(commands, m_scene, m_scene.camera(), *thingBuffers, 0,
                            static_cast<std::uint32_t>(things->indices.size()), m_target.area());
        }
        m_sky.record(commands, m_scene, m_target.area());
        m_target.endRendering(commands);
        return {};
    });
    if (!drawn) return drawn.error();
    picture.image = m_target.image();
    picture.depth = m_target.depth();
    return picture;
}

}  // namespace karst::app
