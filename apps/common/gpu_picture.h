#pragma once

#include <karst/base/result.h>

#include <utility>

#include "common/vulkan_context.h"

namespace karst::app {

struct GpuPictureDesc {
    VkExtent2D extent{};
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageUsageFlags usage = 0;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};

/// An image on the device with its memory and its view.
class GpuPicture {
  public:
    GpuPicture() = default;
    GpuPicture(GpuPicture&& other) noexcept { swap(other); }
    GpuPicture& operator=(GpuPicture&& other) noexcept {
        swap(other);
        return *this;
    }
    ~GpuPicture();

    static Result<GpuPicture> create(VulkanContext& context, const GpuPictureDesc& desc);

    VkImage image() const { return m_image; }
    VkImageView view() const { return m_view; }

  private:
    void swap(GpuPicture& other) noexcept {
        std::swap(m_device, other.m_device);
        std::swap(m_image, other.m_image);
        std::swap(m_memory, other.m_memory);
        std::swap(m_view, other.m_view);
    }

    VkDevice m_device = VK_NULL_HANDLE;
    VkImage m_image = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    VkImageView m_view = VK_NULL_HANDLE;
};

}  // namespace karst::app
