#include "common/gpu_picture.h"

namespace karst::app {

GpuPicture::~GpuPicture() {
    if (m_view) vkDestroyImageView(m_device, m_view, nullptr);
    if (m_image) vkDestroyImage(m_device, m_image, nullptr);
    if (m_memory) vkFreeMemory(m_device, m_memory, nullptr);
}

Result<GpuPicture> GpuPicture::create(VulkanContext& context, const GpuPictureDesc& desc) {
    GpuPicture out;
    out.m_device = context.device();
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = desc.format;
    info.extent = {desc.extent.width, desc.extent.height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = desc.samples;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = desc.usage;
    VkResult code = vkCreateImage(out.m_device, &info, nullptr, &out.m_image);
    if (code != VK_SUCCESS) return vulkanError("vkCreateImage", code);
    VkMemoryRequirements needs{};
    vkGetImageMemoryRequirements(out.m_device, out.m_image, &needs);
    const auto type = context.memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!type) return type.error();
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = *type;
    code = vkAllocateMemory(out.m_device, &allocate, nullptr, &out.m_memory);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateMemory", code);
    code = vkBindImageMemory(out.m_device, out.m_image, out.m_memory, 0);
    if (code != VK_SUCCESS) return vulkanError("vkBindImageMemory", code);
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = out.m_image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = desc.format;
    view.subresourceRange = {desc.aspect, 0, 1, 0, 1};
    code = vkCreateImageView(out.m_device, &view, nullptr, &out.m_view);
    if (code != VK_SUCCESS) return vulkanError("vkCreateImageView", code);
    return out;
}

}  // namespace karst::app
