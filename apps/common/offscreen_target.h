#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>

#include <cstdint>
#include <vector>

#include "common/gpu_picture.h"
#include "common/host_buffer.h"
#include "common/image_file.h"
#include "common/vulkan_context.h"

namespace karst::app {

struct OffscreenTargetDesc {
    int width = 0;                                          ///< 1 .. the device's limit
    int height = 0;                                         ///< 1 .. the device's limit
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;  ///< 1 or 4: every device has both
    VkFormat colorFormat = VK_FORMAT_R8G8B8A8_SRGB;         ///< an 8-bit RGBA format
};

/// A picture without a window: colour and D32_SFLOAT depth, multisampled and resolved, and read back.
/// The context must outlive it.
///
/// Threads: one at a time.
class OffscreenTarget {
  public:
    static Result<OffscreenTarget> create(VulkanContext& context, const OffscreenTargetDesc& desc);
    OffscreenTarget(OffscreenTarget&&) noexcept = default;
    OffscreenTarget& operator=(OffscreenTarget&&) = delete;

    render::AttachmentFormats formats() const {
        return {m_desc.colorFormat, VK_FORMAT_D32_SFLOAT, m_desc.samples};
    }
    VkRect2D area() const;
    double aspect() const { return static_cast<double>(m_desc.width) / m_desc.height; }

    /// Begins a rendering scope, colour cleared to black and depth to 0 (infinitely far).
    void beginRendering(VkCommandBuffer commands);
    /// Ends it and begins another over the same contents, in which depth can be sampled as depthView() and is
    /// only tested: what is drawn next must not write it. Once in a beginRendering.
    void continueRendering(VkCommandBuffer commands);
    /// The depth drawn before continueRendering, one sample a pixel, in VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL.
    VkImageView depthView() const { return m_depth.view(); }
    /// Ends it (resolving) and records the copies that image() and depth() read once the GPU is done.
    void endRendering(VkCommandBuffer commands);

    /// Rows from the top, as the bytes that the target holds.
    Image image() const;
    /// width * height reversed depths; of a multisampled target, each pixel's first sample.
    std::vector<float> depth() const;

  private:
    explicit OffscreenTarget(VulkanContext& context, const OffscreenTargetDesc& desc)
        : m_context(&context), m_desc(desc) {}
    Result<void> createAll();
    /// `goesOn`: over the contents of the scope before, depth read only.
    void beginScope(VkCommandBuffer commands, bool goesOn);
    void recordScopeBarriers(VkCommandBuffer commands, bool goesOn);
    bool multisampled() const { return m_desc.samples != VK_SAMPLE_COUNT_1_BIT; }

    VulkanContext* m_context;
    OffscreenTargetDesc m_desc;
    GpuPicture m_color, m_depth;                // one sample, read back
    GpuPicture m_colorSamples, m_depthSamples;  // where multisampled
    HostBuffer m_colorBytes, m_depthBytes;
    bool m_continued = false;
};

}  // namespace karst::app
