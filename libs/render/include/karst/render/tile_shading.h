#pragma once

#include <karst/render/tile_terrain.h>

#include <cstdint>
#include <memory>

namespace karst::render {

/// What a TileShading reads and writes: images of one size, one sample, one layer.
struct TileShadingImages {
    /// Of kVisibilityFormat, drawn by PassKind::Visibility; in the layout SHADER_READ_ONLY_OPTIMAL.
    VkImageView visibility = VK_NULL_HANDLE;
    /// The depth drawn with it, the depth aspect; in the layout SHADER_READ_ONLY_OPTIMAL.
    VkImageView depth = VK_NULL_HANDLE;
    /// R8G8B8A8_UNORM with usage STORAGE, in the layout GENERAL: gets colours that are sRGB-encoded already.
    /// An image of R8G8B8A8_SRGB takes such a view where it was made with MUTABLE_FORMAT and EXTENDED_USAGE.
    VkImageView color = VK_NULL_HANDLE;
};

/// Lights height tiles by compute, each pixel once, from what a TilePass of PassKind::Visibility drew. The
/// same picture as PassKind::Lit within a few steps of colour; much faster where triangles are small, as
/// their edges make fragments that no pixel gets, and where a device has more compute than fragment units.
///
/// Each frame: TileTerrain::record with a Visibility pass (after a depth pre-pass, or alone), end the
/// rendering scope, barriers to the layouts above, record, a barrier to what comes next. Pixels that no tile
/// has are left as they are. What is not a tile is drawn before or after, with the same depth.
///
/// Threads: immutable after creation, but for bind.
class TileShading {
  public:
    /// `targets`: how many sets of images bind holds, 1..64.
    static Result<TileShading> create(const VulkanDevice& device, const SceneUniforms& scene,
                                      std::uint32_t targets = 1);
    TileShading(TileShading&&) noexcept;
    TileShading& operator=(TileShading&&) noexcept;
    ~TileShading();

    /// Says which images target `index` stands for; the GPU must be done with what was recorded for that
    /// target. Fails with InvalidArgument for an index out of range or a null view.
    Result<void> bind(std::uint32_t index, const TileShadingImages& images);

    /// Records the shading of view `view` of the terrain's last prepare, a camera's, outside of a rendering
    /// scope. `area`: as the visibility was drawn. Needs a transform that is not collapsed; draws nothing
    /// then. Asserts that the target was bound.
    void record(VkCommandBuffer commands, const SceneUniforms& scene, const TileTerrain& terrain,
                std::size_t view, std::uint32_t target, VkRect2D area) const;

  private:
    struct Impl;
    explicit TileShading(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
