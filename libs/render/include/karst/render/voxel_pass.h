#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/render_view.h>
#include <karst/render/scene_uniforms.h>
#include <karst/render/voxel_pool.h>

#include <cstdint>
#include <memory>

namespace karst::render {

struct VoxelPassDesc {
    PassTarget target;
};

/// What one record of VoxelPass or WaterPass drew.
struct VoxelDrawStats {
    std::uint32_t calls = 0;      ///< draw calls: at most 4
    std::uint32_t draws = 0;      ///< runs of triangles in them
    std::uint32_t chunks = 0;     ///< whose boxes reach the view
    std::uint64_t triangles = 0;  ///< with those that lie between chunks and are drawn along
};

/// Draws the solid ground of a pool's chunks, of every PassKind, in at most four draw calls: four blended
/// materials by the vertices' weights (spec row V14), skirts like the ground that they hang from (V19). Both
/// sides are drawn.
///
/// Threads: record may be called from several threads with different command buffers.
class VoxelPass {
  public:
    /// Fails with InvalidArgument for a target that it cannot draw into, DeviceLost where the device refuses.
    /// Draws any pool of the device; of PassKind::Visibility, any whose blocks the device reads as storage
    /// (VoxelPoolDesc::solidBytes), else it refuses, and later draws nothing.
    static Result<VoxelPass> create(const VulkanDevice& device, const SceneUniforms& scene,
                                    const VoxelPool& pool, const VoxelPassDesc& desc);
    VoxelPass(VoxelPass&&) noexcept;
    VoxelPass& operator=(VoxelPass&&) noexcept;
    ~VoxelPass();

    /// Records the draws of `draws.solid` inside a rendering scope with the attachments of the desc's target;
    /// sets viewport and scissor to `area`. `view`: the scene's camera, or one of its shadows; `draws`: what
    /// pool.prepare gave for its frustum this frame.
    VoxelDrawStats record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                          const VoxelPool& pool, const VoxelDraws& draws, VkRect2D area) const;

  private:
    struct Impl;
    explicit VoxelPass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
