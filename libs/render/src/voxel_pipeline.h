#pragma once

#include <karst/render/voxel_pass.h>

#include "pass_pipeline.h"
#include "voxel_pool_impl.h"

namespace karst::render {

/// What the passes over a pool share: its vertices' layout, its descriptor set and push constants.
struct VoxelPipelineDesc {
    const char* name = "";
    PassTarget target;
    ShaderCode vertex, lit, gbuffer, wireframe, visibility;
    bool translucent = false;
    VkDescriptorSetLayout groundSet = VK_NULL_HANDLE;  ///< set 2, or none; of visibility the blocks
};

Result<PassPipeline> createVoxelPipeline(const DeviceFunctions& fn, const SceneUniforms& scene,
                                         VkDescriptorSetLayout poolLayout, const VoxelPipelineDesc& desc);

/// Binds the pipeline with both descriptor sets and pushes all constants. `wavePeriod`: world units.
void bindVoxelPass(const DeviceFunctions& fn, const PassPipeline& pipeline, VkCommandBuffer commands,
                   const SceneUniforms& scene, const RenderView& view, VkDescriptorSet poolSet,
                   const voxel::GridPlacement& placement, double wavePeriod, VkRect2D area);

/// Where the scene's origin is in the grid.
gpu::GpuVoxelPush voxelPushOf(WorldPosition origin, const voxel::GridPlacement& placement, double wavePeriod);

}  // namespace karst::render
