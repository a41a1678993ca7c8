#include "golden/test_renderer.h"

namespace karst::test {

Result<TestRenderer> TestRenderer::create(app::VulkanContext& context, const TestRendererDesc& desc) {
    const render::VulkanDevice device = context.description();
    auto target = app::OffscreenTarget::create(context, {.width = desc.width,
                                                         .height = desc.height,
                                                         .samples = desc.samples,
                                                         .colorFormat = desc.colorFormat});
    if (!target) return target.error();
    auto scene = render::SceneUniforms::create(device);
    if (!scene) return scene.error();
    render::TerrainPassDesc terrainDesc;
    terrainDesc.formats = target->formats();
    terrainDesc.layout = desc.layout;
    auto terrain = render::TerrainPass::create(device, *scene, terrainDesc);
    if (!terrain) return terrain.error();
    auto sky = render::SkyPass::create(device, *scene, target->formats());
    if (!sky) return sky.error();
    return TestRenderer(context, std::move(*target), std::move(*scene), std::move(*terrain), std::move(*sky));
}

Result<TestRenderer::Picture> TestRenderer::draw(render::NodeMeshBuffers& buffers, std::uint32_t indexCount,
                                                 render::SceneSettings scene) {
    scene.camera.aspect = m_target.aspect();
    Picture picture;
    const auto drawn = app::submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
        picture.uploads = buffers.recordUploads(commands);
        if (auto updated = m_scene.recordUpdate(commands, scene); !updated) return updated;
        m_target.beginRendering(commands);
        picture.terrain = m_terrain.record(commands, m_scene, buffers, indexCount, m_target.area());
        m_sky.record(commands, m_scene, m_target.area());
        m_target.endRendering(commands);
        return {};
    });
    if (!drawn) return drawn.error();
    picture.image = m_target.image();
    picture.depth = m_target.depth();
    return picture;
}

Result<render::NodeMeshBuffers> buffersOf(app::VulkanContext& context, std::span<const std::byte> vertices,
                                          std::span<const std::byte> indices) {
    auto buffers = render::NodeMeshBuffers::create(
        context.description(), {.vertexBytes = vertices.size(), .indexBytes = indices.size()});
    if (!buffers) return buffers;
    if (auto put = buffers->uploadVertices(0, vertices); !put) return put.error();
    if (auto put = buffers->uploadIndices(0, indices); !put) return put.error();
    return buffers;
}

}  // namespace karst::test
