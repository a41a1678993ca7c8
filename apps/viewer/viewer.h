#pragma once

#include <common/swapchain.h>
#include <common/window.h>
#include <karst/base/thread_pool.h>

#include <memory>

#include "body_drawing.h"
#include "frame_renderer.h"
#include "gui.h"
#include "loader.h"
#include "options.h"
#include "play.h"
#include "viewer_state.h"

namespace karst::viewer {

/// The window and all that goes on in it: takes the user's input, has the ground streamed and edited, and has
/// a frame drawn.
///
/// Threads: the main one.
class Viewer {
  public:
    /// NotFound where there is no display, DeviceLost where no Vulkan 1.3 device draws into its windows.
    static Result<std::unique_ptr<Viewer>> create(const ViewerOptions& options);
    ~Viewer();

    /// Until the window is closed. An error is one that ends the program.
    Result<void> run();

    /// What the validation layer said.
    std::shared_ptr<const app::ValidationMessages> messages() const { return m_context->messages(); }

  private:
    explicit Viewer(const ViewerOptions& options);
    Result<void> createAll();
    Result<void> frame(double seconds);
    void takeOpened();
    Result<void> show(std::unique_ptr<Ground> ground);
    Result<void> updateGround(double seconds);
    void readKeys();
    void moveCamera(double seconds);
    void useTool();
    void showPanels();
    void answerRequests();
    void placeCamera();
    void tell(const std::string& message, bool error = false);
    void tellError(const Error& error) { tell(error.message, true); }
    Result<void> drawFrame(const ImDrawData* panels);
    Result<void> keepScreenshot();
    double nearPlane() const;
    bool settled() const;

    ViewerOptions m_options;
    ThreadPool m_threads;
    Externals m_externals;
    std::unique_ptr<app::Window> m_window;
    std::unique_ptr<Input> m_input;
    std::unique_ptr<Gui> m_gui;
    std::unique_ptr<app::VulkanContext> m_context;
    std::unique_ptr<app::Swapchain> m_swapchain;
    std::unique_ptr<FrameRenderer> m_renderer;
    std::unique_ptr<Ground> m_ground;
    std::unique_ptr<GroundDrawing> m_drawing;
    std::unique_ptr<BodyDrawing> m_bodies;
    std::unique_ptr<Play> m_play;
    std::unique_ptr<Loader> m_loader;
    ViewerState m_state;
    std::optional<GroundHit> m_pointed;  // what the mouse points at
    bool m_cameraPlaced = false, m_settledTold = false, m_stroke = false;
    double m_sinceUse = 0, m_seconds = 0;
    std::uint32_t m_edits = 0, m_pictures = 0;
};

}  // namespace karst::viewer
