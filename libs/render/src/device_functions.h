#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>

namespace karst::render {

#define KARST_RENDER_INSTANCE_FUNCTIONS(X) \
    X(GetPhysicalDeviceProperties)         \
    X(GetPhysicalDeviceMemoryProperties)   \
    X(GetPhysicalDeviceQueueFamilyProperties)

#define KARST_RENDER_DEVICE_FUNCTIONS(X) \
    X(AllocateDescriptorSets)            \
    X(AllocateMemory)                    \
    X(BindBufferMemory)                  \
    X(BindImageMemory)                   \
    X(CmdBeginRendering)                 \
    X(CmdBindDescriptorSets)             \
    X(CmdBindIndexBuffer)                \
    X(CmdBindPipeline)                   \
    X(CmdBindVertexBuffers)              \
    X(CmdClearDepthStencilImage)         \
    X(CmdCopyBuffer)                     \
    X(CmdCopyBufferToImage)              \
    X(CmdCopyImage)                      \
    X(CmdDispatch)                       \
    X(CmdDraw)                           \
    X(CmdDrawIndexed)                    \
    X(CmdDrawIndexedIndirect)            \
    X(CmdDrawIndirect)                   \
    X(CmdEndRendering)                   \
    X(CmdFillBuffer)                     \
    X(CmdPipelineBarrier2)               \
    X(CmdPushConstants)                  \
    X(CmdResetQueryPool)                 \
    X(CmdSetScissor)                     \
    X(CmdSetViewport)                    \
    X(CmdUpdateBuffer)                   \
    X(CmdWriteTimestamp2)                \
    X(CreateBuffer)                      \
    X(CreateComputePipelines)            \
    X(CreateDescriptorPool)              \
    X(CreateDescriptorSetLayout)         \
    X(CreateGraphicsPipelines)           \
    X(CreateImage)                       \
    X(CreateImageView)                   \
    X(CreatePipelineLayout)              \
    X(CreateQueryPool)                   \
    X(CreateSampler)                     \
    X(CreateShaderModule)                \
    X(DestroyBuffer)                     \
    X(DestroyDescriptorPool)             \
    X(DestroyDescriptorSetLayout)        \
    X(DestroyImage)                      \
    X(DestroyImageView)                  \
    X(DestroyPipeline)                   \
    X(DestroyPipelineLayout)             \
    X(DestroyQueryPool)                  \
    X(DestroySampler)                    \
    X(DestroyShaderModule)               \
    X(FreeMemory)                        \
    X(GetBufferMemoryRequirements)       \
    X(GetImageMemoryRequirements)        \
    X(GetQueryPoolResults)               \
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
    bool fillModeNonSolid = false, multiDrawIndirect = false;  ///< as the host said
    // Null where the host did not enable the extension.
    PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT = nullptr;
    PFN_vkCmdBeginDebugUtilsLabelEXT CmdBeginDebugUtilsLabelEXT = nullptr;
    PFN_vkCmdEndDebugUtilsLabelEXT CmdEndDebugUtilsLabelEXT = nullptr;

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
