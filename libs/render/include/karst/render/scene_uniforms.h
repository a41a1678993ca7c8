#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/scene_settings.h>

#include <memory>

namespace karst::render {

/// The settings of one view where the shaders read them: one small device buffer and its descriptor set.
///
/// Several views may share one object in one command buffer: update, draw, update, draw. The GPU must be done
/// with all that was recorded with it before it is destroyed.
///
/// Threads: one at a time.
class SceneUniforms {
  public:
    /// Fails with DeviceLost where the device is not a Vulkan 1.3 one or is out of memory, and with
    /// InvalidArgument where a handle is null.
    static Result<SceneUniforms> create(const VulkanDevice& device);
    SceneUniforms(SceneUniforms&&) noexcept;
    SceneUniforms& operator=(SceneUniforms&&) noexcept;
    ~SceneUniforms();

    /// Records the write of the settings; outside of a rendering scope. What is recorded after it, on the
    /// same queue, sees them. Refused, recording nothing, where a setting is outside its range; the error
    /// names it.
    Result<void> recordUpdate(VkCommandBuffer commands, const SceneSettings& settings);

    VkDescriptorSetLayout descriptorSetLayout() const;
    VkDescriptorSet descriptorSet() const;

  private:
    struct Impl;
    explicit SceneUniforms(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
