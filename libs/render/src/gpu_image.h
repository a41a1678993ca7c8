#pragma once

#include <karst/base/result.h>

#include "device_functions.h"

namespace karst::render {

/// A device-local image with memory of its own.
struct GpuImage {
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
};

/// A two-dimensional array image, or a volume (where depth is above 1: one layer); one sample, optimal
/// tiling, layout undefined.
struct GpuImageDesc {
    VkFormat format = VK_FORMAT_UNDEFINED;
    std::uint32_t width = 1, height = 1, layers = 1;
    std::uint32_t depth = 1, levels = 1;
    VkImageUsageFlags usage = 0;
};

Result<GpuImage> createImage(const DeviceFunctions& fn, const char* name, const GpuImageDesc& desc);
void destroyImage(const DeviceFunctions& fn, GpuImage& image);

struct GpuImageViewDesc {
    VkImage image = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    std::uint32_t firstLayer = 0, layers = 1;
    std::uint32_t levels = 1;
};

Result<VkImageView> createImageView(const DeviceFunctions& fn, const char* name,
                                    const GpuImageViewDesc& desc);

/// Linear within and between levels, without anisotropy.
Result<VkSampler> createSampler(const DeviceFunctions& fn, const char* name, VkSamplerAddressMode address);

/// One layout change with its memory dependency.
struct ImageBarrier {
    VkImage image = VK_NULL_HANDLE;
    VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    std::uint32_t firstLayer = 0, layers = 1;
    VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED, to = VK_IMAGE_LAYOUT_UNDEFINED;
    VkPipelineStageFlags2 fromStage = 0, toStage = 0;
    VkAccessFlags2 fromAccess = 0, toAccess = 0;
    std::uint32_t levels = 1;
};

void recordBarrier(const DeviceFunctions& fn, VkCommandBuffer commands, const ImageBarrier& barrier);

}  // namespace karst::render
