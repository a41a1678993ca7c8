#include "common/mesh_picture.h"

#include <algorithm>

namespace karst::app {

Result<render::NodeMeshBuffers> uploadMesh(VulkanContext& context, const PictureMesh& mesh) {
    const auto vertices = std::as_bytes(std::span(mesh.vertices));
    const auto indices = std::as_bytes(std::span(mesh.indices));
    // A buffer of no bytes cannot be.
    auto buffers = render::NodeMeshBuffers::create(
        context.description(), {.vertexBytes = std::max<std::uint64_t>(vertices.size(), 4),
                                .indexBytes = std::max<std::uint64_t>(indices.size(), 4),
                                .framesInFlight = 1});
    if (!buffers) return buffers.error();
    if (const auto put = buffers->uploadVertices(0, vertices); !put) return put.error();
    if (const auto put = buffers->uploadIndices(0, indices); !put) return put.error();
    return buffers;
}

Result<MeshPictureRenderer> MeshPictureRenderer::create(VulkanContext& context, const MeshPictureDesc& desc) {
    const render::VulkanDevice device = context.description();
    auto target = OffscreenTarget::create(
        context, {.width = desc.width, .height = desc.height, .samples = desc.samples});
    if (!target) return target.error();
    auto scene = render::SceneUniforms::create(device);
    if (!scene) return scene.error();
    auto solid =
        render::MeshPass::create(device, *scene, {.target = {render::PassKind::Lit, target->formats()}});
    if (!solid) return solid.error();
    auto water = render::MeshPass::create(
        device, *scene, {.target = {render::PassKind::Lit, target->formats()}, .translucent = true});
    if (!water) return water.error();
    auto sky = render::SkyPass::create(device, *scene, target->formats());
    if (!sky) return sky.error();
    return MeshPictureRenderer(context, std::move(*target), std::move(*scene), std::move(*solid),
                               std::move(*water), std::move(*sky));
}

Result<MeshPictureRenderer::Picture> MeshPictureRenderer::draw(const PictureMesh& mesh,
                                                               render::SceneSettings scene) {
    auto buffers = uploadMesh(*m_context, mesh);
    if (!buffers) return buffers.error();
    scene.camera.aspect = m_target.aspect();
    scene.camera.position = scene.camera.position - mesh.origin;
    const auto all = static_cast<std::uint32_t>(mesh.indices.size());
    const auto drawn = submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
        buffers->recordUploads(commands);
        if (auto updated = m_scene.recordUpdate(commands, scene); !updated) return updated;
        m_target.beginRendering(commands);
        m_solid.record(commands, m_scene, m_scene.camera(), *buffers, 0, mesh.opaqueIndices, m_target.area());
        m_sky.record(commands, m_scene, m_target.area());
        m_water.record(commands, m_scene, m_scene.camera(), *buffers, mesh.opaqueIndices,
                       all - mesh.opaqueIndices, m_target.area());
        m_target.endRendering(commands);
        return {};
    });
    if (!drawn) return drawn.error();
    return Picture{m_target.image(), m_target.depth()};
}

}  // namespace karst::app
