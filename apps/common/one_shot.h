#pragma once

#include <karst/base/function_ref.h>
#include <karst/base/result.h>

#include "common/vulkan_context.h"

namespace karst::app {

/// Records with `record` into a fresh command buffer, submits it and waits until the GPU is done. What
/// `record` returns as an error is returned, and nothing is submitted.
Result<void> submitAndWait(VulkanContext& context, FunctionRef<Result<void>(VkCommandBuffer)> record);

}  // namespace karst::app
