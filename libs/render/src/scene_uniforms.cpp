#include <karst/render/scene_uniforms.h>

#include <algorithm>
#include <cmath>

#include "gpu_buffer.h"
#include "gpu_scene.h"

namespace karst::render {

struct SceneUniforms::Impl {
    DeviceFunctions fn;
    GpuBuffer buffer;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
        if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
        destroyBuffer(fn, buffer);
    }

    Result<void> createSet() {
        VkDescriptorSetLayoutBinding binding{};
        binding.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        binding.descriptorCount = 1;
        binding.stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
        VkDescriptorSetLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        layoutInfo.bindingCount = 1;
        layoutInfo.pBindings = &binding;
        VkResult code = fn.CreateDescriptorSetLayout(fn.device, &layoutInfo, nullptr, &layout);
        if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorSetLayout", "scene uniforms", code);
        fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, layout, "karst scene uniforms");

        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1};
        VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        poolInfo.maxSets = 1;
        poolInfo.poolSizeCount = 1;
        poolInfo.pPoolSizes = &size;
        code = fn.CreateDescriptorPool(fn.device, &poolInfo, nullptr, &pool);
        if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorPool", "scene uniforms", code);
        fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool, "karst scene uniforms");

        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocate.descriptorPool = pool;
        allocate.descriptorSetCount = 1;
        allocate.pSetLayouts = &layout;
        code = fn.AllocateDescriptorSets(fn.device, &allocate, &set);
        if (code != VK_SUCCESS) return vulkanError("vkAllocateDescriptorSets", "scene uniforms", code);
        fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET, set, "karst scene uniforms");

        const VkDescriptorBufferInfo info{buffer.buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        write.pBufferInfo = &info;
        fn.UpdateDescriptorSets(fn.device, 1, &write, 0, nullptr);
        return {};
    }

    void barrier(VkCommandBuffer commands, VkPipelineStageFlags2 fromStage, VkAccessFlags2 fromAccess,
                 VkPipelineStageFlags2 toStage, VkAccessFlags2 toAccess) {
        VkBufferMemoryBarrier2 memory{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
        memory.srcStageMask = fromStage;
        memory.srcAccessMask = fromAccess;
        memory.dstStageMask = toStage;
        memory.dstAccessMask = toAccess;
        memory.srcQueueFamilyIndex = memory.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        memory.buffer = buffer.buffer;
        memory.size = VK_WHOLE_SIZE;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.bufferMemoryBarrierCount = 1;
        info.pBufferMemoryBarriers = &memory;
        fn.CmdPipelineBarrier2(commands, &info);
    }
};

SceneUniforms::SceneUniforms(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
SceneUniforms::SceneUniforms(SceneUniforms&&) noexcept = default;
SceneUniforms& SceneUniforms::operator=(SceneUniforms&&) noexcept = default;
SceneUniforms::~SceneUniforms() = default;

Result<SceneUniforms> SceneUniforms::create(const VulkanDevice& device) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn);
    auto buffer = createBuffer(*fn, "karst scene uniforms", sizeof(gpu::GpuScene),
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               MemoryKind::Device);
    if (!buffer) return buffer.error();
    impl->buffer = *buffer;
    if (auto made = impl->createSet(); !made) return made.error();
    return SceneUniforms(std::move(impl));
}

Result<void> SceneUniforms::recordUpdate(VkCommandBuffer commands, const SceneSettings& settings) {
    auto scene = gpuSceneOf(settings);
    if (!scene) return scene.error();
    // The bytes travel in the command buffer, so frames in flight need no copies of their own.
    constexpr VkPipelineStageFlags2 kReadStages =
        VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    m_impl->barrier(commands, kReadStages | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                    VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                    VK_ACCESS_2_TRANSFER_WRITE_BIT);
    m_impl->fn.CmdUpdateBuffer(commands, m_impl->buffer.buffer, 0, sizeof(gpu::GpuScene), &*scene);
    m_impl->barrier(commands, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                    kReadStages, VK_ACCESS_2_UNIFORM_READ_BIT);
    return {};
}

VkDescriptorSetLayout SceneUniforms::descriptorSetLayout() const {
    return m_impl->layout;
}
VkDescriptorSet SceneUniforms::descriptorSet() const {
    return m_impl->set;
}

}  // namespace karst::render
