#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/render_view.h>
#include <karst/render/scene_settings.h>
#include <karst/render/shadow_maps.h>

#include <memory>

namespace karst::render {

/// The settings of one view where the shaders read them, the shadow maps, and the noise that surfaces are
/// mottled by: one small device buffer, three images and their descriptor set. The noise takes 1.2 MB of the
/// device's memory and as much that the host can see.
///
/// Several views may share one object in one command buffer: update, draw, update, draw. The GPU must be done
/// with all that was recorded with it before it is destroyed.
///
/// Threads: one at a time.
class SceneUniforms {
  public:
    /// Fails with DeviceLost where the device is not a Vulkan 1.3 one or is out of memory, and with
    /// InvalidArgument where a handle is null.
    static Result<SceneUniforms> create(const VulkanDevice& device, const ShadowMapsDesc& shadows = {});
    SceneUniforms(SceneUniforms&&) noexcept;
    SceneUniforms& operator=(SceneUniforms&&) noexcept;
    ~SceneUniforms();

    /// Records the write of the settings; outside of a rendering scope. What is recorded after it, on the
    /// same queue, sees them. Refused, recording nothing, where a setting is outside its range; the error
    /// names it.
    Result<void> recordUpdate(VkCommandBuffer commands, const SceneSettings& settings);

    /// Of the last recordUpdate: the camera, what positions are relative to, and the cascades.
    const RenderView& camera() const;
    WorldPosition origin() const;
    const CascadeViews& cascades() const;

    ShadowMaps& shadowMaps();
    const ShadowMaps& shadowMaps() const;

    VkDescriptorSetLayout descriptorSetLayout() const;
    VkDescriptorSet descriptorSet() const;

  private:
    struct Impl;
    explicit SceneUniforms(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
