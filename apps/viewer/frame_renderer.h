#pragma once

#include <common/gpu_picture.h>
#include <common/swapchain.h>
#include <karst/render/sky_pass.h>

#include <array>

#include "frame_timer.h"
#include "ground_drawing.h"
#include "imgui_pass.h"

namespace karst::viewer {

/// Draws one frame into the swapchain: ground, sky, water, panels. Holds what all of that shares.
///
/// Threads: one at a time. Context and swapchain must outlive it.
class FrameRenderer {
  public:
    /// `samples`: 1 or 4.
    static Result<FrameRenderer> create(app::VulkanContext& context, app::Swapchain& swapchain,
                                        VkSampleCountFlagBits samples);

    /// What drawings of these frames are made with.
    DrawingContext drawingContext(const Externals& externals) const;

    /// What is drawn; null where it is not there.
    struct Content {
        render::SceneSettings settings;
        std::array<GroundDrawing*, 2> drawings{};
        bool wireframe = false;  ///< over the rest
        bool overdraw = false;   ///< instead of the rest
        const ImDrawData* panels = nullptr;
    };
    Result<void> draw(const app::Swapchain::Frame& frame, const Content& content);

    const FrameTimer& timer() const { return m_timer; }

  private:
    FrameRenderer(app::VulkanContext& context, app::Swapchain& swapchain, VkSampleCountFlagBits samples,
                  render::SceneUniforms scene, render::SkyPass sky, ImGuiPass panels, FrameTimer timer)
        : m_context(&context),
          m_swapchain(&swapchain),
          m_samples(samples),
          m_scene(std::move(scene)),
          m_sky(std::move(sky)),
          m_panels(std::move(panels)),
          m_timer(std::move(timer)) {}
    Result<void> createAttachments(VkExtent2D extent);
    void drawShadows(VkCommandBuffer commands, const Content& content);
    void beginScene(const app::Swapchain::Frame& frame);
    void drawScene(VkCommandBuffer commands, const Content& content, VkRect2D area);
    void beginPanels(const app::Swapchain::Frame& frame);

    app::VulkanContext* m_context;
    app::Swapchain* m_swapchain;
    VkSampleCountFlagBits m_samples;
    render::SceneUniforms m_scene;
    render::SkyPass m_sky;
    ImGuiPass m_panels;
    FrameTimer m_timer;
    VkExtent2D m_extent{};
    app::GpuPicture m_depth, m_color;  // the colour only where multisampled
};

}  // namespace karst::viewer
