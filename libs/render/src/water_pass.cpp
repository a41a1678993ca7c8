#include <embedded_shaders.h>
#include <karst/render/water_pass.h>

#include "debug_label.h"
#include "pass_impl.h"
#include "voxel_pipeline.h"
#include "water_ground_impl.h"

namespace karst::render {

struct WaterPass::Impl : PassImpl {
    VkDescriptorSetLayout groundLayout = VK_NULL_HANDLE;
    PassPipeline withGround;  // of Lit only

    using PassImpl::PassImpl;
    ~Impl() {
        destroyPassPipeline(fn, withGround);
        if (groundLayout) fn.DestroyDescriptorSetLayout(fn.device, groundLayout, nullptr);
    }
};

WaterPass::WaterPass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
WaterPass::WaterPass(WaterPass&&) noexcept = default;
WaterPass& WaterPass::operator=(WaterPass&&) noexcept = default;
WaterPass::~WaterPass() = default;

Result<WaterPass> WaterPass::create(const VulkanDevice& device, const SceneUniforms& scene,
                                    const VoxelPool& pool, const WaterPassDesc& desc) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    if (desc.target.kind == PassKind::DepthPrepass || desc.target.kind == PassKind::Shadow) {
        return makeError(ErrorCode::InvalidArgument, "water pass: water writes no depth of kind %d",
                         static_cast<int>(desc.target.kind));
    }
    if (auto good = refuseVisibility("water pass", desc.target); !good) return good.error();
    VoxelPipelineDesc pass;
    pass.name = "karst voxel water";
    pass.target = desc.target;
    pass.vertex = {kWaterVert, kWaterVertBytes, VK_FALSE};
    pass.lit = {kWaterFrag, kWaterFragBytes, VK_FALSE};
    pass.gbuffer = {kWaterGbufferFrag, kWaterGbufferFragBytes, VK_FALSE};
    pass.wireframe = {kWaterWireframeFrag, kWaterWireframeFragBytes, VK_FALSE};
    pass.translucent = true;
    auto impl = std::make_unique<Impl>(*fn);
    auto pipeline = createVoxelPipeline(*fn, scene, pool.m_impl->setLayout, pass);
    if (!pipeline) return pipeline.error();
    impl->pipeline = *pipeline;
    if (desc.target.kind == PassKind::Lit) {
        auto layout = createWaterGroundLayout(*fn);
        if (!layout) return layout.error();
        impl->groundLayout = *layout;
        pass.name = "karst voxel water over ground";
        pass.lit = {kWaterGroundFrag, kWaterGroundFragBytes, VK_FALSE};
        pass.groundSet = impl->groundLayout;
        pipeline = createVoxelPipeline(*fn, scene, pool.m_impl->setLayout, pass);
        if (!pipeline) return pipeline.error();
        impl->withGround = *pipeline;
    }
    return WaterPass(std::move(impl));
}

VoxelDrawStats WaterPass::record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                                 const VoxelPool& pool, const VoxelDraws& draws, VkRect2D area,
                                 const WaterGround* ground) const {
    const VoxelDrawList& list = draws.water;
    if (list.commands.empty()) return {};
    const DebugLabel label(m_impl->fn, commands, "karst voxel water");
    const VoxelPool::Impl& of = *pool.m_impl;
    const bool deep = ground && m_impl->withGround.pipeline;
    const PassPipeline& pipeline = deep ? m_impl->withGround : m_impl->pipeline;
    bindVoxelPass(m_impl->fn, pipeline, commands, scene, view, of.set, of.desc.placement, of.wavePeriod,
                  area);
    if (deep) {
        m_impl->fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 2, 1,
                                         &ground->m_impl->set, 0, nullptr);
    }
    of.recordDraws(commands, VoxelPool::Impl::kWater, list);
    return {list.calls, static_cast<std::uint32_t>(list.commands.size()), list.chunks, list.drawnTriangles};
}

}  // namespace karst::render
