#include "gpu_buffer.h"

#include "gpu_memory.h"

namespace karst::render {

Result<GpuBuffer> createBuffer(const DeviceFunctions& fn, const char* name, VkDeviceSize bytes,
                               VkBufferUsageFlags usage, MemoryKind kind) {
    GpuBuffer out;
    out.bytes = bytes;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage;
    VkResult code = fn.CreateBuffer(fn.device, &info, nullptr, &out.buffer);
    if (code != VK_SUCCESS) return vulkanError("vkCreateBuffer", name, code);
    fn.setName(VK_OBJECT_TYPE_BUFFER, out.buffer, name);

    VkMemoryRequirements needs{};
    fn.GetBufferMemoryRequirements(fn.device, out.buffer, &needs);
    const VkMemoryPropertyFlags wanted = kind == MemoryKind::Device
                                             ? VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT}
                                             : VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = findMemoryType(fn, needs.memoryTypeBits, wanted);
    if (allocate.memoryTypeIndex == kNoMemoryType) {
        destroyBuffer(fn, out);
        return makeError(ErrorCode::DeviceLost, "render: no memory type with flags 0x%x for %s",
                         static_cast<unsigned>(wanted), name);
    }
    code = fn.AllocateMemory(fn.device, &allocate, nullptr, &out.memory);
    if (code == VK_SUCCESS) {
        fn.setName(VK_OBJECT_TYPE_DEVICE_MEMORY, out.memory, name);
        code = fn.BindBufferMemory(fn.device, out.buffer, out.memory, 0);
    }
    if (code == VK_SUCCESS && kind == MemoryKind::HostVisible) {
        void* mapped = nullptr;
        code = fn.MapMemory(fn.device, out.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
        out.mapped = static_cast<std::byte*>(mapped);
    }
    if (code != VK_SUCCESS) {
        destroyBuffer(fn, out);
        return makeError(ErrorCode::DeviceLost, "render: %llu bytes of memory for %s: VkResult %d",
                         static_cast<unsigned long long>(bytes), name, static_cast<int>(code));
    }
    return out;
}

void destroyBuffer(const DeviceFunctions& fn, GpuBuffer& buffer) {
    if (buffer.buffer) fn.DestroyBuffer(fn.device, buffer.buffer, nullptr);
    if (buffer.memory) fn.FreeMemory(fn.device, buffer.memory, nullptr);
    buffer = {};
}

void recordBarrier(const DeviceFunctions& fn, VkCommandBuffer commands, VkPipelineStageFlags2 fromStage,
                   VkAccessFlags2 fromAccess, VkPipelineStageFlags2 toStage, VkAccessFlags2 toAccess) {
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = fromStage;
    memory.srcAccessMask = fromAccess;
    memory.dstStageMask = toStage;
    memory.dstAccessMask = toAccess;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    fn.CmdPipelineBarrier2(commands, &info);
}

}  // namespace karst::render
