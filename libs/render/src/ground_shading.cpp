#include <embedded_shaders.h>
#include <karst/base/assert.h>
#include <karst/render/ground_shading.h>

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "compute_pipeline.h"
#include "debug_label.h"
#include "descriptor_set.h"
#include "tile_pass_impl.h"
#include "tile_terrain_impl.h"
#include "voxel_pipeline.h"

namespace karst::render {

namespace {

constexpr std::uint32_t kMaxTargets = 64, kGroup = 8;
constexpr const char* kName = "karst ground shading";
// Visibility, depth and colour.
constexpr DescriptorBinding kBindings[] = {{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT},
                                           {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT}};

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

gpu::GpuShade shadeOf(const RenderView& view, VkRect2D area) {
    return {inverseOf(view.viewProjection),
            {static_cast<float>(area.offset.x), static_cast<float>(area.offset.y),
             static_cast<float>(area.extent.width), static_cast<float>(area.extent.height)}};
}

struct VoxelShadePush {
    gpu::GpuShade shade;
    gpu::GpuVoxelPush voxel;
};
static_assert(sizeof(VoxelShadePush) <= kPushBytes);

}  // namespace

struct GroundShading::Impl {
    DeviceFunctions fn;
    VkDescriptorSetLayout tileLayout = VK_NULL_HANDLE, voxelLayout = VK_NULL_HANDLE,
                          geometryLayout = VK_NULL_HANDLE, setLayout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> sets;
    std::vector<bool> bound;
    ComputePipeline tiles, voxels;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        destroyComputePipeline(fn, tiles);
        destroyComputePipeline(fn, voxels);
        if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
        for (VkDescriptorSetLayout layout : {tileLayout, voxelLayout, geometryLayout, setLayout}) {
            if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
        }
    }

    Result<void> createSets(std::uint32_t targets) {
        auto layout = createSetLayout(fn, kName, kBindings);
        if (!layout) return layout.error();
        setLayout = *layout;
        auto room = createDescriptorPool(fn, kName, kBindings, targets);
        if (!room) return room.error();
        pool = *room;
        for (std::uint32_t i = 0; i < targets; ++i) {
            auto set = allocateSet(fn, kName, pool, setLayout);
            if (!set) return set.error();
            sets.push_back(*set);
        }
        bound.resize(targets);
        return {};
    }

    void dispatch(VkCommandBuffer commands, const ComputePipeline& pipeline, const SceneUniforms& scene,
                  VkDescriptorSet own, std::uint32_t target, VkRect2D area,
                  std::span<const std::byte> push) const {
        KARST_ASSERT(target < sets.size() && bound[target]);
        const VkDescriptorSet used[3] = {scene.descriptorSet(), own, sets[target]};
        fn.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
        fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 3, used, 0,
                                 nullptr);
        fn.CmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<std::uint32_t>(push.size()), push.data());
        fn.CmdDispatch(commands, (area.extent.width + kGroup - 1) / kGroup,
                       (area.extent.height + kGroup - 1) / kGroup, 1);
    }
};

GroundShading::GroundShading(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
GroundShading::GroundShading(GroundShading&&) noexcept = default;
GroundShading& GroundShading::operator=(GroundShading&&) noexcept = default;
GroundShading::~GroundShading() = default;

Result<GroundShading> GroundShading::create(const VulkanDevice& device, const SceneUniforms& scene,
                                            std::uint32_t targets) {
    if (targets < 1 || targets > kMaxTargets) {
        return makeError(ErrorCode::InvalidArgument, "ground shading: targets %u is not in 1..%u", targets,
                         kMaxTargets);
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn);
    auto tileLayout = createTileSetLayout(*fn);
    if (!tileLayout) return tileLayout.error();
    impl->tileLayout = *tileLayout;
    auto voxelLayout = createVoxelSetLayout(*fn);
    if (!voxelLayout) return voxelLayout.error();
    impl->voxelLayout = *voxelLayout;
    auto geometryLayout = createGeometrySetLayout(*fn);
    if (!geometryLayout) return geometryLayout.error();
    impl->geometryLayout = *geometryLayout;
    if (auto made = impl->createSets(targets); !made) return made.error();
    // The blocks of voxel ground come last: tiles have none.
    const VkDescriptorSetLayout ofTiles[3] = {scene.descriptorSetLayout(), impl->tileLayout, impl->setLayout};
    auto tiles =
        createComputePipeline(*fn, "karst tile shading", {kTileShadeComp, kTileShadeCompBytes, VK_TRUE},
                              ofTiles, sizeof(gpu::GpuShade));
    if (!tiles) return tiles.error();
    impl->tiles = *tiles;
    const VkDescriptorSetLayout ofVoxels[4] = {scene.descriptorSetLayout(), impl->voxelLayout,
                                               impl->setLayout, impl->geometryLayout};
    auto voxels =
        createComputePipeline(*fn, "karst voxel shading", {kVoxelShadeComp, kVoxelShadeCompBytes, VK_TRUE},
                              ofVoxels, sizeof(VoxelShadePush));
    if (!voxels) return voxels.error();
    impl->voxels = *voxels;
    return GroundShading(std::move(impl));
}

Result<void> GroundShading::bind(std::uint32_t index, const ShadingImages& images) {
    Impl& impl = *m_impl;
    if (index >= impl.sets.size()) {
        return makeError(ErrorCode::InvalidArgument, "ground shading: target %u is not below %zu", index,
                         impl.sets.size());
    }
    struct Named {
        const char* name;
        VkImageView view;
    };
    for (const Named& one : {Named{"visibility", images.visibility}, Named{"depth", images.depth},
                             Named{"color", images.color}}) {
        if (one.view == VK_NULL_HANDLE)
            return makeError(ErrorCode::InvalidArgument, "ground shading: the view of %s is null", one.name);
    }
    writeSet(impl.fn, impl.sets[index], kBindings,
             std::array{DescriptorValue::of(VK_NULL_HANDLE, images.visibility),
                        DescriptorValue::of(VK_NULL_HANDLE, images.depth),
                        DescriptorValue::of(VK_NULL_HANDLE, images.color, VK_IMAGE_LAYOUT_GENERAL)});
    impl.bound[index] = true;
    return {};
}

void GroundShading::recordTiles(VkCommandBuffer commands, const SceneUniforms& scene,
                                const TileTerrain& terrain, std::size_t view, std::uint32_t target,
                                VkRect2D area) const {
    const TileTerrain::Impl& tiles = *terrain.m_impl;
    if (!tiles.ready || view >= tiles.views.size() || tiles.set == VK_NULL_HANDLE) return;
    if (tiles.tiles.cellX == gpu::vec4{}) return;
    const DebugLabel label(m_impl->fn, commands, "karst tile shading");
    const gpu::GpuShade push = shadeOf(tiles.views[view].view, area);
    m_impl->dispatch(commands, m_impl->tiles, scene, tiles.set, target, area,
                     std::as_bytes(std::span(&push, 1)));
}

void GroundShading::recordVoxels(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                                 const VoxelPool& pool, std::uint32_t target, VkRect2D area) const {
    const VoxelPool::Impl& voxels = *pool.m_impl;
    const VkDescriptorSet blocks = voxels.geometrySet();
    if (blocks == VK_NULL_HANDLE) return;
    const DebugLabel label(m_impl->fn, commands, "karst voxel shading");
    const VoxelShadePush push{shadeOf(view, area),
                              voxelPushOf(scene.origin(), voxels.desc.placement, voxels.wavePeriod)};
    m_impl->fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_impl->voxels.layout, 3, 1,
                                     &blocks, 0, nullptr);
    m_impl->dispatch(commands, m_impl->voxels, scene, voxels.set, target, area,
                     std::as_bytes(std::span(&push, 1)));
}

}  // namespace karst::render
