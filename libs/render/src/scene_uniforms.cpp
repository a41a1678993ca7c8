#include <karst/render/scene_uniforms.h>

#include <array>

#include "gpu_buffer.h"
#include "gpu_scene.h"

namespace karst::render {

namespace {

constexpr VkDescriptorType kTypes[3] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                        VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};

}  // namespace

struct SceneUniforms::Impl {
    DeviceFunctions fn;
    GpuBuffer buffer;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    ShadowMaps shadows;
    RenderView camera;
    WorldPosition origin;
    CascadeViews cascades;

    Impl(const DeviceFunctions& functions, ShadowMaps maps) : fn(functions), shadows(std::move(maps)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
        if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
        destroyBuffer(fn, buffer);
    }

    Result<void> createSet() {
        std::array<VkDescriptorSetLayoutBinding, 3> slots{};
        for (std::uint32_t i = 0; i < 3; ++i) {
            slots[i].binding = i;
            slots[i].descriptorType = kTypes[i];
            slots[i].descriptorCount = 1;
            slots[i].stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
        }
        slots[0].stageFlags |= VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
        VkDescriptorSetLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        layoutInfo.bindingCount = 3;
        layoutInfo.pBindings = slots.data();
        VkResult code = fn.CreateDescriptorSetLayout(fn.device, &layoutInfo, nullptr, &layout);
        if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorSetLayout", "scene uniforms", code);
        fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, layout, "karst scene uniforms");

        const std::array sizes = {VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
                                  VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2}};
        VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        poolInfo.maxSets = 1;
        poolInfo.poolSizeCount = 2;
        poolInfo.pPoolSizes = sizes.data();
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
        const std::array images = {VkDescriptorImageInfo{shadows.sampler(), shadows.cascadesView(),
                                                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                   VkDescriptorImageInfo{shadows.sampler(), shadows.facesView(),
                                                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
        std::array<VkWriteDescriptorSet, 3> writes{};
        for (std::uint32_t i = 0; i < 3; ++i) {
            writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
            writes[i].dstSet = set;
            writes[i].dstBinding = i;
            writes[i].descriptorCount = 1;
            writes[i].descriptorType = kTypes[i];
        }
        writes[0].pBufferInfo = &info;
        writes[1].pImageInfo = &images[0];
        writes[2].pImageInfo = &images[1];
        fn.UpdateDescriptorSets(fn.device, 3, writes.data(), 0, nullptr);
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

Result<SceneUniforms> SceneUniforms::create(const VulkanDevice& device, const ShadowMapsDesc& shadows) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto maps = ShadowMaps::create(device, shadows);
    if (!maps) return maps.error();
    auto impl = std::make_unique<Impl>(*fn, std::move(*maps));
    auto buffer = createBuffer(*fn, "karst scene uniforms", sizeof(gpu::GpuScene),
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               MemoryKind::Device);
    if (!buffer) return buffer.error();
    impl->buffer = *buffer;
    if (auto made = impl->createSet(); !made) return made.error();
    return SceneUniforms(std::move(impl));
}

Result<void> SceneUniforms::recordUpdate(VkCommandBuffer commands, const SceneSettings& settings) {
    auto scene = gpuSceneOf(settings, m_impl->shadows.desc());
    if (!scene) return scene.error();
    m_impl->camera = cameraView(settings.camera);
    m_impl->origin = sceneOrigin(settings.camera);
    m_impl->cascades = fitCascades(settings.camera, settings.sun.direction, settings.cascades,
                                   m_impl->shadows.desc().cascadeResolution);
    m_impl->shadows.recordFirstUse(commands);
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

const RenderView& SceneUniforms::camera() const {
    return m_impl->camera;
}
WorldPosition SceneUniforms::origin() const {
    return m_impl->origin;
}
const CascadeViews& SceneUniforms::cascades() const {
    return m_impl->cascades;
}
ShadowMaps& SceneUniforms::shadowMaps() {
    return m_impl->shadows;
}
const ShadowMaps& SceneUniforms::shadowMaps() const {
    return m_impl->shadows;
}

VkDescriptorSetLayout SceneUniforms::descriptorSetLayout() const {
    return m_impl->layout;
}
VkDescriptorSet SceneUniforms::descriptorSet() const {
    return m_impl->set;
}

}  // namespace karst::render
