#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/scene_uniforms.h>

#include <memory>

namespace karst::render {

/// Draws the sky where the depth is still 0 (infinitely far): one full-screen triangle, after the terrain.
/// Below the horizon it is a hazy plain of bare earth at TerrainMaterialRules::lowHeight, so that a hole in
/// the ground looks dark and the ground's edge does not float in the sky.
///
/// Threads: record may be called from several threads with different command buffers.
class SkyPass {
  public:
    /// Fails with InvalidArgument for a format that it cannot draw, with DeviceLost where the device refuses.
    static Result<SkyPass> create(const VulkanDevice& device, const SceneUniforms& scene,
                                  const AttachmentFormats& formats);
    SkyPass(SkyPass&&) noexcept;
    SkyPass& operator=(SkyPass&&) noexcept;
    ~SkyPass();

    /// Records one draw inside a rendering scope; sets viewport and scissor to `area`. `area` must be the one
    /// whose aspect the camera has.
    void record(VkCommandBuffer commands, const SceneUniforms& scene, VkRect2D area) const;

  private:
    struct Impl;
    explicit SkyPass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
