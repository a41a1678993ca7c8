#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>

namespace karst::render {

#define KARST_RENDER_INSTANCE_FUNCTIONS(X) \
    X(GetPhysicalDeviceProperties)         \
    X(GetPhysicalDeviceMemoryProperties)

#define KARST_RENDER_DEVICE_FUNCTIONS(X) \
    X(AllocateDescriptorSets)            \
    X(AllocateMemory)                    \
    X(BindBufferMemory)                  \
    X(CmdBindDescriptorSets)             \
    X(CmdBindIndexBuffer)                \
    X(CmdBindPipeline)                   \
    X(CmdBindVertexBuffers)              \
    X(CmdCopyBuffer)                     \
    X(CmdDraw)                           \
    X(CmdDrawIndexed)                    \
    X(CmdPipelineBarrier2)               \
    X(CmdSetScissor)                     \
    X(CmdSetViewport)                    \
    X(CmdUpdateBuffer)                   \
    X(CreateBuffer)                      \
    X(CreateDescriptorPool)              \
    X(CreateDescriptorSetLayout)         \
    X(CreateGraphicsPipelines)           \
    X(CreatePipelineLayout)              \
    X(CreateShaderModule)                \
    X(DestroyBuffer)                     \
    X(DestroyDescriptorPool)             \
    X(DestroyDescriptorSetLayout)        \
    X(DestroyPipeline)                   \
    X(DestroyPipelineLayout)             \
    X(DestroyShaderModule)               \
    X(FreeMemory)                        \
    X(GetBufferMemoryRequirements)       \
    X(MapMemory)                         \
    X(UpdateDescriptorSets)

/// The function table of one device; each object of this part holds its own.
struct DeviceFunctions {
    VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
#define KARST_RENDER_MEMBER(name) PFN_vk##name name = nullptr;
    KARST_RENDER_INSTANCE_FUNCTIONS(KARST_RENDER_MEMBER)
    KARST_RENDER_DEVICE_FUNCTIONS(KARST_RENDER_MEMBER)
#undef KARST_RENDER_MEMBER
    PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT = nullptr;  ///< null where not enabled

    /// Fails with InvalidArgument for a null handle, DeviceLost where a function of Vulkan 1.3 is missing.
    static Result<DeviceFunctions> load(const VulkanDevice& device);

    /// Names an object in debuggers and validation messages; nothing where the extension is off.
    template <class Handle>
    void setName(VkObjectType type, Handle handle, const char* name) const {
        setNameOf(type, reinterpret_cast<std::uint64_t>(handle), name);
    }

  private:
    void setNameOf(VkObjectType type, std::uint64_t handle, const char* name) const;
};

/// "render: <call> for <what> failed with VkResult <code>"
Error vulkanError(const char* call, const char* what, VkResult code);

}  // namespace karst::render
