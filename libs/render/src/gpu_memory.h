#pragma once

#include "device_functions.h"

namespace karst::render {

inline constexpr std::uint32_t kNoMemoryType = ~0u;

/// The first memory type of `allowed` with all of `wanted`; kNoMemoryType where there is none. The
/// specification promises one type of each: device-local, and host-visible with host-coherent.
std::uint32_t findMemoryType(const DeviceFunctions& fn, std::uint32_t allowed, VkMemoryPropertyFlags wanted);

}  // namespace karst::render
