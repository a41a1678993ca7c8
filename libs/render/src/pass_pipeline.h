#pragma once

#include <karst/base/result.h>

#include <span>

#include "device_functions.h"

namespace karst::render {

struct ShaderCode {
    const std::uint32_t* words = nullptr;
    std::size_t bytes = 0;
    VkBool32 constant0 = VK_FALSE;  ///< the value of its specialisation constant 0
};

struct PassPipelineDesc {
    const char* name = "";
    ShaderCode vertex, fragment;
    AttachmentFormats formats;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    std::span<const VkVertexInputBindingDescription> bindings;
    std::span<const VkVertexInputAttributeDescription> attributes;
    VkFrontFace frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
    bool writeDepth = true;
    bool blend = false;  ///< over what is there, by the colour's alpha
};

/// A graphics pipeline for dynamic rendering: triangles, both sides, reverse-Z with greater-or-equal, one
/// colour attachment, dynamic viewport and scissor.
struct PassPipeline {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

/// Whether colours must be encoded by the shader; refuses formats that a pass cannot draw into.
Result<bool> shaderEncodesSrgb(const AttachmentFormats& formats);

Result<PassPipeline> createPassPipeline(const DeviceFunctions& fn, const PassPipelineDesc& desc);
void destroyPassPipeline(const DeviceFunctions& fn, PassPipeline& pipeline);

/// Binds the pipeline and descriptor set 0, and sets viewport and scissor.
void bindPass(const DeviceFunctions& fn, const PassPipeline& pipeline, VkCommandBuffer commands,
              VkDescriptorSet set, VkRect2D area);

}  // namespace karst::render
