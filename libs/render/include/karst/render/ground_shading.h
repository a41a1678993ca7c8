#pragma once

#include <karst/render/tile_terrain.h>
#include <karst/render/voxel_pool.h>

#include <cstdint>
#include <memory>

namespace karst::render {

/// What a GroundShading reads and writes: images of one size, one sample, one layer.
struct ShadingImages {
    /// Of kVisibilityFormat, drawn by PassKind::Visibility; in the layout SHADER_READ_ONLY_OPTIMAL.
    VkImageView visibility = VK_NULL_HANDLE;
    /// The depth drawn with it, the depth aspect; in the layout SHADER_READ_ONLY_OPTIMAL.
    VkImageView depth = VK_NULL_HANDLE;
    /// R8G8B8A8_UNORM with usage STORAGE, in the layout GENERAL: gets colours that are sRGB-encoded already.
    /// An image of R8G8B8A8_SRGB takes such a view where it was made with MUTABLE_FORMAT and EXTENDED_USAGE.
    VkImageView color = VK_NULL_HANDLE;
};

/// Lights height tiles and voxel ground by compute, each pixel once, from what passes of PassKind::Visibility
/// drew. The same picture as PassKind::Lit within a few steps of colour; much faster where triangles are
/// small, as their edges make fragments that no pixel gets, and where a device has more compute than fragment
/// units.
///
/// Each frame: record the Visibility passes of both grounds in one rendering scope (after a depth pre-pass,
/// or alone), end it, barriers to the layouts above, record the shading of each, a barrier to what comes
/// next. The pixels that neither has are left as they are. What is neither, as the sky and water, is drawn
/// before or after, with the same depth.
///
/// Threads: immutable after creation, but for bind.
class GroundShading {
  public:
    /// `targets`: how many sets of images bind holds, 1..64.
    static Result<GroundShading> create(const VulkanDevice& device, const SceneUniforms& scene,
                                        std::uint32_t targets = 1);
    GroundShading(GroundShading&&) noexcept;
    GroundShading& operator=(GroundShading&&) noexcept;
    ~GroundShading();

    /// Says which images target `index` stands for; the GPU must be done with what was recorded for that
    /// target. Fails with InvalidArgument for an index out of range or a null view.
    Result<void> bind(std::uint32_t index, const ShadingImages& images);

    /// Records the shading of the tiles of view `view` of the terrain's last prepare, a camera's, outside of
    /// a rendering scope. `area`: as the visibility was drawn. Needs a transform that is not collapsed; draws
    /// nothing then. Asserts that the target was bound.
    void recordTiles(VkCommandBuffer commands, const SceneUniforms& scene, const TileTerrain& terrain,
                     std::size_t view, std::uint32_t target, VkRect2D area) const;
    /// The same of a pool's ground, seen by `view`, as of its last recordUploads. Draws nothing where the
    /// pool has no ground.
    void recordVoxels(VkCommandBuffer commands, const SceneUniforms& scene, const RenderView& view,
                      const VoxelPool& pool, std::uint32_t target, VkRect2D area) const;

  private:
    struct Impl;
    explicit GroundShading(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
