#include <embedded_shaders.h>
#include <karst/base/assert.h>
#include <karst/render/mesh_pass.h>

#include <array>
#include <cstddef>

#include "debug_label.h"
#include "pass_impl.h"

namespace karst::render {

struct MeshPass::Impl : PassImpl {
    using PassImpl::PassImpl;
};

MeshPass::MeshPass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
MeshPass::MeshPass(MeshPass&&) noexcept = default;
MeshPass& MeshPass::operator=(MeshPass&&) noexcept = default;
MeshPass::~MeshPass() = default;

Result<MeshPass> MeshPass::create(const VulkanDevice& device, const SceneUniforms& scene,
                                  const MeshPassDesc& desc) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    if (auto good = refuseVisibility("mesh pass", desc.target); !good) return good.error();
    if (auto good = validate(*fn, desc.target); !good) return good.error();
    if (desc.translucent && desc.target.kind != PassKind::Lit) {
        return makeError(ErrorCode::InvalidArgument,
                         "mesh pass: translucent is for PassKind::Lit, not kind %d",
                         static_cast<int>(desc.target.kind));
    }

    const std::array bindings = {
        VkVertexInputBindingDescription{0, sizeof(MeshVertex), VK_VERTEX_INPUT_RATE_VERTEX}};
    const std::array attributes = {
        VkVertexInputAttributeDescription{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, position)},
        VkVertexInputAttributeDescription{1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, normal)},
        VkVertexInputAttributeDescription{2, 0, VK_FORMAT_R16G16B16A16_UNORM, offsetof(MeshVertex, color)},
        VkVertexInputAttributeDescription{3, 0, VK_FORMAT_R16G16_UNORM, offsetof(MeshVertex, light)}};
    auto impl = std::make_unique<Impl>(*fn);
    PassPipelineDesc pass;
    pass.name = desc.translucent ? "karst translucent mesh" : "karst mesh";
    pass.vertex = {kMeshVert, kMeshVertBytes, VK_FALSE};
    pass.fragment = fragmentOf(desc.target, {kMeshFrag, kMeshFragBytes, VK_FALSE},
                               {kMeshGbufferFrag, kMeshGbufferFragBytes, VK_FALSE});
    pass.target = desc.target;
    pass.setLayout = scene.descriptorSetLayout();
    pass.bindings = bindings;
    pass.attributes = attributes;
    pass.writeDepth = !desc.translucent;
    pass.blend = desc.translucent;
    auto pipeline = createPassPipeline(*fn, pass);
    if (!pipeline) return pipeline.error();
    impl->pipeline = *pipeline;
    return MeshPass(std::move(impl));
}

void MeshPass::record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                      const NodeMeshBuffers& buffers, std::uint32_t firstIndex, std::uint32_t indexCount,
                      VkRect2D area) const {
    KARST_ASSERT((std::uint64_t{firstIndex} + indexCount) * 4 <= buffers.indexBytes());
    if (indexCount == 0) return;
    const DeviceFunctions& fn = m_impl->fn;
    const DebugLabel label(fn, commands, "karst mesh");
    bindPass(fn, m_impl->pipeline, commands, scene, view, area);
    const VkBuffer vertices = buffers.vertexBuffer();
    const VkDeviceSize offset = 0;
    fn.CmdBindVertexBuffers(commands, 0, 1, &vertices, &offset);
    fn.CmdBindIndexBuffer(commands, buffers.indexBuffer(), 0, VK_INDEX_TYPE_UINT32);
    fn.CmdDrawIndexed(commands, indexCount, 1, firstIndex, 0, 0);
}

}  // namespace karst::render
