#include "pass_pipeline.h"

#include <embedded_shaders.h>

#include <array>

namespace karst::render {

namespace {

bool hasColor(PassKind kind) {
    return kind == PassKind::Lit || kind == PassKind::Wireframe || kind == PassKind::Overdraw;
}

}  // namespace

Result<void> validate(const DeviceFunctions& fn, const PassTarget& target) {
    switch (target.formats.depth) {
        case VK_FORMAT_D32_SFLOAT:
        case VK_FORMAT_D32_SFLOAT_S8_UINT:
            break;
        default:
            return makeError(ErrorCode::InvalidArgument,
                             "render: depth format %d: reverse-Z wants D32_SFLOAT (with or without stencil)",
                             static_cast<int>(target.formats.depth));
    }
    if (target.kind == PassKind::Wireframe && !fn.fillModeNonSolid) {
        return makeError(ErrorCode::InvalidArgument,
                         "render: PassKind::Wireframe needs the device feature fillModeNonSolid, and "
                         "VulkanDevice::fillModeNonSolid to say that it is enabled");
    }
    if (target.kind == PassKind::Visibility && target.formats.samples != VK_SAMPLE_COUNT_1_BIT) {
        return makeError(ErrorCode::InvalidArgument,
                         "render: PassKind::Visibility has one sample a pixel, not %d",
                         static_cast<int>(target.formats.samples));
    }
    if (!hasColor(target.kind)) return {};
    switch (target.formats.color) {
        case VK_FORMAT_R8G8B8A8_SRGB:
        case VK_FORMAT_B8G8R8A8_SRGB:
        case VK_FORMAT_R8G8B8A8_UNORM:
        case VK_FORMAT_B8G8R8A8_UNORM:
            return {};
        default:
            return makeError(ErrorCode::InvalidArgument,
                             "render: colour format %d is not an 8-bit RGBA or BGRA one",
                             static_cast<int>(target.formats.color));
    }
}

Result<void> refuseVisibility(const char* pass, const PassTarget& target) {
    if (target.kind != PassKind::Visibility) return {};
    return makeError(ErrorCode::InvalidArgument,
                     "%s: PassKind::Visibility is for height tiles and voxel ground", pass);
}

bool shaderEncodesSrgb(const PassTarget& target) {
    return target.formats.color == VK_FORMAT_R8G8B8A8_UNORM ||
           target.formats.color == VK_FORMAT_B8G8R8A8_UNORM;
}

ShaderCode fragmentOf(const PassTarget& target, const ShaderCode& lit, const ShaderCode& gbuffer) {
    ShaderCode code;
    switch (target.kind) {
        case PassKind::DepthPrepass:
        case PassKind::Shadow:
            return code;
        case PassKind::Lit:
            code = lit;
            break;
        case PassKind::GBuffer:
            return gbuffer;
        case PassKind::Visibility:
            return code;  // those that can bring their own
        case PassKind::Wireframe:
            code = {kWireframeFrag, kWireframeFragBytes, VK_FALSE};
            break;
        case PassKind::Overdraw:
            code = {kOverdrawFrag, kOverdrawFragBytes, VK_FALSE};
            break;
    }
    code.constant0 = shaderEncodesSrgb(target) ? VK_TRUE : VK_FALSE;
    return code;
}

namespace {

VkResult createPipeline(const DeviceFunctions& fn, const PassPipelineDesc& desc, VkShaderModule vertex,
                        VkShaderModule fragment, PassPipeline& out) {
    const VkSpecializationMapEntry entries[2] = {{0, 0, sizeof(VkBool32)},
                                                 {1, sizeof(VkBool32), sizeof(VkBool32)}};
    const VkBool32 values[2][2] = {{desc.vertex.constant0, desc.vertex.constant1},
                                   {desc.fragment.constant0, desc.fragment.constant1}};
    const VkSpecializationInfo constants[2] = {{2, entries, sizeof(values[0]), values[0]},
                                               {2, entries, sizeof(values[1]), values[1]}};
    VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
                                                 {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = vertex;
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[1].module = fragment;
    for (int i = 0; i < 2; ++i) {
        stages[i].pName = "main";
        stages[i].pSpecializationInfo = &constants[i];
    }
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = static_cast<std::uint32_t>(desc.bindings.size());
    input.pVertexBindingDescriptions = desc.bindings.data();
    input.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(desc.attributes.size());
    input.pVertexAttributeDescriptions = desc.attributes.data();
    VkPipelineInputAssemblyStateCreateInfo assembly{
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = 1;
    viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    const PassKind kind = desc.target.kind;
    raster.polygonMode = kind == PassKind::Wireframe ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL;
    if (kind == PassKind::Shadow || kind == PassKind::Wireframe) {
        // Reverse-Z: less depth is farther. Casters move away from the light, lines toward the eye.
        const float away = kind == PassKind::Shadow ? -1.0f : 1.0f;
        raster.depthBiasEnable = VK_TRUE;
        raster.depthBiasConstantFactor = away * 2.0f;
        raster.depthBiasSlopeFactor = away * 1.5f;
    }
    raster.cullMode = VK_CULL_MODE_NONE;
    raster.frontFace = desc.frontFace;
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = desc.target.formats.samples;
    VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    depth.depthTestEnable = VK_TRUE;
    const bool writes = desc.writeDepth && kind != PassKind::Wireframe && kind != PassKind::Overdraw;
    depth.depthWriteEnable = writes ? VK_TRUE : VK_FALSE;
    depth.depthCompareOp = kind == PassKind::Overdraw ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_GREATER_OR_EQUAL;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    if (desc.blend) {
        attachment.blendEnable = VK_TRUE;
        attachment.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
        attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
        attachment.colorBlendOp = VK_BLEND_OP_ADD;
        attachment.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
        attachment.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
        attachment.alphaBlendOp = VK_BLEND_OP_ADD;
    }
    if (kind == PassKind::Overdraw) {
        attachment.blendEnable = VK_TRUE;
        attachment.srcColorBlendFactor = attachment.dstColorBlendFactor = VK_BLEND_FACTOR_ONE;
        attachment.colorBlendOp = VK_BLEND_OP_ADD;
        attachment.srcAlphaBlendFactor = attachment.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
        attachment.alphaBlendOp = VK_BLEND_OP_ADD;
    }
    const std::array attachments = {attachment, attachment, attachment};
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = hasColor(kind) || kind == PassKind::Visibility ? 1
                            : kind == PassKind::GBuffer                    ? 3
                                                                           : 0;
    blend.pAttachments = attachments.data();
    const VkDynamicState dynamicStates[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = dynamicStates;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = blend.attachmentCount;
    rendering.pColorAttachmentFormats = kind == PassKind::GBuffer      ? kGBufferFormats
                                        : kind == PassKind::Visibility ? &kVisibilityFormat
                                                                       : &desc.target.formats.color;
    rendering.depthAttachmentFormat = desc.target.formats.depth;

    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.pNext = &rendering;
    info.stageCount = fragment ? 2 : 1;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = out.layout;
    return fn.CreateGraphicsPipelines(fn.device, VK_NULL_HANDLE, 1, &info, nullptr, &out.pipeline);
}

}  // namespace

Result<PassPipeline> createPassPipeline(const DeviceFunctions& fn, const PassPipelineDesc& desc) {
    PassPipeline out;
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const VkDescriptorSetLayout sets[3] = {desc.setLayout, desc.ownSet, desc.thirdSet};
    layout.setLayoutCount = desc.ownSet ? (desc.thirdSet ? 3 : 2) : 1;
    layout.pSetLayouts = sets;
    const VkPushConstantRange push{kPushStages, 0, kPushBytes};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &push;
    VkResult code = fn.CreatePipelineLayout(fn.device, &layout, nullptr, &out.layout);
    if (code != VK_SUCCESS) return vulkanError("vkCreatePipelineLayout", desc.name, code);
    fn.setName(VK_OBJECT_TYPE_PIPELINE_LAYOUT, out.layout, desc.name);

    const bool drawsFragments = desc.fragment.words != nullptr;
    auto vertex = createShaderModule(fn, desc.name, desc.vertex);
    Result<VkShaderModule> fragment = VkShaderModule{VK_NULL_HANDLE};
    if (drawsFragments) fragment = createShaderModule(fn, desc.name, desc.fragment);
    if (vertex && fragment) code = createPipeline(fn, desc, *vertex, *fragment, out);
    if (vertex) fn.DestroyShaderModule(fn.device, *vertex, nullptr);
    if (fragment && *fragment) fn.DestroyShaderModule(fn.device, *fragment, nullptr);
    if (!vertex || !fragment || code != VK_SUCCESS) {
        destroyPassPipeline(fn, out);
        if (!vertex) return vertex.error();
        if (!fragment) return fragment.error();
        return vulkanError("vkCreateGraphicsPipelines", desc.name, code);
    }
    fn.setName(VK_OBJECT_TYPE_PIPELINE, out.pipeline, desc.name);
    return out;
}

void destroyPassPipeline(const DeviceFunctions& fn, PassPipeline& pipeline) {
    if (pipeline.pipeline) fn.DestroyPipeline(fn.device, pipeline.pipeline, nullptr);
    if (pipeline.layout) fn.DestroyPipelineLayout(fn.device, pipeline.layout, nullptr);
    pipeline = {};
}

void bindPass(const DeviceFunctions& fn, const PassPipeline& pipeline, VkCommandBuffer commands,
              const SceneUniforms& scene, const RenderView& view, VkRect2D area) {
    const VkViewport viewport{static_cast<float>(area.offset.x),
                              static_cast<float>(area.offset.y),
                              static_cast<float>(area.extent.width),
                              static_cast<float>(area.extent.height),
                              0.0f,
                              1.0f};
    fn.CmdSetViewport(commands, 0, 1, &viewport);
    fn.CmdSetScissor(commands, 0, 1, &area);
    fn.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    const VkDescriptorSet set = scene.descriptorSet();
    fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0,
                             nullptr);
    const gpu::GpuView pushed{view.viewProjection, {view.camera ? 1.0f : 0.0f, 0, 0, 0}};
    fn.CmdPushConstants(commands, pipeline.layout, kPushStages, 0, sizeof(pushed), &pushed);
}

}  // namespace karst::render
