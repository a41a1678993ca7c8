#pragma once

#include <karst/base/result.h>
#include <karst/heightfield_mesh/vertex_layout.h>
#include <karst/render/device.h>
#include <karst/render/node_mesh_buffers.h>
#include <karst/render/scene_uniforms.h>

#include <cstdint>
#include <memory>

namespace karst::render {

struct TerrainPassDesc {
    PassTarget target;
    heightfield::VertexLayout layout;  ///< needs a position and a normal
    /// Which way triangles run, seen from above. Both sides are drawn; the underside in the earth's colour.
    VkFrontFace frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
};

/// What one record drew.
struct TerrainDrawStats {
    std::uint32_t draws = 0;
    std::uint32_t indices = 0;
    std::uint32_t triangles = 0;  ///< degenerate ones included
};

/// Draws the whole node pool as one indexed draw, lit by sun and sky, coloured by height and slope, with
/// depth (reverse-Z, greater or equal).
///
/// Threads: record may be called from several threads with different command buffers.
class TerrainPass {
  public:
    /// Fails with InvalidArgument for a layout or format that it cannot draw, by name; with DeviceLost where
    /// the device refuses.
    static Result<TerrainPass> create(const VulkanDevice& device, const SceneUniforms& scene,
                                      const TerrainPassDesc& desc);
    TerrainPass(TerrainPass&&) noexcept;
    TerrainPass& operator=(TerrainPass&&) noexcept;
    ~TerrainPass();

    /// Records exactly one vkCmdDrawIndexed of the first indexCount indices (none where it is 0), inside a
    /// rendering scope with the attachments of the desc's target. Sets viewport and scissor to `area`; leaves
    /// its pipeline, buffers and descriptor set 0 bound. `view`: the scene's camera, or one of its shadows.
    TerrainDrawStats record(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                            const NodeMeshBuffers& buffers, std::uint32_t indexCount, VkRect2D area) const;

  private:
    struct Impl;
    explicit TerrainPass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
