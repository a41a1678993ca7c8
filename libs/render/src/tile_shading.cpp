#include <embedded_shaders.h>
#include <karst/base/assert.h>
#include <karst/render/tile_shading.h>

#include <array>
#include <cmath>
#include <vector>

#include "compute_pipeline.h"
#include "debug_label.h"
#include "tile_pass_impl.h"
#include "tile_terrain_impl.h"

namespace karst::render {

namespace {

constexpr std::uint32_t kMaxTargets = 64, kGroup = 8;
constexpr std::uint32_t kBindings = 3;
constexpr VkDescriptorType kTypes[kBindings] = {
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

// By Gauss and Jordan, in f64; of a matrix that has an inverse, as views' have.
Mat4f inverseOf(const Mat4f& matrix) {
    double rows[4][8] = {};
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c)
            rows[r][c] = static_cast<double>(matrix.at(r, c));
        rows[r][4 + r] = 1;
    }
    for (int c = 0; c < 4; ++c) {
        int pivot = c;
        for (int r = c + 1; r < 4; ++r) {
            if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
        }
        std::swap(rows[c], rows[pivot]);
        const double scale = 1 / rows[c][c];
        for (double& one : rows[c])
            one *= scale;
        for (int r = 0; r < 4; ++r) {
            const double part = rows[r][c];
            if (r == c || part == 0) continue;
            for (int k = 0; k < 8; ++k)
                rows[r][k] -= part * rows[c][k];
        }
    }
    Mat4f out;
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c)
            out.at(r, c) = static_cast<float>(rows[r][4 + c]);
    }
    return out;
}

}  // namespace

struct TileShading::Impl {
    DeviceFunctions fn;
    VkDescriptorSetLayout tileLayout = VK_NULL_HANDLE, setLayout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets;
    std::vector<bool> bound;
    ComputePipeline pipeline;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        destroyComputePipeline(fn, pipeline);
        if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
        for (VkDescriptorSetLayout layout : {tileLayout, setLayout}) {
            if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
        }
    }

    Result<void> createSets(std::uint32_t targets) {
        constexpr const char* kName = "karst tile shading";
        std::array<VkDescriptorSetLayoutBinding, kBindings> slots{};
        for (std::uint32_t i = 0; i < kBindings; ++i) {
            slots[i].binding = i;
            slots[i].descriptorType = kTypes[i];
            slots[i].descriptorCount = 1;
            slots[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
        }
        VkDescriptorSetLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        layoutInfo.bindingCount = kBindings;
        layoutInfo.pBindings = slots.data();
        VkResult code = fn.CreateDescriptorSetLayout(fn.device, &layoutInfo, nullptr, &setLayout);
        if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorSetLayout", "tile shading", code);
        fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, setLayout, kName);

        const std::array sizes = {VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2 * targets},
                                  VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, targets}};
        VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        poolInfo.maxSets = targets;
        poolInfo.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
        poolInfo.pPoolSizes = sizes.data();
        code = fn.CreateDescriptorPool(fn.device, &poolInfo, nullptr, &pool);
        if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorPool", "tile shading", code);
        fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool, kName);

        sets.resize(targets);
        bound.resize(targets);
        const std::vector<VkDescriptorSetLayout> layouts(targets, setLayout);
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocate.descriptorPool = pool;
        allocate.descriptorSetCount = targets;
        allocate.pSetLayouts = layouts.data();
        code = fn.AllocateDescriptorSets(fn.device, &allocate, sets.data());
        if (code != VK_SUCCESS) return vulkanError("vkAllocateDescriptorSets", "tile shading", code);
        for (const VkDescriptorSet set : sets)
            fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET, set, kName);
        return {};
    }
};

TileShading::TileShading(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TileShading::TileShading(TileShading&&) noexcept = default;
TileShading& TileShading::operator=(TileShading&&) noexcept = default;
TileShading::~TileShading() = default;

Result<TileShading> TileShading::create(const VulkanDevice& device, const SceneUniforms& scene,
                                        std::uint32_t targets) {
    if (targets < 1 || targets > kMaxTargets) {
        return makeError(ErrorCode::InvalidArgument, "tile shading: targets %u is not in 1..%u", targets,
                         kMaxTargets);
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn);
    auto tileLayout = createTileSetLayout(*fn);
    if (!tileLayout) return tileLayout.error();
    impl->tileLayout = *tileLayout;
    if (auto made = impl->createSets(targets); !made) return made.error();
    const VkDescriptorSetLayout layouts[3] = {scene.descriptorSetLayout(), impl->tileLayout, impl->setLayout};
    auto pipeline =
        createComputePipeline(*fn, "karst tile shading", {kTileShadeComp, kTileShadeCompBytes, VK_TRUE},
                              layouts, sizeof(gpu::GpuTileShade));
    if (!pipeline) return pipeline.error();
    impl->pipeline = *pipeline;
    return TileShading(std::move(impl));
}

Result<void> TileShading::bind(std::uint32_t index, const TileShadingImages& images) {
    Impl& impl = *m_impl;
    if (index >= impl.sets.size()) {
        return makeError(ErrorCode::InvalidArgument, "tile shading: target %u is not below %zu", index,
                         impl.sets.size());
    }
    const std::array views = {images.visibility, images.depth, images.color};
    constexpr const char* kNames[kBindings] = {"visibility", "depth", "color"};
    std::array<VkDescriptorImageInfo, kBindings> infos{};
    std::array<VkWriteDescriptorSet, kBindings> writes{};
    for (std::uint32_t i = 0; i < kBindings; ++i) {
        if (views[i] == VK_NULL_HANDLE)
            return makeError(ErrorCode::InvalidArgument, "tile shading: the view of %s is null", kNames[i]);
        infos[i] = {VK_NULL_HANDLE, views[i],
                    kTypes[i] == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_IMAGE_LAYOUT_GENERAL
                                                                  : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = impl.sets[index];
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = kTypes[i];
        writes[i].pImageInfo = &infos[i];
    }
    impl.fn.UpdateDescriptorSets(impl.fn.device, kBindings, writes.data(), 0, nullptr);
    impl.bound[index] = true;
    return {};
}

void TileShading::record(VkCommandBuffer commands, const SceneUniforms& scene, const TileTerrain& terrain,
                         std::size_t view, std::uint32_t target, VkRect2D area) const {
    const Impl& impl = *m_impl;
    const TileTerrain::Impl& tiles = *terrain.m_impl;
    KARST_ASSERT(target < impl.sets.size() && impl.bound[target]);
    if (!tiles.ready || view >= tiles.views.size() || tiles.set == VK_NULL_HANDLE) return;
    if (tiles.tiles.cellX == gpu::vec4{}) return;
    const DeviceFunctions& fn = impl.fn;
    const DebugLabel label(fn, commands, "karst tile shading");
    fn.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, impl.pipeline.pipeline);
    const VkDescriptorSet sets[3] = {scene.descriptorSet(), tiles.set, impl.sets[target]};
    fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, impl.pipeline.layout, 0, 3, sets, 0,
                             nullptr);
    const gpu::GpuTileShade push{
        inverseOf(tiles.views[view].view.viewProjection),
        {static_cast<float>(area.offset.x), static_cast<float>(area.offset.y),
         static_cast<float>(area.extent.width), static_cast<float>(area.extent.height)}};
    fn.CmdPushConstants(commands, impl.pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
    fn.CmdDispatch(commands, (area.extent.width + kGroup - 1) / kGroup,
                   (area.extent.height + kGroup - 1) / kGroup, 1);
}

}  // namespace karst::render
