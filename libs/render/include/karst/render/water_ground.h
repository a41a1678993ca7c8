#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>

#include <memory>

namespace karst::render {

struct WaterGroundDesc {
    /// The depth aspect of a two-dimensional image of one sample, reverse-Z as the camera's pass wrote it,
    /// with VK_IMAGE_USAGE_SAMPLED_BIT: a pixel for each of the target's. Of a multisampled target, its depth
    /// resolved.
    VkImageView depth = VK_NULL_HANDLE;
    /// Its layout while water is drawn: one that may be sampled.
    VkImageLayout layout = VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
};

/// What lies under the water, for WaterPass::record: the depth of all that is opaque, from the depth pre-pass
/// or from the lit pass. It may be the very image that water is tested against, where both the attachment and
/// this are in a read-only layout; else a copy.
///
/// The view must outlive it, and the GPU must be done with all that was recorded with it before it is
/// destroyed: make one for each depth image, again when the target's size changes.
///
/// Threads: any, once made.
class WaterGround {
  public:
    /// Fails with InvalidArgument where the view is null, DeviceLost where the device refuses.
    static Result<WaterGround> create(const VulkanDevice& device, const WaterGroundDesc& desc);
    WaterGround(WaterGround&&) noexcept;
    WaterGround& operator=(WaterGround&&) noexcept;
    ~WaterGround();

  private:
    friend class WaterPass;
    struct Impl;
    explicit WaterGround(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
