#include "gpu_memory.h"

namespace karst::render {

std::uint32_t findMemoryType(const DeviceFunctions& fn, std::uint32_t allowed, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties memory{};
    fn.GetPhysicalDeviceMemoryProperties(fn.physicalDevice, &memory);
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((allowed >> i & 1u) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    }
    return kNoMemoryType;
}

}  // namespace karst::render
