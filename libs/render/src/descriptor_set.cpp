#include "descriptor_set.h"

#include <karst/base/assert.h>

#include <vector>

namespace karst::render {

namespace {

bool readsBuffer(VkDescriptorType type) {
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

}  // namespace

Result<VkDescriptorSetLayout> createSetLayout(const DeviceFunctions& fn, const char* name,
                                              std::span<const DescriptorBinding> bindings) {
    std::vector<VkDescriptorSetLayoutBinding> slots;
    for (const DescriptorBinding& binding : bindings) {
        const auto number = static_cast<std::uint32_t>(slots.size());
        slots.push_back({number, binding.type, 1, binding.stages, nullptr});
    }
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = static_cast<std::uint32_t>(slots.size());
    info.pBindings = slots.data();
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    const VkResult code = fn.CreateDescriptorSetLayout(fn.device, &info, nullptr, &layout);
    if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorSetLayout", name, code);
    fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, layout, name);
    return layout;
}

Result<VkDescriptorPool> createDescriptorPool(const DeviceFunctions& fn, const char* name,
                                              std::span<const DescriptorBinding> bindings,
                                              std::uint32_t sets) {
    std::vector<VkDescriptorPoolSize> sizes;
    for (const DescriptorBinding& binding : bindings)
        sizes.push_back({binding.type, sets});
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.maxSets = sets;
    info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
    info.pPoolSizes = sizes.data();
    VkDescriptorPool pool = VK_NULL_HANDLE;
    const VkResult code = fn.CreateDescriptorPool(fn.device, &info, nullptr, &pool);
    if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorPool", name, code);
    fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool, name);
    return pool;
}

Result<VkDescriptorSet> allocateSet(const DeviceFunctions& fn, const char* name, VkDescriptorPool pool,
                                    VkDescriptorSetLayout layout) {
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = pool;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    const VkResult code = fn.AllocateDescriptorSets(fn.device, &info, &set);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateDescriptorSets", name, code);
    fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET, set, name);
    return set;
}

void writeSet(const DeviceFunctions& fn, VkDescriptorSet set, std::span<const DescriptorBinding> bindings,
              std::span<const DescriptorValue> values) {
    KARST_ASSERT(bindings.size() == values.size());
    std::vector<VkWriteDescriptorSet> writes;
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set;
        write.dstBinding = static_cast<std::uint32_t>(i);
        write.descriptorCount = 1;
        write.descriptorType = bindings[i].type;
        if (readsBuffer(bindings[i].type)) {
            write.pBufferInfo = &values[i].buffer;
        } else {
            write.pImageInfo = &values[i].image;
        }
        writes.push_back(write);
    }
    fn.UpdateDescriptorSets(fn.device, static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
}

}  // namespace karst::render
