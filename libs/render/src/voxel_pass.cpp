#include <embedded_shaders.h>
#include <karst/render/voxel_pass.h>

#include "debug_label.h"
#include "pass_impl.h"
#include "voxel_pipeline.h"

namespace karst::render {

struct VoxelPass::Impl : PassImpl {
    using PassImpl::PassImpl;
    bool visibility = false;
};

VoxelPass::VoxelPass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
VoxelPass::VoxelPass(VoxelPass&&) noexcept = default;
VoxelPass& VoxelPass::operator=(VoxelPass&&) noexcept = default;
VoxelPass::~VoxelPass() = default;

Result<VoxelPass> VoxelPass::create(const VulkanDevice& device, const SceneUniforms& scene,
                                    const VoxelPool& pool, const VoxelPassDesc& desc) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    const bool visibility = desc.target.kind == PassKind::Visibility;
    if (visibility) {
        if (auto good = pool.m_impl->checkStorage(); !good) return good.error();
    }
    VoxelPipelineDesc pass;
    pass.name = "karst voxel ground";
    pass.target = desc.target;
    pass.vertex = {kVoxelVert, kVoxelVertBytes, VK_FALSE};
    pass.lit = {kVoxelFrag, kVoxelFragBytes, VK_FALSE};
    pass.gbuffer = {kVoxelGbufferFrag, kVoxelGbufferFragBytes, VK_FALSE};
    pass.wireframe = {kVoxelWireframeFrag, kVoxelWireframeFragBytes, VK_FALSE};
    if (visibility) {
        pass.vertex = {kVoxelVisibilityVert, kVoxelVisibilityVertBytes, VK_FALSE};
        pass.visibility = {kVoxelVisibilityFrag, kVoxelVisibilityFragBytes, VK_FALSE};
        pass.groundSet = pool.m_impl->geometryLayout;
    }
    auto impl = std::make_unique<Impl>(*fn);
    auto pipeline = createVoxelPipeline(*fn, scene, pool.m_impl->setLayout, pass);
    if (!pipeline) return pipeline.error();
    impl->pipeline = *pipeline;
    impl->visibility = visibility;
    return VoxelPass(std::move(impl));
}

VoxelDrawStats VoxelPass::record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                                 const VoxelPool& pool, const VoxelDraws& draws, VkRect2D area) const {
    const VoxelDrawList& list = draws.solid;
    if (list.commands.empty()) return {};
    const DebugLabel label(m_impl->fn, commands, "karst voxel ground");
    const VoxelPool::Impl& of = *pool.m_impl;
    // A pool of larger blocks than the device reads as storage.
    if (m_impl->visibility && of.geometrySet() == VK_NULL_HANDLE) return {};
    bindVoxelPass(m_impl->fn, m_impl->pipeline, commands, scene, view, of.set, of.desc.placement,
                  of.wavePeriod, area);
    if (m_impl->visibility)
        of.recordVisibility(commands, m_impl->pipeline.layout, list);
    else
        of.recordDraws(commands, VoxelPool::Impl::kSolid, list);
    return {list.calls, static_cast<std::uint32_t>(list.commands.size()), list.chunks, list.drawnTriangles};
}

}  // namespace karst::render
