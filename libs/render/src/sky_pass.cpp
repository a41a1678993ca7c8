#include <embedded_shaders.h>
#include <karst/render/sky_pass.h>

#include "debug_label.h"
#include "pass_impl.h"

namespace karst::render {

struct SkyPass::Impl : PassImpl {
    using PassImpl::PassImpl;
};

SkyPass::SkyPass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
SkyPass::SkyPass(SkyPass&&) noexcept = default;
SkyPass& SkyPass::operator=(SkyPass&&) noexcept = default;
SkyPass::~SkyPass() = default;

Result<SkyPass> SkyPass::create(const VulkanDevice& device, const SceneUniforms& scene,
                                const AttachmentFormats& formats) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    const PassTarget target{PassKind::Lit, formats};
    if (auto good = validate(*fn, target); !good) return good.error();
    auto impl = std::make_unique<Impl>(*fn);
    PassPipelineDesc desc;
    desc.name = "karst sky";
    desc.vertex = {kSkyVert, kSkyVertBytes, VK_FALSE};
    desc.fragment = fragmentOf(target, {kSkyFrag, kSkyFragBytes, VK_FALSE}, {});
    desc.target = target;
    desc.setLayout = scene.descriptorSetLayout();
    desc.writeDepth = false;
    auto pipeline = createPassPipeline(*fn, desc);
    if (!pipeline) return pipeline.error();
    impl->pipeline = *pipeline;
    return SkyPass(std::move(impl));
}

void SkyPass::record(VkCommandBuffer commands, const SceneUniforms& scene, VkRect2D area) const {
    const DebugLabel label(m_impl->fn, commands, "karst sky");
    bindPass(m_impl->fn, m_impl->pipeline, commands, scene, scene.camera(), area);
    m_impl->fn.CmdDraw(commands, 3, 1, 0, 0);
}

}  // namespace karst::render
