#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>
#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace karst::app {

enum class Validation {
    Off,
    On,               ///< the Khronos validation layer
    Synchronization,  ///< and its checks for missing barriers
};

struct VulkanContextDesc {
    const char* name = "karst";
    Validation validation = Validation::Off;
    std::vector<const char*> instanceExtensions = {};
    std::vector<const char*> deviceExtensions = {};
    /// Only devices and queue families that it accepts are taken; null: all. Window::canPresent, say.
    bool (*accepts)(VkInstance instance, VkPhysicalDevice device, std::uint32_t queueFamily) = nullptr;
};

/// What the validation layer said (warnings and errors). Safe to read from any thread.
class ValidationMessages {
  public:
    void add(std::string message);
    std::size_t count() const;
    std::vector<std::string> all() const;

  private:
    mutable std::mutex m_mutex;
    std::vector<std::string> m_messages;
};

/// A Vulkan 1.3 instance and device with one graphics queue, without a window. Takes a discrete GPU first,
/// else any device, a software one last; $KARST_DEVICE, a part of a device's name, chooses.
///
/// Threads: one at a time.
class VulkanContext {
  public:
    /// Fails with DeviceLost where there is no driver or no Vulkan 1.3 device, with NotFound where
    /// $KARST_DEVICE names none or the validation layer is asked for and absent; the message says what to
    /// install.
    static Result<VulkanContext> create(const VulkanContextDesc& desc = {});
    VulkanContext(VulkanContext&& other) noexcept;
    VulkanContext& operator=(VulkanContext&&) = delete;
    ~VulkanContext();

    VkInstance instance() const { return m_instance; }
    VkPhysicalDevice physicalDevice() const { return m_physicalDevice; }
    VkDevice device() const { return m_device; }
    VkQueue queue() const { return m_queue; }
    std::uint32_t queueFamily() const { return m_queueFamily; }
    const std::string& deviceName() const { return m_deviceName; }
    /// May be kept to see what the layer says of the device's end, such as objects that were not destroyed.
    std::shared_ptr<const ValidationMessages> messages() const { return m_messages; }
    /// What the part render takes.
    render::VulkanDevice description() const;

    /// The first memory type of `allowed` with all of `wanted`; an error where there is none.
    Result<std::uint32_t> memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted) const;

  private:
    VulkanContext() = default;
    Result<void> createInstance(const VulkanContextDesc& desc);
    Result<void> pickDevice(const VulkanContextDesc& desc);
    Result<void> createDevice(const VulkanContextDesc& desc);

    VkInstance m_instance = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    VkPhysicalDevice m_physicalDevice = VK_NULL_HANDLE;
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueue m_queue = VK_NULL_HANDLE;
    std::uint32_t m_queueFamily = 0;
    bool m_fillModeNonSolid = false, m_multiDrawIndirect = false;
    std::string m_deviceName;
    std::shared_ptr<ValidationMessages> m_messages;  // its address is the callback's
};

/// "<call>: VK_ERROR_..."
Error vulkanError(const char* call, VkResult code);

}  // namespace karst::app
