#include <karst/base/assert.h>
#include <karst/render/shadow_maps.h>

#include <algorithm>
#include <vector>

#include "debug_label.h"
#include "gpu_image.h"

namespace karst::render {

namespace {

constexpr VkFormat kFormat = VK_FORMAT_D32_SFLOAT;
constexpr VkPipelineStageFlags2 kReadStages =
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags2 kDepthStages =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;

// One array of depth images: views of single layers are drawn into, the view of all is sampled.
struct MapArray {
    GpuImage image;
    VkImageView whole = VK_NULL_HANDLE;
    std::vector<VkImageView> layers;
    std::uint32_t side = 1;
};

}  // namespace

struct ShadowMaps::Impl {
    DeviceFunctions fn;
    ShadowMapsDesc desc;
    MapArray cascades, faces;
    VkSampler sampler = VK_NULL_HANDLE;
    bool used = false;
    const MapArray* open = nullptr;  // what is drawn into
    std::uint32_t openLayer = 0;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (sampler) fn.DestroySampler(fn.device, sampler, nullptr);
        for (MapArray* array : {&cascades, &faces}) {
            for (VkImageView view : array->layers)
                fn.DestroyImageView(fn.device, view, nullptr);
            if (array->whole) fn.DestroyImageView(fn.device, array->whole, nullptr);
            destroyImage(fn, array->image);
        }
    }

    Result<void> createArray(MapArray& array, const char* name, std::uint32_t side, std::uint32_t layers) {
        array.side = layers > 0 ? side : 1;
        GpuImageDesc images;
        images.format = kFormat;
        images.width = images.height = array.side;
        images.layers = std::max(layers, 1u);
        images.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                       VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        auto image = createImage(fn, name, images);
        if (!image) return image.error();
        array.image = *image;
        GpuImageViewDesc view{array.image.image,           kFormat, VK_IMAGE_ASPECT_DEPTH_BIT,
                              VK_IMAGE_VIEW_TYPE_2D_ARRAY, 0,       images.layers};
        auto whole = createImageView(fn, name, view);
        if (!whole) return whole.error();
        array.whole = *whole;
        view.type = VK_IMAGE_VIEW_TYPE_2D;
        view.layers = 1;
        for (view.firstLayer = 0; view.firstLayer < layers; ++view.firstLayer) {
            auto layer = createImageView(fn, name, view);
            if (!layer) return layer.error();
            array.layers.push_back(*layer);
        }
        return {};
    }

    Result<void> createSampler() {
        VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
        info.magFilter = info.minFilter = VK_FILTER_LINEAR;
        info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
        info.compareEnable = VK_TRUE;
        info.compareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
        const VkResult code = fn.CreateSampler(fn.device, &info, nullptr, &sampler);
        if (code != VK_SUCCESS) return vulkanError("vkCreateSampler", "shadow maps", code);
        fn.setName(VK_OBJECT_TYPE_SAMPLER, sampler, "karst shadow maps");
        return {};
    }

    void recordBegin(VkCommandBuffer commands, const MapArray& array, std::uint32_t layer) {
        KARST_ASSERT(!open && layer < array.layers.size());
        open = &array;
        openLayer = layer;
        recordBarrier(
            fn, commands,
            {array.image.image, VK_IMAGE_ASPECT_DEPTH_BIT, layer, 1, VK_IMAGE_LAYOUT_UNDEFINED,
             VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, kReadStages | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
             kDepthStages, VK_ACCESS_2_TRANSFER_WRITE_BIT,
             VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT});
        VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        depth.imageView = array.layers[layer];
        depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
        depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.renderArea = {{0, 0}, {array.side, array.side}};
        info.layerCount = 1;
        info.pDepthAttachment = &depth;
        fn.CmdBeginRendering(commands, &info);
    }

    void clear(VkCommandBuffer commands, const MapArray& array) {
        const auto layers = static_cast<std::uint32_t>(std::max<std::size_t>(array.layers.size(), 1));
        recordBarrier(fn, commands,
                      {array.image.image, VK_IMAGE_ASPECT_DEPTH_BIT, 0, layers, VK_IMAGE_LAYOUT_UNDEFINED,
                       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_NONE,
                       VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0, VK_ACCESS_2_TRANSFER_WRITE_BIT});
        const VkClearDepthStencilValue farthest{};
        const VkImageSubresourceRange range{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, layers};
        fn.CmdClearDepthStencilImage(commands, array.image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                     &farthest, 1, &range);
        recordBarrier(
            fn, commands,
            {array.image.image, VK_IMAGE_ASPECT_DEPTH_BIT, 0, layers, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
             VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, kReadStages,
             VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT});
    }
};

ShadowMaps::ShadowMaps(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
ShadowMaps::ShadowMaps(ShadowMaps&&) noexcept = default;
ShadowMaps& ShadowMaps::operator=(ShadowMaps&&) noexcept = default;
ShadowMaps::~ShadowMaps() = default;

Result<ShadowMaps> ShadowMaps::create(const VulkanDevice& device, const ShadowMapsDesc& desc) {
    if (desc.cascades < 0 || desc.cascades > kMaxCascades) {
        return makeError(ErrorCode::InvalidArgument, "shadow maps: cascades %d is not in 0..%d",
                         desc.cascades, kMaxCascades);
    }
    if (desc.pointLights < 0 || desc.pointLights > kMaxPointLights) {
        return makeError(ErrorCode::InvalidArgument, "shadow maps: pointLights %d is not in 0..%d",
                         desc.pointLights, kMaxPointLights);
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    VkPhysicalDeviceProperties properties{};
    fn->GetPhysicalDeviceProperties(fn->physicalDevice, &properties);
    const std::uint32_t most = properties.limits.maxImageDimension2D;
    for (const std::uint32_t side : {desc.cascadeResolution, desc.pointResolution}) {
        if (side < 16 || side > most) {
            return makeError(ErrorCode::InvalidArgument, "shadow maps: resolution %u is not in 16..%u", side,
                             most);
        }
    }
    auto impl = std::make_unique<Impl>(*fn);
    impl->desc = desc;
    const auto cascades = static_cast<std::uint32_t>(desc.cascades);
    const auto faces = static_cast<std::uint32_t>(desc.pointLights * kCubeFaces);
    if (auto made = impl->createArray(impl->cascades, "karst cascades", desc.cascadeResolution, cascades);
        !made)
        return made.error();
    if (auto made = impl->createArray(impl->faces, "karst point light faces", desc.pointResolution, faces);
        !made) {
        return made.error();
    }
    if (auto made = impl->createSampler(); !made) return made.error();
    return ShadowMaps(std::move(impl));
}

const ShadowMapsDesc& ShadowMaps::desc() const {
    return m_impl->desc;
}

PassTarget ShadowMaps::target() {
    return {PassKind::Shadow, {VK_FORMAT_UNDEFINED, kFormat, VK_SAMPLE_COUNT_1_BIT}};
}

VkRect2D ShadowMaps::cascadeArea() const {
    return {{0, 0}, {m_impl->cascades.side, m_impl->cascades.side}};
}

VkRect2D ShadowMaps::faceArea() const {
    return {{0, 0}, {m_impl->faces.side, m_impl->faces.side}};
}

void ShadowMaps::recordBeginCascade(VkCommandBuffer commands, int cascade) {
    m_impl->recordBegin(commands, m_impl->cascades, static_cast<std::uint32_t>(cascade));
}

void ShadowMaps::recordBeginFace(VkCommandBuffer commands, int light, int face) {
    KARST_ASSERT(face >= 0 && face < kCubeFaces);
    m_impl->recordBegin(commands, m_impl->faces, static_cast<std::uint32_t>(light * kCubeFaces + face));
}

void ShadowMaps::recordEnd(VkCommandBuffer commands) {
    Impl& impl = *m_impl;
    KARST_ASSERT(impl.open);
    impl.fn.CmdEndRendering(commands);
    recordBarrier(
        impl.fn, commands,
        {impl.open->image.image, VK_IMAGE_ASPECT_DEPTH_BIT, impl.openLayer, 1,
         VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, kDepthStages,
         kReadStages, VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT});
    impl.open = nullptr;
}

void ShadowMaps::recordFirstUse(VkCommandBuffer commands) {
    if (m_impl->used) return;
    m_impl->used = true;
    const DebugLabel label(m_impl->fn, commands, "karst shadow maps");
    m_impl->clear(commands, m_impl->cascades);
    m_impl->clear(commands, m_impl->faces);
}

VkImageView ShadowMaps::cascadesView() const {
    return m_impl->cascades.whole;
}
VkImageView ShadowMaps::facesView() const {
    return m_impl->faces.whole;
}
VkSampler ShadowMaps::sampler() const {
    return m_impl->sampler;
}

}  // namespace karst::render
