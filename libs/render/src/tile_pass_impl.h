#pragma once

#include <karst/render/tile_pass.h>

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
inline constexpr std::uint32_t kTileBindings = 4;
Result<VkDescriptorSetLayout> createTileSetLayout(const DeviceFunctions& fn);

}  // namespace karst::render
