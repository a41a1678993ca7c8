#pragma once

#include <karst/render/voxel_pass.h>
#include <karst/render/water_ground.h>

#include <memory>

namespace karst::render {

struct WaterPassDesc {
    PassTarget target;  ///< Lit, GBuffer, Wireframe or Overdraw
};

/// Draws the water of a pool's chunks: sheets and open sides (spec row V29). Lit water blends over what is
/// drawn already, the sky too, and leaves the depth as it is; in a G-buffer it is opaque. Waves move the
/// sheets up and down in the vertex stage, as far as the vertices' fade lets them, which is not at all at a
/// sheet's edge; nothing else moves (V31). SceneSettings::time moves the waves.
///
/// Lit water that is told the depth of what lies under it (WaterGround) is the darker and the less clear the
/// farther one looks through it, until the ground; else it is told by its vertices' fade how near the shore
/// it is. Falling water looks the same either way.
///
/// Threads: record may be called from several threads with different command buffers.
class WaterPass {
  public:
    /// Fails with InvalidArgument for a target that it cannot draw into, DeviceLost where the device refuses.
    static Result<WaterPass> create(const VulkanDevice& device, const SceneUniforms& scene,
                                    const VoxelPool& pool, const WaterPassDesc& desc);
    WaterPass(WaterPass&&) noexcept;
    WaterPass& operator=(WaterPass&&) noexcept;
    ~WaterPass();

    /// As VoxelPass::record, of `draws.water`. `ground`: what lies under the water, or null; kinds other than
    /// Lit do not read it. Where it is the depth attachment itself, that is in a read-only layout.
    VoxelDrawStats record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                          const VoxelPool& pool, const VoxelDraws& draws, VkRect2D area,
                          const WaterGround* ground = nullptr) const;

  private:
    struct Impl;
    explicit WaterPass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
