#include "common/vulkan_context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace karst::app {

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kNoDeviceAdvice =
    "install a Vulkan 1.3 driver (a GPU's own, or the software one: Debian and Ubuntu, mesa-vulkan-drivers; "
    "Fedora, mesa-vulkan-drivers)";

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    static_cast<ValidationMessages*>(user)->add(data->pMessage);
    return VK_FALSE;
}

bool hasLayer(const char* name) {
    std::uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    return std::any_of(layers.begin(), layers.end(),
                       [&](const auto& layer) { return std::strcmp(layer.layerName, name) == 0; });
}

int preference(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return 4;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return 3;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return 2;
        default:
            return 1;
    }
}

// A queue family that draws and that the host accepts, or ~0u.
std::uint32_t graphicsFamily(const VulkanContextDesc& desc, VkInstance instance, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    for (std::uint32_t i = 0; i < count; ++i) {
        if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0) continue;
        if (!desc.accepts || desc.accepts(instance, device, i)) return i;
    }
    return ~0u;
}

bool hasFeatures(VkPhysicalDevice device) {
    VkPhysicalDeviceVulkan13Features vulkan13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    features.pNext = &vulkan13;
    vkGetPhysicalDeviceFeatures2(device, &features);
    return vulkan13.dynamicRendering == VK_TRUE && vulkan13.synchronization2 == VK_TRUE;
}

}  // namespace

void ValidationMessages::add(std::string message) {
    const std::lock_guard lock(m_mutex);
    m_messages.push_back(std::move(message));
}

std::size_t ValidationMessages::count() const {
    const std::lock_guard lock(m_mutex);
    return m_messages.size();
}

std::vector<std::string> ValidationMessages::all() const {
    const std::lock_guard lock(m_mutex);
    return m_messages;
}

Error vulkanError(const char* call, VkResult code) {
    const char* name = "";
    switch (code) {
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            name = " (out of host memory; ask for a smaller picture)";
            break;
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            name = " (out of device memory; ask for a smaller picture)";
            break;
        case VK_ERROR_DEVICE_LOST:
            name = " (device lost)";
            break;
        case VK_ERROR_EXTENSION_NOT_PRESENT:
            name = " (extension not present)";
            break;
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            name = " (no driver)";
            break;
        default:
            break;
    }
    return makeError(ErrorCode::DeviceLost, "%s: VkResult %d%s", call, static_cast<int>(code), name);
}

VulkanContext::VulkanContext(VulkanContext&& other) noexcept
    : m_instance(std::exchange(other.m_instance, VK_NULL_HANDLE)),
      m_messenger(std::exchange(other.m_messenger, VK_NULL_HANDLE)),
      m_physicalDevice(other.m_physicalDevice),
      m_device(std::exchange(other.m_device, VK_NULL_HANDLE)),
      m_queue(other.m_queue),
      m_queueFamily(other.m_queueFamily),
      m_fillModeNonSolid(other.m_fillModeNonSolid),
      m_multiDrawIndirect(other.m_multiDrawIndirect),
      m_deviceName(std::move(other.m_deviceName)),
      m_messages(std::move(other.m_messages)) {}

VulkanContext::~VulkanContext() {
    if (m_device) {
        vkDeviceWaitIdle(m_device);
        vkDestroyDevice(m_device, nullptr);
    }
    if (m_messenger) {
        const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(m_instance, "vkDestroyDebugUtilsMessengerEXT"));
        if (destroy) destroy(m_instance, m_messenger, nullptr);
    }
    if (m_instance) vkDestroyInstance(m_instance, nullptr);
}

Result<VulkanContext> VulkanContext::create(const VulkanContextDesc& desc) {
    VulkanContext context;
    context.m_messages = std::make_shared<ValidationMessages>();
    if (auto made = context.createInstance(desc); !made) return made.error();
    if (auto picked = context.pickDevice(desc); !picked) return picked.error();
    if (auto made = context.createDevice(desc); !made) return made.error();
    return context;
}

Result<void> VulkanContext::createInstance(const VulkanContextDesc& desc) {
    std::uint32_t version = VK_API_VERSION_1_0;
    vkEnumerateInstanceVersion(&version);
    if (version < VK_API_VERSION_1_3) {
        return makeError(ErrorCode::DeviceLost, "vulkan: the loader offers %u.%u; 1.3 is needed: %s",
                         VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), kNoDeviceAdvice);
    }
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = desc.name;
    application.pEngineName = "karst";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;

    std::vector<const char*> extensions = desc.instanceExtensions;
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = onMessage;
    messenger.pUserData = m_messages.get();
    const VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &enable;
    if (desc.validation != Validation::Off) {
        if (!hasLayer(kValidationLayer)) {
            return makeError(ErrorCode::NotFound,
                             "vulkan: no layer %s: install it (Debian and Ubuntu: vulkan-validationlayers; "
                             "Fedora: vulkan-validation-layers) or run without validation",
                             kValidationLayer);
        }
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &kValidationLayer;
        info.pNext = &messenger;
        if (desc.validation == Validation::Synchronization) messenger.pNext = &features;
    }
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkResult code = vkCreateInstance(&info, nullptr, &m_instance);
    if (code == VK_ERROR_INCOMPATIBLE_DRIVER) {
        return makeError(ErrorCode::DeviceLost, "vulkan: no driver found: %s", kNoDeviceAdvice);
    }
    if (code != VK_SUCCESS) return vulkanError("vkCreateInstance", code);
    if (desc.validation == Validation::Off) return {};

    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(m_instance, "vkCreateDebugUtilsMessengerEXT"));
    messenger.pNext = nullptr;
    code = create ? create(m_instance, &messenger, nullptr, &m_messenger) : VK_ERROR_EXTENSION_NOT_PRESENT;
    if (code != VK_SUCCESS) return vulkanError("vkCreateDebugUtilsMessengerEXT", code);
    return {};
}

Result<void> VulkanContext::pickDevice(const VulkanContextDesc& desc) {
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(m_instance, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    vkEnumeratePhysicalDevices(m_instance, &count, devices.data());
    devices.resize(count);
    const char* wanted = std::getenv("KARST_DEVICE");
    std::string seen;
    int best = 0;
    for (VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties{};
        vkGetPhysicalDeviceProperties(device, &properties);
        seen += (seen.empty() ? "" : ", ") + std::string(properties.deviceName);
        if (wanted && !std::strstr(properties.deviceName, wanted)) continue;
        if (properties.apiVersion < VK_API_VERSION_1_3 || !hasFeatures(device)) continue;
        const std::uint32_t family = graphicsFamily(desc, m_instance, device);
        if (family == ~0u || preference(properties.deviceType) <= best) continue;
        best = preference(properties.deviceType);
        m_physicalDevice = device;
        m_queueFamily = family;
        m_deviceName = properties.deviceName;
    }
    if (best > 0) return {};
    if (devices.empty()) {
        return makeError(ErrorCode::DeviceLost, "vulkan: no device: %s", kNoDeviceAdvice);
    }
    if (wanted) {
        return makeError(ErrorCode::NotFound,
                         "vulkan: no Vulkan 1.3 device has KARST_DEVICE=%s in its name; there are: %s",
                         wanted, seen.c_str());
    }
    return makeError(ErrorCode::DeviceLost, "vulkan: none of %s draws%s with Vulkan 1.3: %s", seen.c_str(),
                     desc.accepts ? " into this window" : "", kNoDeviceAdvice);
}

Result<void> VulkanContext::createDevice(const VulkanContextDesc& desc) {
    VkPhysicalDeviceVulkan13Features vulkan13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    vulkan13.dynamicRendering = VK_TRUE;
    vulkan13.synchronization2 = VK_TRUE;
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = m_queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pNext = &vulkan13;
    // What the part render can use where it is there.
    VkPhysicalDeviceFeatures offered{}, enabled{};
    vkGetPhysicalDeviceFeatures(m_physicalDevice, &offered);
    m_fillModeNonSolid = (enabled.fillModeNonSolid = offered.fillModeNonSolid) == VK_TRUE;
    m_multiDrawIndirect = (enabled.multiDrawIndirect = offered.multiDrawIndirect) == VK_TRUE;
    info.pEnabledFeatures = &enabled;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(desc.deviceExtensions.size());
    info.ppEnabledExtensionNames = desc.deviceExtensions.data();
    const VkResult code = vkCreateDevice(m_physicalDevice, &info, nullptr, &m_device);
    if (code != VK_SUCCESS) return vulkanError("vkCreateDevice", code);
    vkGetDeviceQueue(m_device, m_queueFamily, 0, &m_queue);
    return {};
}

render::VulkanDevice VulkanContext::description() const {
    return {m_instance,          m_physicalDevice,   m_device,           m_queueFamily, vkGetInstanceProcAddr,
            vkGetDeviceProcAddr, m_fillModeNonSolid, m_multiDrawIndirect};
}

Result<std::uint32_t> VulkanContext::memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted) const {
    VkPhysicalDeviceMemoryProperties memory{};
    vkGetPhysicalDeviceMemoryProperties(m_physicalDevice, &memory);
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        if ((allowed >> i & 1u) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    }
    return makeError(ErrorCode::DeviceLost, "vulkan: no memory type of 0x%x with flags 0x%x", allowed,
                     static_cast<unsigned>(wanted));
}

}  // namespace karst::app
