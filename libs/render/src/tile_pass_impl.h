#pragma once

#include <karst/render/tile_pass.h>

#include "descriptor_set.h"
#include "pass_pipeline.h"

namespace karst::render {

struct TilePass::Impl {
    DeviceFunctions fn;
    PassTarget target;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    PassPipeline solid;  // where every cell is ground
    PassPipeline gaps;   // where fragments of some are left out

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();
};

/// Set 1 of tile passes: the pool's layers, a GpuTiles, the layers' slopes, and the records. Those of two
/// calls are compatible.
inline constexpr const char* kTileSetName = "karst tiles";
inline constexpr VkShaderStageFlags kTileStages =
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
inline constexpr DescriptorBinding kTileBindings[] = {
    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kTileStages},
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kTileStages},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kTileStages},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT}};
Result<VkDescriptorSetLayout> createTileSetLayout(const DeviceFunctions& fn);

}  // namespace karst::render
