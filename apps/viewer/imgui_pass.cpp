#include "imgui_pass.h"

#include <common/gpu_picture.h>
#include <common/host_buffer.h>
#include <common/one_shot.h>
#include <common/recording.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "embedded_shaders.h"

namespace karst::viewer {

namespace {

struct Push {
    float scale[2], offset[2];
};

}  // namespace

struct ImGuiPass::Impl {
    app::VulkanContext* context;
    app::GpuPicture font;
    VkSampler sampler = VK_NULL_HANDLE;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    struct Slot {
        app::HostBuffer vertices, indices;
    };
    std::vector<Slot> slots;

    explicit Impl(app::VulkanContext& c) : context(&c) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        const VkDevice device = context->device();
        if (pipeline) vkDestroyPipeline(device, pipeline, nullptr);
        if (layout) vkDestroyPipelineLayout(device, layout, nullptr);
        if (pool) vkDestroyDescriptorPool(device, pool, nullptr);
        if (setLayout) vkDestroyDescriptorSetLayout(device, setLayout, nullptr);
        if (sampler) vkDestroySampler(device, sampler, nullptr);
    }

    Result<void> uploadFont();
    Result<void> createDescriptors();
    Result<void> createPipeline(VkFormat format);
};

ImGuiPass::ImGuiPass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
ImGuiPass::ImGuiPass(ImGuiPass&&) noexcept = default;
ImGuiPass::~ImGuiPass() = default;

Result<ImGuiPass> ImGuiPass::create(app::VulkanContext& context, VkFormat colorFormat,
                                    std::uint32_t framesInFlight) {
    auto impl = std::make_unique<Impl>(context);
    impl->slots.resize(framesInFlight);
    if (auto made = impl->uploadFont(); !made) return made.error();
    if (auto made = impl->createDescriptors(); !made) return made.error();
    if (auto made = impl->createPipeline(colorFormat); !made) return made.error();
    return ImGuiPass(std::move(impl));
}

Result<void> ImGuiPass::Impl::uploadFont() {
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    const VkExtent2D extent{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
    auto picture = app::GpuPicture::create(
        *context, {.extent = extent,
                   .format = VK_FORMAT_R8G8B8A8_UNORM,
                   .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    if (!picture) return picture.error();
    font = std::move(*picture);
    const std::size_t bytes = std::size_t{extent.width} * extent.height * 4;
    app::HostBuffer staging;
    if (auto made = staging.reserve(*context, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT); !made) return made;
    std::memcpy(staging.data(), pixels, bytes);
    return app::submitAndWait(*context, [&](VkCommandBuffer commands) -> Result<void> {
        VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
        barrier.image = font.image();
        barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
        barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        app::recordBarriers(commands, {&barrier, 1});
        VkBufferImageCopy copy{};
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.imageExtent = {extent.width, extent.height, 1};
        vkCmdCopyBufferToImage(commands, staging.buffer(), font.image(), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                               1, &copy);
        barrier.srcStageMask = barrier.dstStageMask;
        barrier.srcAccessMask = barrier.dstAccessMask;
        barrier.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        barrier.dstAccessMask = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
        barrier.oldLayout = barrier.newLayout;
        barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        app::recordBarriers(commands, {&barrier, 1});
        return {};
    });
}

Result<void> ImGuiPass::Impl::createDescriptors() {
    const VkDevice device = context->device();
    VkSamplerCreateInfo samplerInfo{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    samplerInfo.magFilter = samplerInfo.minFilter = VK_FILTER_LINEAR;
    VkResult code = vkCreateSampler(device, &samplerInfo, nullptr, &sampler);
    if (code != VK_SUCCESS) return app::vulkanError("vkCreateSampler", code);
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkDescriptorSetLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    layoutInfo.bindingCount = 1;
    layoutInfo.pBindings = &binding;
    code = vkCreateDescriptorSetLayout(device, &layoutInfo, nullptr, &setLayout);
    if (code != VK_SUCCESS) return app::vulkanError("vkCreateDescriptorSetLayout", code);
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    code = vkCreateDescriptorPool(device, &poolInfo, nullptr, &pool);
    if (code != VK_SUCCESS) return app::vulkanError("vkCreateDescriptorPool", code);
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &setLayout;
    code = vkAllocateDescriptorSets(device, &allocate, &set);
    if (code != VK_SUCCESS) return app::vulkanError("vkAllocateDescriptorSets", code);
    const VkDescriptorImageInfo image{sampler, font.view(), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.descriptorCount = 1;
    write.descriptorType = binding.descriptorType;
    write.pImageInfo = &image;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    return {};
}

Result<void> ImGuiPass::Impl::createPipeline(VkFormat format) {
    const VkDevice device = context->device();
    const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(Push)};
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pSetLayouts = &setLayout;
    layoutInfo.pPushConstantRanges = &range;
    VkResult code = vkCreatePipelineLayout(device, &layoutInfo, nullptr, &layout);
    if (code != VK_SUCCESS) return app::vulkanError("vkCreatePipelineLayout", code);

    std::array<VkShaderModuleCreateInfo, 2> code2{};
    code2[0] = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, render::kImguiVertBytes,
                render::kImguiVert};
    code2[1] = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, render::kImguiFragBytes,
                render::kImguiFrag};
    std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
    std::array<VkShaderModule, 2> modules{};
    for (std::size_t i = 0; i < stages.size() && code == VK_SUCCESS; ++i) {
        code = vkCreateShaderModule(device, &code2[i], nullptr, &modules[i]);
        stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        stages[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
        stages[i].module = modules[i];
        stages[i].pName = "main";
    }
    const VkVertexInputBindingDescription binding{0, sizeof(ImDrawVert), VK_VERTEX_INPUT_RATE_VERTEX};
    const std::array<VkVertexInputAttributeDescription, 3> attributes{{
        {0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(ImDrawVert, pos)},
        {1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(ImDrawVert, uv)},
        {2, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(ImDrawVert, col)},
    }};
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(attributes.size());
    input.pVertexAttributeDescriptions = attributes.data();
    VkPipelineInputAssemblyStateCreateInfo assembly{
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState blend{};
    blend.blendEnable = VK_TRUE;
    blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
    blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    blend.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo colors{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    colors.attachmentCount = 1;
    colors.pAttachments = &blend;
    const std::array<VkDynamicState, 2> moving{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = static_cast<std::uint32_t>(moving.size());
    dynamic.pDynamicStates = moving.data();
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.pNext = &rendering;
    info.stageCount = static_cast<std::uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &colors;
    info.pDynamicState = &dynamic;
    info.layout = layout;
    if (code == VK_SUCCESS)
        code = vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    for (const VkShaderModule module : modules)
        if (module) vkDestroyShaderModule(device, module, nullptr);
    if (code != VK_SUCCESS) return app::vulkanError("vkCreateGraphicsPipelines", code);
    return {};
}

Result<void> ImGuiPass::record(VkCommandBuffer commands, const ImDrawData& data, std::uint32_t slotIndex) {
    const float width = data.DisplaySize.x * data.FramebufferScale.x;
    const float height = data.DisplaySize.y * data.FramebufferScale.y;
    if (data.TotalVtxCount == 0 || width < 1 || height < 1) return {};
    Impl::Slot& slot = m_impl->slots[slotIndex];
    const auto vertexBytes = static_cast<std::size_t>(data.TotalVtxCount) * sizeof(ImDrawVert);
    const auto indexBytes = static_cast<std::size_t>(data.TotalIdxCount) * sizeof(ImDrawIdx);
    app::VulkanContext& context = *m_impl->context;
    if (auto made = slot.vertices.reserve(context, vertexBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT); !made)
        return made;
    if (auto made = slot.indices.reserve(context, indexBytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT); !made)
        return made;
    std::byte *vertices = slot.vertices.data(), *indices = slot.indices.data();
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& list = *data.CmdLists[i];
        const auto v = static_cast<std::size_t>(list.VtxBuffer.size_in_bytes());
        const auto n = static_cast<std::size_t>(list.IdxBuffer.size_in_bytes());
        std::memcpy(vertices, list.VtxBuffer.Data, v);
        std::memcpy(indices, list.IdxBuffer.Data, n);
        vertices += v;
        indices += n;
    }

    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_impl->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_impl->layout, 0, 1, &m_impl->set, 0,
                            nullptr);
    const VkBuffer vertexBuffer = slot.vertices.buffer();
    const VkDeviceSize zero = 0;
    vkCmdBindVertexBuffers(commands, 0, 1, &vertexBuffer, &zero);
    vkCmdBindIndexBuffer(commands, slot.indices.buffer(), 0,
                         sizeof(ImDrawIdx) == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
    const VkViewport viewport{0, 0, width, height, 0, 1};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    const Push push{
        {2 / data.DisplaySize.x, 2 / data.DisplaySize.y},
        {-1 - data.DisplayPos.x * 2 / data.DisplaySize.x, -1 - data.DisplayPos.y * 2 / data.DisplaySize.y}};
    vkCmdPushConstants(commands, m_impl->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof push, &push);

    std::uint32_t firstIndex = 0;
    std::int32_t firstVertex = 0;
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& list = *data.CmdLists[i];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            if (command.UserCallback) continue;
            const ImVec4& clip = command.ClipRect;
            const float x0 = std::max((clip.x - data.DisplayPos.x) * data.FramebufferScale.x, 0.0f);
            const float y0 = std::max((clip.y - data.DisplayPos.y) * data.FramebufferScale.y, 0.0f);
            const float x1 = std::min((clip.z - data.DisplayPos.x) * data.FramebufferScale.x, width);
            const float y1 = std::min((clip.w - data.DisplayPos.y) * data.FramebufferScale.y, height);
            if (x1 <= x0 || y1 <= y0) continue;
            const VkRect2D scissor{
                {static_cast<std::int32_t>(x0), static_cast<std::int32_t>(y0)},
                {static_cast<std::uint32_t>(x1 - x0), static_cast<std::uint32_t>(y1 - y0)}};
            vkCmdSetScissor(commands, 0, 1, &scissor);
            vkCmdDrawIndexed(commands, command.ElemCount, 1, firstIndex + command.IdxOffset,
                             firstVertex + static_cast<std::int32_t>(command.VtxOffset), 0);
        }
        firstIndex += static_cast<std::uint32_t>(list.IdxBuffer.Size);
        firstVertex += list.VtxBuffer.Size;
    }
    return {};
}

}  // namespace karst::viewer
