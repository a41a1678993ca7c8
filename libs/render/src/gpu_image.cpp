#include "gpu_image.h"

#include "gpu_memory.h"

namespace karst::render {

Result<GpuImage> createImage(const DeviceFunctions& fn, const char* name, const GpuImageDesc& desc) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = desc.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
    info.format = desc.format;
    info.extent = {desc.width, desc.height, desc.depth};
    info.mipLevels = desc.levels;
    info.arrayLayers = desc.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = desc.usage;
    GpuImage out;
    VkResult code = fn.CreateImage(fn.device, &info, nullptr, &out.image);
    if (code != VK_SUCCESS) return vulkanError("vkCreateImage", name, code);
    fn.setName(VK_OBJECT_TYPE_IMAGE, out.image, name);

    VkMemoryRequirements needs{};
    fn.GetImageMemoryRequirements(fn.device, out.image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = findMemoryType(fn, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    code = allocate.memoryTypeIndex == kNoMemoryType
               ? VK_ERROR_OUT_OF_DEVICE_MEMORY
               : fn.AllocateMemory(fn.device, &allocate, nullptr, &out.memory);
    if (code == VK_SUCCESS) {
        fn.setName(VK_OBJECT_TYPE_DEVICE_MEMORY, out.memory, name);
        code = fn.BindImageMemory(fn.device, out.image, out.memory, 0);
    }
    if (code != VK_SUCCESS) {
        destroyImage(fn, out);
        return makeError(ErrorCode::DeviceLost, "render: %llu bytes of memory for %s: VkResult %d",
                         static_cast<unsigned long long>(needs.size), name, static_cast<int>(code));
    }
    return out;
}

void destroyImage(const DeviceFunctions& fn, GpuImage& image) {
    if (image.image) fn.DestroyImage(fn.device, image.image, nullptr);
    if (image.memory) fn.FreeMemory(fn.device, image.memory, nullptr);
    image = {};
}

Result<VkImageView> createImageView(const DeviceFunctions& fn, const char* name,
                                    const GpuImageViewDesc& desc) {
    VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = desc.image;
    info.viewType = desc.type;
    info.format = desc.format;
    info.subresourceRange = {desc.aspect, 0, desc.levels, desc.firstLayer, desc.layers};
    VkImageView view = VK_NULL_HANDLE;
    const VkResult code = fn.CreateImageView(fn.device, &info, nullptr, &view);
    if (code != VK_SUCCESS) return vulkanError("vkCreateImageView", name, code);
    fn.setName(VK_OBJECT_TYPE_IMAGE_VIEW, view, name);
    return view;
}

Result<VkSampler> createSampler(const DeviceFunctions& fn, const char* name, VkSamplerAddressMode address) {
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.magFilter = info.minFilter = VK_FILTER_LINEAR;
    info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    info.addressModeU = info.addressModeV = info.addressModeW = address;
    info.maxLod = VK_LOD_CLAMP_NONE;
    VkSampler sampler = VK_NULL_HANDLE;
    const VkResult code = fn.CreateSampler(fn.device, &info, nullptr, &sampler);
    if (code != VK_SUCCESS) return vulkanError("vkCreateSampler", name, code);
    fn.setName(VK_OBJECT_TYPE_SAMPLER, sampler, name);
    return sampler;
}

void recordBarrier(const DeviceFunctions& fn, VkCommandBuffer commands, const ImageBarrier& barrier) {
    VkImageMemoryBarrier2 memory{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    memory.srcStageMask = barrier.fromStage;
    memory.srcAccessMask = barrier.fromAccess;
    memory.dstStageMask = barrier.toStage;
    memory.dstAccessMask = barrier.toAccess;
    memory.oldLayout = barrier.from;
    memory.newLayout = barrier.to;
    memory.srcQueueFamilyIndex = memory.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    memory.image = barrier.image;
    memory.subresourceRange = {barrier.aspect, 0, barrier.levels, barrier.firstLayer, barrier.layers};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &memory;
    fn.CmdPipelineBarrier2(commands, &info);
}

}  // namespace karst::render
