#pragma once

#include <karst/render/ground_shading.h>
#include <karst/render/render_view.h>

#include <initializer_list>

#include "gpu_clock.h"

namespace karst::bench {

/// One colour and one depth image, without multisampling, that passes are timed into; and what shading by
/// compute reads and writes.
class GpuTarget {
  public:
    GpuTarget(app::VulkanContext& context, std::uint32_t width, std::uint32_t height);
    GpuTarget(const GpuTarget&) = delete;
    GpuTarget& operator=(const GpuTarget&) = delete;
    ~GpuTarget();

    render::AttachmentFormats formats() const {
        return {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT};
    }
    render::PassTarget visibility() const {
        return {render::PassKind::Visibility,
                {VK_FORMAT_UNDEFINED, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT}};
    }
    VkRect2D area() const { return {{0, 0}, m_extent}; }

    /// Begins a rendering scope after all before it. `clear`: both images, else they are kept.
    void begin(VkCommandBuffer commands, bool color, bool clear);
    void end(VkCommandBuffer commands) { vkCmdEndRendering(commands); }

    /// Begins a scope of visibility, cleared, with the depth that is there; end it with endVisibility, which
    /// makes all ready for the shading.
    void beginVisibility(VkCommandBuffer commands);
    void endVisibility(VkCommandBuffer commands);
    /// After the shading: depth can be drawn into again.
    void releaseDepth(VkCommandBuffer commands);
    render::ShadingImages shadingImages() const { return {m_seen.view, m_depth.view, m_shaded.view}; }

  private:
    struct Attachment {
        VkImage image = VK_NULL_HANDLE;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        VkImageView view = VK_NULL_HANDLE;
    };
    Attachment make(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect);

    struct Change {
        const Attachment* image;
        VkImageLayout from, to;
    };
    /// All of them at once, after and before everything.
    void barriers(VkCommandBuffer commands, std::initializer_list<Change> changes) const;
    void beginScope(VkCommandBuffer commands, const Attachment* color, bool clearColor, bool clearDepth);

    app::VulkanContext* m_context;
    VkExtent2D m_extent;
    Attachment m_color, m_depth, m_seen, m_shaded;
};

/// Draws triangles that are in clip space already with one flat colour: what a pass is compared with.
class FloorPass {
  public:
    FloorPass(app::VulkanContext& context, const GpuTarget& target, bool color);
    FloorPass(const FloorPass&) = delete;
    FloorPass& operator=(const FloorPass&) = delete;
    ~FloorPass();

    void record(VkCommandBuffer commands, VkRect2D area, VkBuffer clip, VkBuffer indices,
                std::uint32_t count) const;

  private:
    app::VulkanContext* m_context;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

}  // namespace karst::bench
