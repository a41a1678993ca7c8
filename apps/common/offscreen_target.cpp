#include "common/offscreen_target.h"

#include <array>
#include <cstring>
#include <utility>

namespace karst::app {

namespace {

VkImageMemoryBarrier2 imageBarrier(VkImage image, VkImageAspectFlags aspect) {
    VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {aspect, 0, 1, 0, 1};
    return barrier;
}

// What an attachment was or will be read and written by.
constexpr VkPipelineStageFlags2 kColorStages = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkAccessFlags2 kColorWrite = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags2 kColorAccess = kColorWrite | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
constexpr VkPipelineStageFlags2 kDepthStages =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
constexpr VkAccessFlags2 kDepthWrite = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags2 kDepthAccess = kDepthWrite | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;

void recordBarriers(VkCommandBuffer commands, const VkImageMemoryBarrier2* barriers, std::size_t count) {
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = static_cast<std::uint32_t>(count);
    info.pImageMemoryBarriers = barriers;
    vkCmdPipelineBarrier2(commands, &info);
}

}  // namespace

OffscreenTarget::OffscreenTarget(OffscreenTarget&& other) noexcept
    : m_context(other.m_context),
      m_desc(other.m_desc),
      m_color(std::exchange(other.m_color, {})),
      m_depth(std::exchange(other.m_depth, {})),
      m_colorSamples(std::exchange(other.m_colorSamples, {})),
      m_depthSamples(std::exchange(other.m_depthSamples, {})),
      m_colorBytes(std::exchange(other.m_colorBytes, {})),
      m_depthBytes(std::exchange(other.m_depthBytes, {})) {}

OffscreenTarget::~OffscreenTarget() {
    const VkDevice device = m_context->device();
    for (const Attachment& a : {m_color, m_depth, m_colorSamples, m_depthSamples}) {
        if (a.view) vkDestroyImageView(device, a.view, nullptr);
        if (a.image) vkDestroyImage(device, a.image, nullptr);
        if (a.memory) vkFreeMemory(device, a.memory, nullptr);
    }
    for (const Readback& r : {m_colorBytes, m_depthBytes}) {
        if (r.buffer) vkDestroyBuffer(device, r.buffer, nullptr);
        if (r.memory) vkFreeMemory(device, r.memory, nullptr);
    }
}

Result<OffscreenTarget> OffscreenTarget::create(VulkanContext& context, const OffscreenTargetDesc& desc) {
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(context.physicalDevice(), &properties);
    const int limit = static_cast<int>(properties.limits.maxImageDimension2D);
    if (desc.width < 1 || desc.height < 1 || desc.width > limit || desc.height > limit) {
        return makeError(ErrorCode::InvalidArgument, "picture: %d x %d is not within 1 x 1 .. %d x %d",
                         desc.width, desc.height, limit, limit);
    }
    OffscreenTarget target(context, desc);
    if (auto made = target.createAll(); !made) return made.error();
    return target;
}

Result<void> OffscreenTarget::createAll() {
    constexpr VkImageUsageFlags kColorUse = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    constexpr VkImageUsageFlags kDepthUse = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    constexpr VkImageUsageFlags kRead = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    auto made = createAttachment(m_color, m_desc.colorFormat, kColorUse | kRead, VK_SAMPLE_COUNT_1_BIT,
                                 VK_IMAGE_ASPECT_COLOR_BIT);
    if (made) {
        made = createAttachment(m_depth, VK_FORMAT_D32_SFLOAT, kDepthUse | kRead | VK_IMAGE_USAGE_SAMPLED_BIT,
                                VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
    }
    if (made && multisampled()) {
        made = createAttachment(m_colorSamples, m_desc.colorFormat, kColorUse, m_desc.samples,
                                VK_IMAGE_ASPECT_COLOR_BIT);
        if (made) {
            made = createAttachment(m_depthSamples, VK_FORMAT_D32_SFLOAT, kDepthUse, m_desc.samples,
                                    VK_IMAGE_ASPECT_DEPTH_BIT);
        }
    }
    if (made) made = createReadback(m_colorBytes);
    if (made) made = createReadback(m_depthBytes);
    return made;
}

Result<void> OffscreenTarget::createAttachment(Attachment& out, VkFormat format, VkImageUsageFlags usage,
                                               VkSampleCountFlagBits samples, VkImageAspectFlags aspect) {
    const VkDevice device = m_context->device();
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {area().extent.width, area().extent.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = samples;
    info.usage = usage;
    VkResult code = vkCreateImage(device, &info, nullptr, &out.image);
    if (code != VK_SUCCESS) return vulkanError("vkCreateImage", code);
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(device, out.image, &needs);
    auto type = m_context->memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!type) return type.error();
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = *type;
    code = vkAllocateMemory(device, &allocate, nullptr, &out.memory);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateMemory", code);
    code = vkBindImageMemory(device, out.image, out.memory, 0);
    if (code != VK_SUCCESS) return vulkanError("vkBindImageMemory", code);
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = out.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspect, 0, 1, 0, 1};
    code = vkCreateImageView(device, &view, nullptr, &out.view);
    if (code != VK_SUCCESS) return vulkanError("vkCreateImageView", code);
    return {};
}

Result<void> OffscreenTarget::createReadback(Readback& out) {
    const VkDevice device = m_context->device();
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = VkDeviceSize{area().extent.width} * area().extent.height * 4;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkResult code = vkCreateBuffer(device, &info, nullptr, &out.buffer);
    if (code != VK_SUCCESS) return vulkanError("vkCreateBuffer", code);
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device, out.buffer, &needs);
    constexpr VkMemoryPropertyFlags kCoherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    auto type = m_context->memoryType(needs.memoryTypeBits, kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (!type) type = m_context->memoryType(needs.memoryTypeBits, kCoherent);
    if (!type) return type.error();
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = *type;
    code = vkAllocateMemory(device, &allocate, nullptr, &out.memory);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateMemory", code);
    code = vkBindBufferMemory(device, out.buffer, out.memory, 0);
    if (code != VK_SUCCESS) return vulkanError("vkBindBufferMemory", code);
    void* mapped = nullptr;
    code = vkMapMemory(device, out.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (code != VK_SUCCESS) return vulkanError("vkMapMemory", code);
    out.mapped = static_cast<const std::uint8_t*>(mapped);
    return {};
}

VkRect2D OffscreenTarget::area() const {
    return {{0, 0}, {static_cast<std::uint32_t>(m_desc.width), static_cast<std::uint32_t>(m_desc.height)}};
}

void OffscreenTarget::beginRendering(VkCommandBuffer commands) {
    // The old contents are dropped; earlier draws and copies are done with the images first.
    beginScope(commands, false);
}

void OffscreenTarget::continueRendering(VkCommandBuffer commands) {
    vkCmdEndRendering(commands);
    beginScope(commands, true);
}

void OffscreenTarget::recordScopeBarriers(VkCommandBuffer commands, bool goesOn) {
    std::array<VkImageMemoryBarrier2, 4> barriers;
    std::size_t count = 0;
    for (const Attachment* a : {&m_color, &m_colorSamples, &m_depth, &m_depthSamples}) {
        if (!a->image) continue;
        const bool color = a == &m_color || a == &m_colorSamples;
        VkImageMemoryBarrier2& b = barriers[count++];
        b = imageBarrier(a->image, color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT);
        b.srcStageMask = kColorStages | kDepthStages | VK_PIPELINE_STAGE_2_COPY_BIT |
                         VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        b.srcAccessMask = kColorWrite | kDepthWrite;
        // Resolves of depth too are done by the colour output stage.
        b.dstStageMask = color ? kColorStages : kDepthStages | kColorStages;
        b.dstAccessMask = color ? kColorAccess : kDepthAccess | kColorAccess;
        b.newLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
        if (!goesOn) continue;
        b.oldLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
        if (a != &m_depth) continue;
        b.dstStageMask = kDepthStages | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        b.dstAccessMask = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
        b.newLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    }
    recordBarriers(commands, barriers.data(), count);
}

void OffscreenTarget::beginScope(VkCommandBuffer commands, bool goesOn) {
    recordScopeBarriers(commands, goesOn);
    m_continued = goesOn;
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = multisampled() ? m_colorSamples.view : m_color.view;
    color.imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    color.loadOp = goesOn ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    color.clearValue.color = {{0, 0, 0, 1}};
    VkRenderingAttachmentInfo depth = color;
    depth.imageView = multisampled() ? m_depthSamples.view : m_depth.view;
    depth.clearValue.depthStencil = {0.0f, 0};
    if (multisampled()) {
        color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        color.resolveImageView = m_color.view;
        color.resolveImageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    }
    if (goesOn) {
        // Nothing is written: storing would be a write.
        depth.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
        if (!multisampled()) depth.imageLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    } else if (multisampled()) {
        depth.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
        depth.resolveImageView = m_depth.view;
        depth.resolveImageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    }
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = area();
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(commands, &info);
}

void OffscreenTarget::endRendering(VkCommandBuffer commands) {
    vkCmdEndRendering(commands);
    std::array barriers = {imageBarrier(m_color.image, VK_IMAGE_ASPECT_COLOR_BIT),
                           imageBarrier(m_depth.image, VK_IMAGE_ASPECT_DEPTH_BIT)};
    for (VkImageMemoryBarrier2& b : barriers) {
        b.srcStageMask = kColorStages | kDepthStages | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        b.srcAccessMask = kColorWrite | kDepthWrite;
        b.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
        b.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
        b.oldLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
        b.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    }
    if (m_continued) barriers[1].oldLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    recordBarriers(commands, barriers.data(), barriers.size());
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {area().extent.width, area().extent.height, 1};
    vkCmdCopyImageToBuffer(commands, m_color.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_colorBytes.buffer,
                           1, &copy);
    copy.imageSubresource.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
    vkCmdCopyImageToBuffer(commands, m_depth.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_depthBytes.buffer,
                           1, &copy);
    VkMemoryBarrier2 toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    toHost.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    toHost.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    toHost.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    toHost.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &toHost;
    vkCmdPipelineBarrier2(commands, &info);
}

Image OffscreenTarget::image() const {
    Image image;
    image.width = m_desc.width;
    image.height = m_desc.height;
    const std::size_t bytes = std::size_t{area().extent.width} * area().extent.height * 4;
    image.rgba.assign(m_colorBytes.mapped, m_colorBytes.mapped + bytes);
    return image;
}

std::vector<float> OffscreenTarget::depth() const {
    std::vector<float> out(std::size_t{area().extent.width} * area().extent.height);
    std::memcpy(out.data(), m_depthBytes.mapped, out.size() * sizeof(float));
    return out;
}

}  // namespace karst::app
