#pragma once

#include <karst/base/camera_view.h>
#include <karst/base/result.h>
#include <karst/render/scene_uniforms.h>

#include <cstdint>

namespace karst::viewer {

struct DrawStats {
    std::uint32_t draws = 0;
    std::uint64_t triangles = 0;
    std::uint64_t uploadedBytes = 0;  ///< in the last frame
    std::uint64_t deviceBytes = 0;    ///< held for the ground
};

/// Draws the ground; how is its own matter. Threads: one at a time.
class GroundDrawing {
  public:
    virtual ~GroundDrawing() = default;

    /// World position of what it draws as (0, 0, 0).
    virtual WorldPosition origin() const = 0;
    /// Records uploads, before the rendering scope of a frame. `slot`: of the frames in flight; the GPU is
    /// done with what the slot drew last.
    virtual Result<void> prepare(VkCommandBuffer commands, const CameraView& camera,
                                 double viewportHeight) = 0;
    virtual void drawSolid(VkCommandBuffer commands, const render::SceneUniforms& scene, VkRect2D area) = 0;
    /// After the sky.
    virtual void drawWater(VkCommandBuffer commands, const render::SceneUniforms& scene, VkRect2D area) = 0;
    virtual DrawStats stats() const = 0;
};

}  // namespace karst::viewer
