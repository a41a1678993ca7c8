#include "device_functions.h"

namespace karst::render {

Error vulkanError(const char* call, const char* what, VkResult code) {
    return makeError(ErrorCode::DeviceLost, "render: %s for %s failed with VkResult %d", call, what,
                     static_cast<int>(code));
}

Result<DeviceFunctions> DeviceFunctions::load(const VulkanDevice& host) {
    if (!host.instance || !host.physicalDevice || !host.device || !host.getInstanceProcAddr ||
        !host.getDeviceProcAddr) {
        return makeError(ErrorCode::InvalidArgument, "render: VulkanDevice has a null %s",
                         !host.instance              ? "instance"
                         : !host.physicalDevice      ? "physicalDevice"
                         : !host.device              ? "device"
                         : !host.getInstanceProcAddr ? "getInstanceProcAddr"
                                                     : "getDeviceProcAddr");
    }
    DeviceFunctions fn;
    fn.physicalDevice = host.physicalDevice;
    fn.device = host.device;
    const char* missing = nullptr;
#define KARST_RENDER_LOAD_INSTANCE(name)                                                           \
    fn.name = reinterpret_cast<PFN_vk##name>(host.getInstanceProcAddr(host.instance, "vk" #name)); \
    if (!fn.name) missing = "vk" #name;
#define KARST_RENDER_LOAD_DEVICE(name)                                                         \
    fn.name = reinterpret_cast<PFN_vk##name>(host.getDeviceProcAddr(host.device, "vk" #name)); \
    if (!fn.name) missing = "vk" #name;
    KARST_RENDER_INSTANCE_FUNCTIONS(KARST_RENDER_LOAD_INSTANCE)
    KARST_RENDER_DEVICE_FUNCTIONS(KARST_RENDER_LOAD_DEVICE)
#undef KARST_RENDER_LOAD_INSTANCE
#undef KARST_RENDER_LOAD_DEVICE
    if (missing) {
        return makeError(ErrorCode::DeviceLost, "render: the device has no %s; Vulkan 1.3 is needed",
                         missing);
    }
    fn.SetDebugUtilsObjectNameEXT = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        host.getInstanceProcAddr(host.instance, "vkSetDebugUtilsObjectNameEXT"));
    fn.CmdBeginDebugUtilsLabelEXT = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(
        host.getInstanceProcAddr(host.instance, "vkCmdBeginDebugUtilsLabelEXT"));
    fn.CmdEndDebugUtilsLabelEXT = reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(
        host.getInstanceProcAddr(host.instance, "vkCmdEndDebugUtilsLabelEXT"));
    fn.fillModeNonSolid = host.fillModeNonSolid;
    fn.multiDrawIndirect = host.multiDrawIndirect;

    VkPhysicalDeviceProperties properties{};
    fn.GetPhysicalDeviceProperties(host.physicalDevice, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3) {
        return makeError(ErrorCode::DeviceLost, "render: %s offers Vulkan %u.%u; 1.3 is needed",
                         properties.deviceName, VK_API_VERSION_MAJOR(properties.apiVersion),
                         VK_API_VERSION_MINOR(properties.apiVersion));
    }
    return fn;
}

void DeviceFunctions::setNameOf(VkObjectType type, std::uint64_t handle, const char* name) const {
    if (!SetDebugUtilsObjectNameEXT) return;
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = type;
    info.objectHandle = handle;
    info.pObjectName = name;
    SetDebugUtilsObjectNameEXT(device, &info);
}

}  // namespace karst::render
