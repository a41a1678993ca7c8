#include <embedded_shaders.h>
#include <karst/base/assert.h>
#include <karst/render/terrain_pass.h>

#include <array>

#include "debug_label.h"
#include "pass_impl.h"

namespace karst::render {

using heightfield::NormalFormat;
using heightfield::VertexLayout;

struct TerrainPass::Impl : PassImpl {
    using PassImpl::PassImpl;
};

TerrainPass::TerrainPass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TerrainPass::TerrainPass(TerrainPass&&) noexcept = default;
TerrainPass& TerrainPass::operator=(TerrainPass&&) noexcept = default;
TerrainPass::~TerrainPass() = default;

Result<TerrainPass> TerrainPass::create(const VulkanDevice& device, const SceneUniforms& scene,
                                        const TerrainPassDesc& desc) {
    const VertexLayout& layout = desc.layout;
    const bool octahedral = layout.normalFormat == NormalFormat::Octahedral16;
    if (auto good = heightfield::validate(layout); !good) return good.error();
    if (layout.normal == VertexLayout::kAbsent) {
        return makeError(ErrorCode::InvalidArgument, "terrain pass: the vertex layout has no normal");
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    if (auto good = refuseVisibility("terrain pass", desc.target); !good) return good.error();
    if (auto good = validate(*fn, desc.target); !good) return good.error();

    const std::array bindings = {
        VkVertexInputBindingDescription{0, layout.strideWords * 4, VK_VERTEX_INPUT_RATE_VERTEX}};
    const std::array attributes = {
        VkVertexInputAttributeDescription{0, 0, VK_FORMAT_R32G32B32_SFLOAT, layout.position * 4},
        VkVertexInputAttributeDescription{
            1, 0, octahedral ? VK_FORMAT_R16G16_SNORM : VK_FORMAT_R32G32B32_SFLOAT, layout.normal * 4}};
    auto impl = std::make_unique<Impl>(*fn);
    PassPipelineDesc pass;
    pass.name = "karst terrain";
    pass.vertex = {kTerrainVert, kTerrainVertBytes, octahedral ? VK_TRUE : VK_FALSE};
    pass.fragment = fragmentOf(desc.target, {kTerrainFrag, kTerrainFragBytes, VK_FALSE},
                               {kTerrainGbufferFrag, kTerrainGbufferFragBytes, VK_FALSE});
    pass.target = desc.target;
    pass.setLayout = scene.descriptorSetLayout();
    pass.bindings = bindings;
    pass.attributes = attributes;
    pass.frontFace = desc.frontFace;
    auto pipeline = createPassPipeline(*fn, pass);
    if (!pipeline) return pipeline.error();
    impl->pipeline = *pipeline;
    return TerrainPass(std::move(impl));
}

TerrainDrawStats TerrainPass::record(VkCommandBuffer commands, const SceneUniforms& scene,
                                     const RenderView& view, const NodeMeshBuffers& buffers,
                                     std::uint32_t indexCount, VkRect2D area) const {
    KARST_ASSERT(std::uint64_t{indexCount} * 4 <= buffers.indexBytes());
    if (indexCount == 0) return {};
    const DeviceFunctions& fn = m_impl->fn;
    const DebugLabel label(fn, commands, "karst terrain");
    bindPass(fn, m_impl->pipeline, commands, scene, view, area);
    const VkBuffer vertices = buffers.vertexBuffer();
    const VkDeviceSize offset = 0;
    fn.CmdBindVertexBuffers(commands, 0, 1, &vertices, &offset);
    fn.CmdBindIndexBuffer(commands, buffers.indexBuffer(), 0, VK_INDEX_TYPE_UINT32);
    fn.CmdDrawIndexed(commands, indexCount, 1, 0, 0, 0);
    return {1, indexCount, indexCount / 3};
}

}  // namespace karst::render
