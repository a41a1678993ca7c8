#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <cstdint>

#include "device_functions.h"

namespace karst::render {

struct ShaderCode {
    const std::uint32_t* words = nullptr;
    std::size_t bytes = 0;
    VkBool32 constant0 = VK_FALSE;  ///< the values of its specialisation constants 0 and 1
    VkBool32 constant1 = VK_FALSE;
};

Result<VkShaderModule> createShaderModule(const DeviceFunctions& fn, const char* name,
                                          const ShaderCode& code);

}  // namespace karst::render
