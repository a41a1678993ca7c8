#pragma once

#include <karst/render/water_ground.h>

#include "device_functions.h"

namespace karst::render {

/// The layout of a WaterGround's descriptor set: all of them are alike, so that any is good for any
/// WaterPass.
Result<VkDescriptorSetLayout> createWaterGroundLayout(const DeviceFunctions& fn);

struct WaterGround::Impl {
    DeviceFunctions fn;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();
};

}  // namespace karst::render
