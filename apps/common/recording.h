#pragma once

#include <vulkan/vulkan.h>

#include <span>

// What is recorded in more than one place.
namespace karst::app {

/// A barrier for each of these images.
void recordBarriers(VkCommandBuffer commands, std::span<const VkImageMemoryBarrier2> barriers);

/// Records a copy of an image, in TRANSFER_SRC_OPTIMAL, into a buffer: rows from the top, without gaps.
void recordCopy(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkExtent2D extent,
                VkBuffer buffer);

/// After the copies: once the GPU is done the CPU sees them.
void recordForHost(VkCommandBuffer commands);

}  // namespace karst::app
