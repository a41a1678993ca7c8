// What of the swapchain copies a shown picture back.
#include <cstring>
#include <utility>

#include "common/swapchain.h"

namespace karst::app {

Result<void> Swapchain::createCapture(VkExtent2D extent) {
    if (m_capture.buffer && m_capture.extent.width == extent.width &&
        m_capture.extent.height == extent.height) {
        return {};
    }
    const VkDevice device = m_context->device();
    vkDeviceWaitIdle(device);
    destroyCapture();
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = VkDeviceSize{extent.width} * extent.height * 4;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkResult code = vkCreateBuffer(device, &info, nullptr, &m_capture.buffer);
    if (code != VK_SUCCESS) return vulkanError("vkCreateBuffer", code);
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device, m_capture.buffer, &needs);
    const auto type = m_context->memoryType(
        needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    if (!type) return type.error();
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = *type;
    code = vkAllocateMemory(device, &allocate, nullptr, &m_capture.memory);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateMemory", code);
    code = vkBindBufferMemory(device, m_capture.buffer, m_capture.memory, 0);
    if (code != VK_SUCCESS) return vulkanError("vkBindBufferMemory", code);
    m_capture.extent = extent;
    return {};
}

void Swapchain::destroyCapture() {
    const VkDevice device = m_context->device();
    if (m_capture.buffer) vkDestroyBuffer(device, m_capture.buffer, nullptr);
    if (m_capture.memory) vkFreeMemory(device, m_capture.memory, nullptr);
    m_capture = {};
}

void Swapchain::recordCapture(const Frame& frame) {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {frame.extent.width, frame.extent.height, 1};
    vkCmdCopyImageToBuffer(frame.commands, frame.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           m_capture.buffer, 1, &copy);
    VkMemoryBarrier2 toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    toHost.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    toHost.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    toHost.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    toHost.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &toHost;
    vkCmdPipelineBarrier2(frame.commands, &info);
}

Result<std::optional<Image>> Swapchain::takeCapture() {
    if (!m_captureWanted) return std::optional<Image>();
    m_captureWanted = false;
    if (!std::exchange(m_captured, false)) {
        return makeError(ErrorCode::Unsupported, "vulkan: %s does not let a window's picture be copied",
                         m_context->deviceName().c_str());
    }
    const VkDevice device = m_context->device();
    vkDeviceWaitIdle(device);
    void* mapped = nullptr;
    const VkResult code = vkMapMemory(device, m_capture.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (code != VK_SUCCESS) return vulkanError("vkMapMemory", code);
    Image image;
    image.width = static_cast<int>(m_capture.extent.width);
    image.height = static_cast<int>(m_capture.extent.height);
    image.rgba.resize(std::size_t{m_capture.extent.width} * m_capture.extent.height * 4);
    std::memcpy(image.rgba.data(), mapped, image.rgba.size());
    vkUnmapMemory(device, m_capture.memory);
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
        if (m_format == VK_FORMAT_B8G8R8A8_UNORM) std::swap(image.rgba[i], image.rgba[i + 2]);
        image.rgba[i + 3] = 255;
    }
    return std::optional<Image>(std::move(image));
}

}  // namespace karst::app
