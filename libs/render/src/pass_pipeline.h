#pragma once

#include <karst/render/render_view.h>
#include <karst/render/scene_uniforms.h>

#include <span>

#include "../shaders/gpu_types.h"
#include "device_functions.h"
#include "shader_code.h"

namespace karst::render {

/// Bytes that every pass's push constants have: a GpuView, then the pass's own.
inline constexpr std::uint32_t kPushBytes = 128;
inline constexpr std::uint32_t kOwnPushOffset = sizeof(gpu::GpuView);
inline constexpr VkShaderStageFlags kPushStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

struct PassPipelineDesc {
    const char* name = "";
    PassTarget target;
    ShaderCode vertex;
    ShaderCode fragment;                               ///< DepthPrepass and Shadow need none
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;  ///< of the scene
    VkDescriptorSetLayout ownSet = VK_NULL_HANDLE;     ///< set 1, or none
    VkDescriptorSetLayout thirdSet = VK_NULL_HANDLE;   ///< set 2, or none; only with set 1
    std::span<const VkVertexInputBindingDescription> bindings;
    std::span<const VkVertexInputAttributeDescription> attributes;
    VkFrontFace frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
    bool writeDepth = true;
    bool blend = false;  ///< over what is there, by the colour's alpha
};

/// A graphics pipeline for dynamic rendering: triangles, both sides, reverse-Z with greater-or-equal, dynamic
/// viewport and scissor; the rest as its PassKind says.
struct PassPipeline {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

/// Refuses, by name, formats that the kind cannot draw into and kinds that the device does not offer.
Result<void> validate(const DeviceFunctions& fn, const PassTarget& target);
/// Refuses PassKind::Visibility for a pass that cannot draw it. `pass`: its name.
Result<void> refuseVisibility(const char* pass, const PassTarget& target);

/// Whether colours must be encoded by the shader, for a valid target.
bool shaderEncodesSrgb(const PassTarget& target);

/// The fragment shader of a kind, of a pass that has its own for Lit and GBuffer.
ShaderCode fragmentOf(const PassTarget& target, const ShaderCode& lit, const ShaderCode& gbuffer);

Result<PassPipeline> createPassPipeline(const DeviceFunctions& fn, const PassPipelineDesc& desc);
void destroyPassPipeline(const DeviceFunctions& fn, PassPipeline& pipeline);

/// Binds the pipeline and descriptor set 0, pushes the view, and sets viewport and scissor.
void bindPass(const DeviceFunctions& fn, const PassPipeline& pipeline, VkCommandBuffer commands,
              const SceneUniforms& scene, const RenderView& view, VkRect2D area);

}  // namespace karst::render
