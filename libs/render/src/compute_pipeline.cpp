#include "compute_pipeline.h"

namespace karst::render {

Result<ComputePipeline> createComputePipeline(const DeviceFunctions& fn, const char* name,
                                              const ShaderCode& code,
                                              std::span<const VkDescriptorSetLayout> sets,
                                              std::uint32_t pushBytes) {
    ComputePipeline out;
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = static_cast<std::uint32_t>(sets.size());
    layout.pSetLayouts = sets.data();
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &push;
    VkResult result = fn.CreatePipelineLayout(fn.device, &layout, nullptr, &out.layout);
    if (result != VK_SUCCESS) return vulkanError("vkCreatePipelineLayout", name, result);
    fn.setName(VK_OBJECT_TYPE_PIPELINE_LAYOUT, out.layout, name);

    auto module = createShaderModule(fn, name, code);
    if (!module) {
        destroyComputePipeline(fn, out);
        return module.error();
    }
    const VkSpecializationMapEntry entry{0, 0, sizeof(VkBool32)};
    const VkSpecializationInfo constants{1, &entry, sizeof(VkBool32), &code.constant0};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = *module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &constants;
    info.layout = out.layout;
    result = fn.CreateComputePipelines(fn.device, VK_NULL_HANDLE, 1, &info, nullptr, &out.pipeline);
    fn.DestroyShaderModule(fn.device, *module, nullptr);
    if (result != VK_SUCCESS) {
        destroyComputePipeline(fn, out);
        return vulkanError("vkCreateComputePipelines", name, result);
    }
    fn.setName(VK_OBJECT_TYPE_PIPELINE, out.pipeline, name);
    return out;
}

void destroyComputePipeline(const DeviceFunctions& fn, ComputePipeline& pipeline) {
    if (pipeline.pipeline) fn.DestroyPipeline(fn.device, pipeline.pipeline, nullptr);
    if (pipeline.layout) fn.DestroyPipelineLayout(fn.device, pipeline.layout, nullptr);
    pipeline = {};
}

}  // namespace karst::render
