// What of the swapchain copies a shown picture back.
#include <cstring>
#include <utility>

#include "common/swapchain.h"

namespace karst::app {

Result<void> Swapchain::reserveCapture(VkExtent2D extent) {
    m_captureExtent = extent;
    // No copy is under way: takeCapture() waited for the last one.
    return m_capture.reserve(*m_context, VkDeviceSize{extent.width} * extent.height * 4,
                             VK_BUFFER_USAGE_TRANSFER_DST_BIT, HostBuffer::Access::Read);
}

Result<std::optional<Image>> Swapchain::takeCapture() {
    if (!m_captureWanted) return std::optional<Image>();
    m_captureWanted = false;
    if (!std::exchange(m_captured, false)) {
        return makeError(ErrorCode::Unsupported, "vulkan: %s does not let a window's picture be copied",
                         m_context->deviceName().c_str());
    }
    vkDeviceWaitIdle(m_context->device());
    Image image;
    image.width = static_cast<int>(m_captureExtent.width);
    image.height = static_cast<int>(m_captureExtent.height);
    image.rgba.resize(std::size_t{m_captureExtent.width} * m_captureExtent.height * 4);
    std::memcpy(image.rgba.data(), m_capture.data(), image.rgba.size());
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
        if (m_format == VK_FORMAT_B8G8R8A8_UNORM) std::swap(image.rgba[i], image.rgba[i + 2]);
        image.rgba[i + 3] = 255;
    }
    return std::optional<Image>(std::move(image));
}

}  // namespace karst::app
