#include "common/one_shot.h"

namespace karst::app {

namespace {

struct OneShot {
    VkDevice device;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;

    explicit OneShot(VkDevice d) : device(d) {}
    OneShot(const OneShot&) = delete;
    OneShot& operator=(const OneShot&) = delete;
    ~OneShot() {
        if (fence) vkDestroyFence(device, fence, nullptr);
        if (pool) vkDestroyCommandPool(device, pool, nullptr);
    }
};

}  // namespace

Result<void> submitAndWait(VulkanContext& context, FunctionRef<Result<void>(VkCommandBuffer)> record) {
    const VkDevice device = context.device();
    OneShot shot(device);
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    poolInfo.queueFamilyIndex = context.queueFamily();
    VkResult code = vkCreateCommandPool(device, &poolInfo, nullptr, &shot.pool);
    if (code != VK_SUCCESS) return vulkanError("vkCreateCommandPool", code);
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = shot.pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    code = vkAllocateCommandBuffers(device, &allocate, &commands);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateCommandBuffers", code);
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    code = vkCreateFence(device, &fenceInfo, nullptr, &shot.fence);
    if (code != VK_SUCCESS) return vulkanError("vkCreateFence", code);

    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    code = vkBeginCommandBuffer(commands, &begin);
    if (code != VK_SUCCESS) return vulkanError("vkBeginCommandBuffer", code);
    if (auto recorded = record(commands); !recorded) return recorded;
    code = vkEndCommandBuffer(commands);
    if (code != VK_SUCCESS) return vulkanError("vkEndCommandBuffer", code);

    VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    buffer.commandBuffer = commands;
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &buffer;
    code = vkQueueSubmit2(context.queue(), 1, &submit, shot.fence);
    if (code != VK_SUCCESS) return vulkanError("vkQueueSubmit2", code);
    code = vkWaitForFences(device, 1, &shot.fence, VK_TRUE, ~std::uint64_t{0});
    if (code != VK_SUCCESS) return vulkanError("vkWaitForFences", code);
    return {};
}

}  // namespace karst::app
