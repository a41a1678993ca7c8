#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <utility>

#include "common/vulkan_context.h"

namespace karst::app {

/// A buffer that both the CPU and the GPU reach, mapped for as long as it lives. Empty until reserved.
///
/// Threads: one at a time. The context must outlive it.
class HostBuffer {
  public:
    HostBuffer() = default;
    HostBuffer(HostBuffer&& other) noexcept { swap(other); }
    HostBuffer& operator=(HostBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~HostBuffer();

    /// What the CPU does with it: write in order, or read, which is slow where memory is not cached.
    enum class Access : bool { Write, Read };

    /// At least so many bytes, for these uses; what it held before is lost where it grows. The GPU must be
    /// done with it.
    Result<void> reserve(VulkanContext& context, VkDeviceSize bytes, VkBufferUsageFlags usage,
                         Access access = Access::Write);
    /// Gives the memory back.
    void clear() { destroy(); }

    VkBuffer buffer() const { return m_buffer; }
    std::byte* data() const { return m_mapped; }

  private:
    void swap(HostBuffer& other) noexcept {
        std::swap(m_device, other.m_device);
        std::swap(m_buffer, other.m_buffer);
        std::swap(m_memory, other.m_memory);
        std::swap(m_mapped, other.m_mapped);
        std::swap(m_bytes, other.m_bytes);
    }
    void destroy();

    VkDevice m_device = VK_NULL_HANDLE;
    VkBuffer m_buffer = VK_NULL_HANDLE;
    VkDeviceMemory m_memory = VK_NULL_HANDLE;
    std::byte* m_mapped = nullptr;
    VkDeviceSize m_bytes = 0;
};

}  // namespace karst::app
