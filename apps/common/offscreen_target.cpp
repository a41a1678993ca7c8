#include "common/offscreen_target.h"

#include <array>
#include <cstring>
#include <utility>

#include "common/recording.h"

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

}  // namespace

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
    const auto make = [&](GpuPicture& out, VkImageUsageFlags usage,
                          VkSampleCountFlagBits samples) -> Result<void> {
        const bool color = (usage & kColorUse) != 0;
        auto made = GpuPicture::create(
            *m_context, {.extent = area().extent,
                         .format = color ? m_desc.colorFormat : VK_FORMAT_D32_SFLOAT,
                         .usage = usage,
                         .aspect = static_cast<VkImageAspectFlags>(color ? VK_IMAGE_ASPECT_COLOR_BIT
                                                                         : VK_IMAGE_ASPECT_DEPTH_BIT),
                         .samples = samples});
        if (!made) return made.error();
        out = std::move(*made);
        return {};
    };
    const VkDeviceSize bytes = VkDeviceSize{area().extent.width} * area().extent.height * 4;
    Result<void> made = make(m_color, kColorUse | kRead, VK_SAMPLE_COUNT_1_BIT);
    if (made) made = make(m_depth, kDepthUse | kRead | VK_IMAGE_USAGE_SAMPLED_BIT, VK_SAMPLE_COUNT_1_BIT);
    if (made && multisampled()) made = make(m_colorSamples, kColorUse, m_desc.samples);
    if (made && multisampled()) made = make(m_depthSamples, kDepthUse, m_desc.samples);
    for (HostBuffer* buffer : {&m_colorBytes, &m_depthBytes}) {
        if (made)
            made = buffer->reserve(*m_context, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                   HostBuffer::Access::Read);
    }
    return made;
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
    for (const GpuPicture* a : {&m_color, &m_colorSamples, &m_depth, &m_depthSamples}) {
        if (!a->image()) continue;
        const bool color = a == &m_color || a == &m_colorSamples;
        VkImageMemoryBarrier2& b = barriers[count++];
        b = imageBarrier(a->image(), color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT);
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
    recordBarriers(commands, std::span(barriers).first(count));
}

void OffscreenTarget::beginScope(VkCommandBuffer commands, bool goesOn) {
    recordScopeBarriers(commands, goesOn);
    m_continued = goesOn;
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = multisampled() ? m_colorSamples.view() : m_color.view();
    color.imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    color.loadOp = goesOn ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    color.clearValue.color = {{0, 0, 0, 1}};
    VkRenderingAttachmentInfo depth = color;
    depth.imageView = multisampled() ? m_depthSamples.view() : m_depth.view();
    depth.clearValue.depthStencil = {0.0f, 0};
    if (multisampled()) {
        color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        color.resolveImageView = m_color.view();
        color.resolveImageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    }
    if (goesOn) {
        // Nothing is written: storing would be a write.
        depth.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
        if (!multisampled()) depth.imageLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    } else if (multisampled()) {
        depth.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
        depth.resolveImageView = m_depth.view();
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
    std::array barriers = {imageBarrier(m_color.image(), VK_IMAGE_ASPECT_COLOR_BIT),
                           imageBarrier(m_depth.image(), VK_IMAGE_ASPECT_DEPTH_BIT)};
    for (VkImageMemoryBarrier2& b : barriers) {
        b.srcStageMask = kColorStages | kDepthStages | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
        b.srcAccessMask = kColorWrite | kDepthWrite;
        b.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
        b.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
        b.oldLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
        b.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    }
    if (m_continued) barriers[1].oldLayout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
    recordBarriers(commands, barriers);
    recordCopy(commands, m_color.image(), VK_IMAGE_ASPECT_COLOR_BIT, area().extent, m_colorBytes.buffer());
    recordCopy(commands, m_depth.image(), VK_IMAGE_ASPECT_DEPTH_BIT, area().extent, m_depthBytes.buffer());
    recordForHost(commands);
}

Image OffscreenTarget::image() const {
    Image image;
    image.width = m_desc.width;
    image.height = m_desc.height;
    image.rgba.resize(std::size_t{area().extent.width} * area().extent.height * 4);
    std::memcpy(image.rgba.data(), m_colorBytes.data(), image.rgba.size());
    return image;
}

std::vector<float> OffscreenTarget::depth() const {
    std::vector<float> out(std::size_t{area().extent.width} * area().extent.height);
    std::memcpy(out.data(), m_depthBytes.data(), out.size() * sizeof(float));
    return out;
}

}  // namespace karst::app
