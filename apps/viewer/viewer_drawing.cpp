// What of the viewer draws a frame and keeps its picture.
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "viewer.h"

namespace karst::viewer {

Result<void> Viewer::drawFrame(const ImDrawData* panels) {
    auto begun = m_swapchain->begin(m_window->framebufferSize());
    if (!begun) return begun.error();
    if (!*begun) return {};
    const app::Swapchain::Frame& frame = **begun;
    const auto start = std::chrono::steady_clock::now();
    FrameRenderer::Content content;
    content.panels = panels;
    const double aspect = static_cast<double>(frame.extent.width) / frame.extent.height;
    if (m_ground && m_drawing && m_cameraPlaced) {
        render::SceneSettings& settings = content.settings;
        settings = sceneLook(m_ground->bounds(), m_ground->spacing(), m_state.day);
        settings.camera = m_state.camera.pose.view(m_state.verticalFov, aspect, nearPlane());
        settings.time = m_seconds;
        if (m_state.shadows) addShadows(m_ground->bounds(), m_ground->spacing(), settings);
        if (m_state.diagnostic < DiagnosticMode::Wireframe)
            settings.diagnostic = static_cast<render::Diagnostic>(m_state.diagnostic);
        content.wireframe = m_state.diagnostic == DiagnosticMode::Wireframe;
        content.overdraw = m_state.diagnostic == DiagnosticMode::Overdraw;
        content.drawings = {m_drawing.get(), m_bodies.get()};
    }
    if (auto drawn = m_renderer->draw(frame, content); !drawn) return drawn;
    auto& graphs = m_state.times.graphs;
    graphs[FrameTimes::Record].push(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    const auto& gpu = m_renderer->timer().milliseconds();
    graphs[FrameTimes::GpuUpload].push(gpu[FrameTimer::Upload]);
    graphs[FrameTimes::GpuShadows].push(gpu[FrameTimer::Shadows]);
    graphs[FrameTimes::GpuSolid].push(gpu[FrameTimer::Solid]);
    graphs[FrameTimes::GpuSky].push(gpu[FrameTimer::Sky]);
    graphs[FrameTimes::GpuPanels].push(gpu[FrameTimer::Panels]);
    if (auto ended = m_swapchain->end(frame); !ended) return ended;
    return m_swapchain->capturePending() ? keepScreenshot() : Result<void>();
}

Result<void> Viewer::keepScreenshot() {
    auto image = m_swapchain->takeCapture();
    if (!image) {
        tellError(image.error());
        return {};
    }
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::path path;
    do {
        char name[40];
        std::snprintf(name, sizeof name, "karst-viewer-%03u.png", ++m_pictures);
        path = fs::path(m_options.pictures) / name;
    } while (fs::exists(path, ignored));
    if (auto written = app::writePng(path, **image); !written) {
        tellError(written.error());
        return {};
    }
    const CameraPose& pose = m_state.camera.pose;
    char where[200];
    std::snprintf(where, sizeof where, " camera %.3f,%.3f,%.3f yaw %.4f pitch %.4f edits %u%s",
                  pose.position.x, pose.position.y, pose.position.z, pose.yaw, pose.pitch, m_edits,
                  settled() ? " settled" : "");
    tell("screenshot " + path.string() + where);
    return {};
}

}  // namespace karst::viewer
