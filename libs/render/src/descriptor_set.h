#pragma once

#include <karst/base/result.h>

#include <span>

#include "device_functions.h"

namespace karst::render {

/// One binding of a set; a set's are numbered in their order.
struct DescriptorBinding {
    VkDescriptorType type;
    VkShaderStageFlags stages;
};

/// What a binding is to read: a buffer, or an image, as its type says.
struct DescriptorValue {
    VkDescriptorBufferInfo buffer{};
    VkDescriptorImageInfo image{};

    static DescriptorValue whole(VkBuffer buffer) { return {{buffer, 0, VK_WHOLE_SIZE}, {}}; }
    static DescriptorValue of(VkSampler sampler, VkImageView view,
                              VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL) {
        return {{}, {sampler, view, layout}};
    }
};

Result<VkDescriptorSetLayout> createSetLayout(const DeviceFunctions& fn, const char* name,
                                              std::span<const DescriptorBinding> bindings);
/// With room for that many sets of these bindings.
Result<VkDescriptorPool> createDescriptorPool(const DeviceFunctions& fn, const char* name,
                                              std::span<const DescriptorBinding> bindings,
                                              std::uint32_t sets);
Result<VkDescriptorSet> allocateSet(const DeviceFunctions& fn, const char* name, VkDescriptorPool pool,
                                    VkDescriptorSetLayout layout);
/// `values`: one for each binding.
void writeSet(const DeviceFunctions& fn, VkDescriptorSet set, std::span<const DescriptorBinding> bindings,
              std::span<const DescriptorValue> values);

}  // namespace karst::render
