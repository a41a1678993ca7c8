#pragma once

#include <karst/base/math.h>
#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/node_mesh_buffers.h>
#include <karst/render/scene_uniforms.h>

#include <array>
#include <cstdint>
#include <memory>

namespace karst::render {

/// A vertex of a mesh that brings its colour: 36 bytes.
struct MeshVertex {
    Vec3f position;  ///< in the world of the scene's camera
    Vec3f normal;    ///< of length 1, out of what is solid
    /// Linear RGB and opacity, 65535 = 1. What is not opaque also mirrors the sky.
    std::array<std::uint16_t, 4> color{0, 0, 0, 65535};
    /// How much of the sun's and of the sky's light reaches it, 65535 = all.
    std::array<std::uint16_t, 2> light{65535, 65535};
};
static_assert(sizeof(MeshVertex) == 36);

struct MeshPassDesc {
    PassTarget target;
    /// Blends over what is drawn already, by the vertices' opacity, and leaves the depth as it is: for water,
    /// after the sky. Else everything is opaque.
    bool translucent = false;
};

/// Draws triangles counter-clockwise seen from the air, lit by sun and sky, in their vertices' colours. Both
/// sides are drawn.
///
/// Threads: record may be called from several threads with different command buffers.
class MeshPass {
  public:
    /// Fails with InvalidArgument for a format that it cannot draw, with DeviceLost where the device refuses.
    static Result<MeshPass> create(const VulkanDevice& device, const SceneUniforms& scene,
                                   const MeshPassDesc& desc);
    MeshPass(MeshPass&&) noexcept;
    MeshPass& operator=(MeshPass&&) noexcept;
    ~MeshPass();

    /// Records one indexed draw (none where indexCount is 0) inside a rendering scope; sets viewport and
    /// scissor to `area`. The buffers hold MeshVertex and 32-bit indices.
    /// `view`: the scene's camera, or one of its shadows.
    void record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                const NodeMeshBuffers& buffers, std::uint32_t firstIndex, std::uint32_t indexCount,
                VkRect2D area) const;

  private:
    struct Impl;
    explicit MeshPass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
