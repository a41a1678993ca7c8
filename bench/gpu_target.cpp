#include "gpu_target.h"

#include <embedded_shaders.h>

#include <vector>

namespace karst::bench {

namespace {

void check(VkResult code, const char* call) {
    if (code == VK_SUCCESS) return;
    std::fprintf(stderr, "%s: VkResult %d\n", call, static_cast<int>(code));
    std::exit(1);
}

constexpr VkImageLayout kColorLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kDepthLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;

VkShaderModule moduleOf(VkDevice device, const std::uint32_t* words, std::size_t bytes) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = bytes;
    info.pCode = words;
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device, &info, nullptr, &module), "vkCreateShaderModule");
    return module;
}

}  // namespace

GpuTarget::GpuTarget(app::VulkanContext& context, std::uint32_t width, std::uint32_t height)
    : m_context(&context), m_extent{width, height} {
    constexpr VkImageUsageFlags kColor = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                kSampled = VK_IMAGE_USAGE_SAMPLED_BIT;
    m_color = make(formats().color, kColor, VK_IMAGE_ASPECT_COLOR_BIT);
    m_depth = make(formats().depth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kSampled,
                   VK_IMAGE_ASPECT_DEPTH_BIT);
    m_seen = make(render::kVisibilityFormat, kColor | kSampled, VK_IMAGE_ASPECT_COLOR_BIT);
    m_shaded = make(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
}

GpuTarget::~GpuTarget() {
    for (const Attachment& one : {m_color, m_depth, m_seen, m_shaded}) {
        vkDestroyImageView(m_context->device(), one.view, nullptr);
        vkDestroyImage(m_context->device(), one.image, nullptr);
        vkFreeMemory(m_context->device(), one.memory, nullptr);
    }
}

GpuTarget::Attachment GpuTarget::make(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) {
    const VkDevice device = m_context->device();
    Attachment out;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {m_extent.width, m_extent.height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    check(vkCreateImage(device, &info, nullptr, &out.image), "vkCreateImage");
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(device, out.image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex =
        orExit(m_context->memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
    check(vkAllocateMemory(device, &allocate, nullptr, &out.memory), "vkAllocateMemory");
    check(vkBindImageMemory(device, out.image, out.memory, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = out.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspect, 0, 1, 0, 1};
    check(vkCreateImageView(device, &view, nullptr, &out.view), "vkCreateImageView");
    return out;
}

void GpuTarget::barriers(VkCommandBuffer commands, std::initializer_list<Change> changes) const {
    std::vector<VkImageMemoryBarrier2> all;
    for (const Change& change : changes) {
        VkImageMemoryBarrier2 out{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
        out.srcStageMask = out.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        out.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
        out.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
        out.oldLayout = change.from;
        out.newLayout = change.to;
        out.srcQueueFamilyIndex = out.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        out.image = change.image->image;
        out.subresourceRange = {change.image == &m_depth
                                    ? static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_DEPTH_BIT)
                                    : static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_COLOR_BIT),
                                0, 1, 0, 1};
        all.push_back(out);
    }
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.imageMemoryBarrierCount = static_cast<std::uint32_t>(all.size());
    dependency.pImageMemoryBarriers = all.data();
    vkCmdPipelineBarrier2(commands, &dependency);
}

void GpuTarget::beginScope(VkCommandBuffer commands, const Attachment* color, bool clearColor,
                           bool clearDepth) {
    VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    depth.imageView = m_depth.view;
    depth.imageLayout = kDepthLayout;
    depth.loadOp = clearDepth ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingAttachmentInfo colors = depth;
    colors.imageView = color ? color->view : VK_NULL_HANDLE;
    colors.imageLayout = kColorLayout;
    colors.loadOp = clearColor ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = area();
    info.layerCount = 1;
    info.colorAttachmentCount = color ? 1 : 0;
    info.pColorAttachments = &colors;
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(commands, &info);
}

void GpuTarget::begin(VkCommandBuffer commands, bool color, bool clear) {
    barriers(commands, {{&m_depth, clear ? VK_IMAGE_LAYOUT_UNDEFINED : kDepthLayout, kDepthLayout},
                        {&m_color, clear ? VK_IMAGE_LAYOUT_UNDEFINED : kColorLayout, kColorLayout}});
    beginScope(commands, color ? &m_color : nullptr, clear, clear);
}

void GpuTarget::beginVisibility(VkCommandBuffer commands) {
    barriers(commands,
             {{&m_depth, kDepthLayout, kDepthLayout}, {&m_seen, VK_IMAGE_LAYOUT_UNDEFINED, kColorLayout}});
    beginScope(commands, &m_seen, true, false);
}

void GpuTarget::endVisibility(VkCommandBuffer commands) {
    end(commands);
    constexpr VkImageLayout kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    barriers(commands, {{&m_seen, kColorLayout, kRead},
                        {&m_depth, kDepthLayout, kRead},
                        {&m_shaded, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL}});
}

void GpuTarget::releaseDepth(VkCommandBuffer commands) {
    barriers(commands, {{&m_depth, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, kDepthLayout}});
}

FloorPass::FloorPass(app::VulkanContext& context, const GpuTarget& target, bool color) : m_context(&context) {
    const VkDevice device = context.device();
    const VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    check(vkCreatePipelineLayout(device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");
    VkPipelineShaderStageCreateInfo stages[2] = {{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
                                                 {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = moduleOf(device, render::kFlatVert, render::kFlatVertBytes);
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[1].module = moduleOf(device, render::kFlatFrag, render::kFlatFragBytes);
    stages[0].pName = stages[1].pName = "main";
    const VkVertexInputBindingDescription binding{0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.pVertexAttributeDescriptions = &attribute;
    VkPipelineInputAssemblyStateCreateInfo assembly{
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
    depth.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = color ? 1 : 0;
    blend.pAttachments = &attachment;
    const VkDynamicState dynamicStates[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = dynamicStates;
    const render::AttachmentFormats formats = target.formats();
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = blend.attachmentCount;
    rendering.pColorAttachmentFormats = &formats.color;
    rendering.depthAttachmentFormat = formats.depth;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.pNext = &rendering;
    info.stageCount = color ? 2 : 1;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = m_layout;
    check(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
          "vkCreateGraphicsPipelines");
    for (const auto& stage : stages)
        vkDestroyShaderModule(device, stage.module, nullptr);
}

FloorPass::~FloorPass() {
    vkDestroyPipeline(m_context->device(), m_pipeline, nullptr);
    vkDestroyPipelineLayout(m_context->device(), m_layout, nullptr);
}

void FloorPass::record(VkCommandBuffer commands, VkRect2D area, VkBuffer clip, VkBuffer indices,
                       std::uint32_t count) const {
    const VkViewport viewport{
        0, 0, static_cast<float>(area.extent.width), static_cast<float>(area.extent.height), 0, 1};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &area);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
    const VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(commands, 0, 1, &clip, &offset);
    vkCmdBindIndexBuffer(commands, indices, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(commands, count, 1, 0, 0, 0);
}

}  // namespace karst::bench
