#include <karst/render/scene_uniforms.h>

#include <array>
#include <cstring>

#include "descriptor_set.h"
#include "gpu_buffer.h"
#include "gpu_image.h"
#include "gpu_scene.h"
#include "noise_volume.h"

namespace karst::render {

namespace {

// The settings, the cascades, the faces of point lights, and the noise.
constexpr VkShaderStageFlags kShading = VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
constexpr DescriptorBinding kBindings[] = {
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_VERTEX_BIT | kShading},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kShading},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kShading},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kShading}};

}  // namespace

struct SceneUniforms::Impl {
    DeviceFunctions fn;
    GpuBuffer buffer;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    ShadowMaps shadows;
    GpuImage noise;
    VkImageView noiseView = VK_NULL_HANDLE;
    VkSampler noiseSampler = VK_NULL_HANDLE;
    GpuBuffer noiseStaging;  // kept: nobody says when the GPU has read it
    bool noiseRecorded = false;
    RenderView camera;
    WorldPosition origin;
    CascadeViews cascades;

    Impl(const DeviceFunctions& functions, ShadowMaps maps) : fn(functions), shadows(std::move(maps)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
        if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
        if (noiseSampler) fn.DestroySampler(fn.device, noiseSampler, nullptr);
        if (noiseView) fn.DestroyImageView(fn.device, noiseView, nullptr);
        destroyImage(fn, noise);
        destroyBuffer(fn, noiseStaging);
        destroyBuffer(fn, buffer);
    }

    Result<void> createNoise() {
        constexpr const char* kName = "karst noise";
        const std::span<const std::int8_t> bytes = noiseVolume();
        auto image = createImage(fn, kName,
                                 {.format = VK_FORMAT_R8G8B8A8_SNORM,
                                  .width = kNoiseSide,
                                  .height = kNoiseSide,
                                  .depth = kNoiseSide,
                                  .levels = kNoiseLevels,
                                  .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
        if (!image) return image.error();
        noise = *image;
        auto view = createImageView(fn, kName,
                                    {.image = noise.image,
                                     .format = VK_FORMAT_R8G8B8A8_SNORM,
                                     .type = VK_IMAGE_VIEW_TYPE_3D,
                                     .levels = kNoiseLevels});
        if (!view) return view.error();
        noiseView = *view;
        auto sampler = createSampler(fn, kName, VK_SAMPLER_ADDRESS_MODE_REPEAT);
        if (!sampler) return sampler.error();
        noiseSampler = *sampler;
        auto staging = createBuffer(fn, "karst noise staging", bytes.size(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                    MemoryKind::HostVisible);
        if (!staging) return staging.error();
        noiseStaging = *staging;
        std::memcpy(noiseStaging.mapped, bytes.data(), bytes.size());
        return {};
    }

    void recordNoise(VkCommandBuffer commands) {
        if (noiseRecorded) return;
        noiseRecorded = true;
        ImageBarrier barrier;
        barrier.image = noise.image;
        barrier.levels = kNoiseLevels;
        barrier.to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        barrier.toStage = VK_PIPELINE_STAGE_2_COPY_BIT;
        barrier.toAccess = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        recordBarrier(fn, commands, barrier);
        std::array<VkBufferImageCopy, kNoiseLevels> copies{};
        VkDeviceSize offset = 0;
        for (std::uint32_t level = 0; level < kNoiseLevels; ++level) {
            const std::uint32_t side = kNoiseSide >> level;
            copies[level].bufferOffset = offset;
            copies[level].imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
            copies[level].imageExtent = {side, side, side};
            offset += noiseLevelTexels(level) * 4;
        }
        fn.CmdCopyBufferToImage(commands, noiseStaging.buffer, noise.image, barrier.to, kNoiseLevels,
                                copies.data());
        barrier.from = barrier.to;
        barrier.to = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        barrier.fromStage = barrier.toStage;
        barrier.fromAccess = barrier.toAccess;
        barrier.toStage = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        barrier.toAccess = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
        recordBarrier(fn, commands, barrier);
    }

    Result<void> createSet() {
        constexpr const char* kName = "karst scene uniforms";
        auto setLayout = createSetLayout(fn, kName, kBindings);
        if (!setLayout) return setLayout.error();
        layout = *setLayout;
        auto room = createDescriptorPool(fn, kName, kBindings, 1);
        if (!room) return room.error();
        pool = *room;
        auto made = allocateSet(fn, kName, pool, layout);
        if (!made) return made.error();
        set = *made;
        writeSet(fn, set, kBindings,
                 std::array{DescriptorValue::whole(buffer.buffer),
                            DescriptorValue::of(shadows.sampler(), shadows.cascadesView()),
                            DescriptorValue::of(shadows.sampler(), shadows.facesView()),
                            DescriptorValue::of(noiseSampler, noiseView)});
        return {};
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
    if (auto made = impl->createNoise(); !made) return made.error();
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
    m_impl->recordNoise(commands);
    // The bytes travel in the command buffer, so frames in flight need no copies of their own.
    constexpr VkPipelineStageFlags2 kReadStages = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
                                                  VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
                                                  VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    recordBarrier(m_impl->fn, commands, kReadStages | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                  VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                  VK_ACCESS_2_TRANSFER_WRITE_BIT);
    m_impl->fn.CmdUpdateBuffer(commands, m_impl->buffer.buffer, 0, sizeof(gpu::GpuScene), &*scene);
    recordBarrier(m_impl->fn, commands, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
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
