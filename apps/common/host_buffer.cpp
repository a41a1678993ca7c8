#include "common/host_buffer.h"

#include <algorithm>

namespace karst::app {

HostBuffer::~HostBuffer() {
    destroy();
}

void HostBuffer::destroy() {
    if (m_buffer) vkDestroyBuffer(m_device, m_buffer, nullptr);
    if (m_memory) vkFreeMemory(m_device, m_memory, nullptr);
    m_buffer = VK_NULL_HANDLE;
    m_memory = VK_NULL_HANDLE;
    m_mapped = nullptr;
    m_bytes = 0;
}

Result<void> HostBuffer::reserve(VulkanContext& context, VkDeviceSize bytes, VkBufferUsageFlags usage,
                                 Access access) {
    if (bytes <= m_bytes) return {};
    destroy();
    m_device = context.device();
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = access == Access::Read ? bytes : std::max<VkDeviceSize>(bytes + bytes / 2, 65536);
    info.usage = usage;
    VkResult code = vkCreateBuffer(m_device, &info, nullptr, &m_buffer);
    if (code != VK_SUCCESS) return vulkanError("vkCreateBuffer", code);
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(m_device, m_buffer, &needs);
    constexpr VkMemoryPropertyFlags kCoherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    auto type = context.memoryType(needs.memoryTypeBits, access == Access::Read
                                                             ? kCoherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                                             : kCoherent);
    if (!type) type = context.memoryType(needs.memoryTypeBits, kCoherent);
    if (!type) return type.error();
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = *type;
    code = vkAllocateMemory(m_device, &allocate, nullptr, &m_memory);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateMemory", code);
    code = vkBindBufferMemory(m_device, m_buffer, m_memory, 0);
    if (code != VK_SUCCESS) return vulkanError("vkBindBufferMemory", code);
    void* mapped = nullptr;
    code = vkMapMemory(m_device, m_memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (code != VK_SUCCESS) return vulkanError("vkMapMemory", code);
    m_mapped = static_cast<std::byte*>(mapped);
    m_bytes = info.size;
    return {};
}

}  // namespace karst::app
