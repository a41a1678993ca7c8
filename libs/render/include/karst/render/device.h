#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace karst::render {

/// The host's Vulkan 1.3 device. Every object of this part loads its own functions through the two
/// vkGet*ProcAddr; nothing here links against a Vulkan loader. The handles stay the host's: they must outlive
/// every object made with them. The host enables the core features dynamicRendering and synchronization2, and
/// the instance extension VK_EXT_debug_utils where it wants Karst's objects to carry names.
struct VulkanDevice {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::uint32_t queueFamily = 0;  ///< the family whose command buffers are recorded into
    PFN_vkGetInstanceProcAddr getInstanceProcAddr = nullptr;
    PFN_vkGetDeviceProcAddr getDeviceProcAddr = nullptr;
    bool fillModeNonSolid = false;   ///< whether the host enabled it; PassKind::Wireframe needs it
    bool multiDrawIndirect = false;  ///< whether the host enabled it; fewer calls are recorded then
};

/// What Lit passes draw into; the same values as in the host's VkRenderingInfo.
struct AttachmentFormats {
    /// An 8-bit RGBA or BGRA format. Into an _SRGB one linear colours are written, which the device encodes;
    /// into an _UNORM one the shader writes sRGB-encoded colours.
    VkFormat color = VK_FORMAT_R8G8B8A8_SRGB;
    VkFormat depth = VK_FORMAT_D32_SFLOAT;  ///< reverse-Z: cleared to 0, nearer is greater
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};

}  // namespace karst::render
