#pragma once

#include <karst/base/result.h>

#include <cstddef>

#include "device_functions.h"

namespace karst::render {

/// A buffer with memory of its own: this part makes few of them.
struct GpuBuffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::byte* mapped = nullptr;  ///< for HostVisible, as long as it lives; coherent
    VkDeviceSize bytes = 0;
};

enum class MemoryKind { Device, HostVisible };

Result<GpuBuffer> createBuffer(const DeviceFunctions& fn, const char* name, VkDeviceSize bytes,
                               VkBufferUsageFlags usage, MemoryKind kind);
void destroyBuffer(const DeviceFunctions& fn, GpuBuffer& buffer);

/// What the `from` stages wrote is there for the `to` stages, in any buffer.
void recordBarrier(const DeviceFunctions& fn, VkCommandBuffer commands, VkPipelineStageFlags2 fromStage,
                   VkAccessFlags2 fromAccess, VkPipelineStageFlags2 toStage, VkAccessFlags2 toAccess);

}  // namespace karst::render
