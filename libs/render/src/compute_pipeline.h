#pragma once

#include <karst/base/result.h>

#include <span>

#include "device_functions.h"
#include "shader_code.h"

namespace karst::render {

/// A compute pipeline with descriptor sets from 0 on and push constants of its own size.
struct ComputePipeline {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

Result<ComputePipeline> createComputePipeline(const DeviceFunctions& fn, const char* name,
                                              const ShaderCode& code,
                                              std::span<const VkDescriptorSetLayout> sets,
                                              std::uint32_t pushBytes);
void destroyComputePipeline(const DeviceFunctions& fn, ComputePipeline& pipeline);

}  // namespace karst::render
