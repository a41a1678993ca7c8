#include "common/swapchain.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/recording.h"

namespace karst::app {

namespace {

VkImageMemoryBarrier2 colorBarrier(VkImage image) {
    VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.image = image;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    return barrier;
}

}  // namespace

Swapchain::Swapchain(Swapchain&& other) noexcept
    : m_context(other.m_context),
      m_surface(std::exchange(other.m_surface, VK_NULL_HANDLE)),
      m_chain(std::exchange(other.m_chain, VK_NULL_HANDLE)),
      m_format(other.m_format),
      m_colorSpace(other.m_colorSpace),
      m_extent(other.m_extent),
      m_slots(std::exchange(other.m_slots, {})),
      m_pictures(std::exchange(other.m_pictures, {})),
      m_next(other.m_next),
      m_stale(other.m_stale),
      m_canCopy(other.m_canCopy),
      m_captureWanted(other.m_captureWanted),
      m_captured(other.m_captured),
      m_capture(std::move(other.m_capture)),
      m_captureExtent(other.m_captureExtent) {}

Swapchain::~Swapchain() {
    const VkDevice device = m_context->device();
    vkDeviceWaitIdle(device);
    m_capture.clear();
    destroyPictures();
    for (const Slot& slot : m_slots) {
        if (slot.acquired) vkDestroySemaphore(device, slot.acquired, nullptr);
        if (slot.done) vkDestroyFence(device, slot.done, nullptr);
        if (slot.pool) vkDestroyCommandPool(device, slot.pool, nullptr);
    }
    if (m_chain) vkDestroySwapchainKHR(device, m_chain, nullptr);
    if (m_surface) vkDestroySurfaceKHR(m_context->instance(), m_surface, nullptr);
}

Result<Swapchain> Swapchain::create(VulkanContext& context, VkSurfaceKHR surface, VkExtent2D size) {
    Swapchain chain(context, surface);
    if (auto chosen = chain.chooseFormat(); !chosen) return chosen.error();
    if (auto made = chain.createSlots(); !made) return made.error();
    if (auto made = chain.createChain(size); !made) return made.error();
    return chain;
}

Result<void> Swapchain::chooseFormat() {
    const VkPhysicalDevice device = m_context->physicalDevice();
    VkBool32 supported = VK_FALSE;
    VkResult code =
        vkGetPhysicalDeviceSurfaceSupportKHR(device, m_context->queueFamily(), m_surface, &supported);
    if (code != VK_SUCCESS) return vulkanError("vkGetPhysicalDeviceSurfaceSupportKHR", code);
    if (supported != VK_TRUE) {
        return makeError(ErrorCode::DeviceLost, "vulkan: %s cannot draw into this window",
                         m_context->deviceName().c_str());
    }
    std::uint32_t count = 0;
    code = vkGetPhysicalDeviceSurfaceFormatsKHR(device, m_surface, &count, nullptr);
    std::vector<VkSurfaceFormatKHR> formats(count);
    if (code == VK_SUCCESS)
        code = vkGetPhysicalDeviceSurfaceFormatsKHR(device, m_surface, &count, formats.data());
    if (code != VK_SUCCESS) return vulkanError("vkGetPhysicalDeviceSurfaceFormatsKHR", code);
    for (const VkFormat wanted : {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}) {
        for (const VkSurfaceFormatKHR& format : formats) {
            if (format.format != wanted || format.colorSpace != VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) continue;
            m_format = format.format;
            m_colorSpace = format.colorSpace;
            return {};
        }
    }
    return makeError(ErrorCode::DeviceLost, "vulkan: %s offers no 8-bit RGBA format for windows",
                     m_context->deviceName().c_str());
}

Result<void> Swapchain::createSlots() {
    const VkDevice device = m_context->device();
    for (Slot& slot : m_slots) {
        VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
        pool.queueFamilyIndex = m_context->queueFamily();
        VkResult code = vkCreateCommandPool(device, &pool, nullptr, &slot.pool);
        if (code != VK_SUCCESS) return vulkanError("vkCreateCommandPool", code);
        VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocate.commandPool = slot.pool;
        allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        allocate.commandBufferCount = 1;
        code = vkAllocateCommandBuffers(device, &allocate, &slot.commands);
        if (code != VK_SUCCESS) return vulkanError("vkAllocateCommandBuffers", code);
        VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        fence.flags = VK_FENCE_CREATE_SIGNALED_BIT;
        code = vkCreateFence(device, &fence, nullptr, &slot.done);
        if (code != VK_SUCCESS) return vulkanError("vkCreateFence", code);
        const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        code = vkCreateSemaphore(device, &semaphore, nullptr, &slot.acquired);
        if (code != VK_SUCCESS) return vulkanError("vkCreateSemaphore", code);
    }
    return {};
}

Result<void> Swapchain::createChain(VkExtent2D size) {
    const VkDevice device = m_context->device();
    VkSurfaceCapabilitiesKHR can{};
    VkResult code = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(m_context->physicalDevice(), m_surface, &can);
    if (code != VK_SUCCESS) return vulkanError("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", code);
    VkExtent2D extent = can.currentExtent;
    if (extent.width == ~0u) extent = size;
    extent.width = std::clamp(extent.width, can.minImageExtent.width, can.maxImageExtent.width);
    extent.height = std::clamp(extent.height, can.minImageExtent.height, can.maxImageExtent.height);
    if (extent.width == 0 || extent.height == 0) {
        m_stale = true;
        return {};
    }
    m_canCopy = (can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) != 0;
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = m_surface;
    info.minImageCount = can.minImageCount + 1;
    if (can.maxImageCount > 0) info.minImageCount = std::min(info.minImageCount, can.maxImageCount);
    info.imageFormat = m_format;
    info.imageColorSpace = m_colorSpace;
    info.imageExtent = extent;
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (m_canCopy) info.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.preTransform = can.currentTransform;
    info.compositeAlpha = (can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0
                              ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
    info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
    info.clipped = VK_TRUE;
    info.oldSwapchain = m_chain;
    VkSwapchainKHR chain = VK_NULL_HANDLE;
    code = vkCreateSwapchainKHR(device, &info, nullptr, &chain);
    if (code != VK_SUCCESS) return vulkanError("vkCreateSwapchainKHR", code);
    destroyPictures();
    if (m_chain) vkDestroySwapchainKHR(device, m_chain, nullptr);
    m_chain = chain;
    m_extent = extent;
    m_stale = false;

    std::uint32_t count = 0;
    code = vkGetSwapchainImagesKHR(device, m_chain, &count, nullptr);
    std::vector<VkImage> images(count);
    if (code == VK_SUCCESS) code = vkGetSwapchainImagesKHR(device, m_chain, &count, images.data());
    if (code != VK_SUCCESS) return vulkanError("vkGetSwapchainImagesKHR", code);
    for (const VkImage image : images) {
        Picture& picture = m_pictures.emplace_back();
        picture.image = image;
        VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
        view.image = image;
        view.viewType = VK_IMAGE_VIEW_TYPE_2D;
        view.format = m_format;
        view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        code = vkCreateImageView(device, &view, nullptr, &picture.view);
        if (code != VK_SUCCESS) return vulkanError("vkCreateImageView", code);
        const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        code = vkCreateSemaphore(device, &semaphore, nullptr, &picture.drawn);
        if (code != VK_SUCCESS) return vulkanError("vkCreateSemaphore", code);
    }
    return {};
}

void Swapchain::destroyPictures() {
    const VkDevice device = m_context->device();
    for (const Picture& picture : m_pictures) {
        if (picture.view) vkDestroyImageView(device, picture.view, nullptr);
        if (picture.drawn) vkDestroySemaphore(device, picture.drawn, nullptr);
    }
    m_pictures.clear();
}

Result<std::optional<Swapchain::Frame>> Swapchain::begin(VkExtent2D size) {
    const VkDevice device = m_context->device();
    if (size.width == 0 || size.height == 0) return std::optional<Frame>();
    if (m_stale || size.width != m_extent.width || size.height != m_extent.height) {
        vkDeviceWaitIdle(device);
        if (auto made = createChain(size); !made) return made.error();
        if (m_stale) return std::optional<Frame>();
    }
    Slot& slot = m_slots[m_next];
    VkResult code = vkWaitForFences(device, 1, &slot.done, VK_TRUE, ~std::uint64_t{0});
    if (code != VK_SUCCESS) return vulkanError("vkWaitForFences", code);
    Frame frame;
    code = vkAcquireNextImageKHR(device, m_chain, ~std::uint64_t{0}, slot.acquired, VK_NULL_HANDLE,
                                 &frame.index);
    if (code == VK_ERROR_OUT_OF_DATE_KHR) {
        m_stale = true;
        return std::optional<Frame>();
    }
    if (code == VK_SUBOPTIMAL_KHR) {
        m_stale = true;  // this one is still drawn
    } else if (code != VK_SUCCESS) {
        return vulkanError("vkAcquireNextImageKHR", code);
    }
    vkResetFences(device, 1, &slot.done);
    vkResetCommandPool(device, slot.pool, 0);
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    code = vkBeginCommandBuffer(slot.commands, &begin);
    if (code != VK_SUCCESS) return vulkanError("vkBeginCommandBuffer", code);
    frame.commands = slot.commands;
    frame.image = m_pictures[frame.index].image;
    frame.view = m_pictures[frame.index].view;
    frame.extent = m_extent;
    frame.slot = m_next;
    return std::optional<Frame>(frame);
}

void Swapchain::recordToAttachment(const Frame& frame) const {
    VkImageMemoryBarrier2 barrier = colorBarrier(frame.image);
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    recordBarriers(frame.commands, {&barrier, 1});
}

void Swapchain::recordToPresent(const Frame& frame) {
    VkImageMemoryBarrier2 barrier = colorBarrier(frame.image);
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    if (m_captureWanted && m_canCopy && reserveCapture(frame.extent)) {
        barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
        barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
        barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        recordBarriers(frame.commands, {&barrier, 1});
        recordCopy(frame.commands, frame.image, VK_IMAGE_ASPECT_COLOR_BIT, frame.extent, m_capture.buffer());
        recordForHost(frame.commands);
        m_captured = true;
        barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
        barrier.srcAccessMask = 0;
        barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    }
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.dstAccessMask = 0;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    recordBarriers(frame.commands, {&barrier, 1});
}

Result<void> Swapchain::end(const Frame& frame) {
    const Slot& slot = m_slots[frame.slot];
    const Picture& picture = m_pictures[frame.index];
    VkResult code = vkEndCommandBuffer(frame.commands);
    if (code != VK_SUCCESS) return vulkanError("vkEndCommandBuffer", code);
    VkSemaphoreSubmitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    wait.semaphore = slot.acquired;
    wait.stageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    VkSemaphoreSubmitInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    signal.semaphore = picture.drawn;
    signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    buffer.commandBuffer = frame.commands;
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.waitSemaphoreInfoCount = submit.signalSemaphoreInfoCount = submit.commandBufferInfoCount = 1;
    submit.pWaitSemaphoreInfos = &wait;
    submit.pSignalSemaphoreInfos = &signal;
    submit.pCommandBufferInfos = &buffer;
    code = vkQueueSubmit2(m_context->queue(), 1, &submit, slot.done);
    if (code != VK_SUCCESS) return vulkanError("vkQueueSubmit2", code);
    VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    present.waitSemaphoreCount = present.swapchainCount = 1;
    present.pWaitSemaphores = &picture.drawn;
    present.pSwapchains = &m_chain;
    present.pImageIndices = &frame.index;
    code = vkQueuePresentKHR(m_context->queue(), &present);
    m_next = (m_next + 1) % kFramesInFlight;
    if (code == VK_ERROR_OUT_OF_DATE_KHR || code == VK_SUBOPTIMAL_KHR) {
        m_stale = true;
        return {};
    }
    if (code != VK_SUCCESS) return vulkanError("vkQueuePresentKHR", code);
    return {};
}

}  // namespace karst::app
