#include "common/recording.h"

#include <cstdint>

namespace karst::app {

void recordBarriers(VkCommandBuffer commands, std::span<const VkImageMemoryBarrier2> barriers) {
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = static_cast<std::uint32_t>(barriers.size());
    info.pImageMemoryBarriers = barriers.data();
    vkCmdPipelineBarrier2(commands, &info);
}

void recordCopy(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkExtent2D extent,
                VkBuffer buffer) {
    VkBufferImageCopy copy{};
    copy.imageSubresource = {aspect, 0, 0, 1};
    copy.imageExtent = {extent.width, extent.height, 1};
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &copy);
}

void recordForHost(VkCommandBuffer commands) {
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

}  // namespace karst::app
