// What of the viewer takes in what the user wants, and does it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "viewer.h"

namespace karst::viewer {

namespace {

// How often a brush works while its button is held.
constexpr double kUseInterval = 0.1;

}  // namespace

void Viewer::readKeys() {
    Requests& requests = m_state.requests;
    const Input& input = *m_input;
    requests.undo |= input.pressed(Action::Undo);
    requests.redo |= input.pressed(Action::Redo);
    requests.save |= input.pressed(Action::Save);
    requests.screenshot |= input.pressed(Action::Screenshot);
    requests.drop |= input.pressed(Action::Drop);
    requests.walk |= input.pressed(Action::Walk);
    requests.quit |= input.pressed(Action::Quit);
    if (input.pressed(Action::Panels)) m_state.showPanels = !m_state.showPanels;
    if (input.pressed(Action::Shadows)) m_state.shadows = !m_state.shadows;
    if (input.pressed(Action::Diagnostic)) {
        const auto next = static_cast<std::uint8_t>(m_state.diagnostic) + 1;
        m_state.diagnostic = static_cast<DiagnosticMode>(next % static_cast<int>(DiagnosticMode::Count));
        if (m_state.diagnostic == DiagnosticMode::Wireframe && !m_state.canWireframe)
            m_state.diagnostic = DiagnosticMode::Overdraw;
        tell(std::string("mode: ") + kDiagnosticNames[static_cast<std::size_t>(m_state.diagnostic)]);
    }
    if (input.pressed(Action::Help)) m_state.showHelp = !m_state.showHelp;
    if (!m_ground) return;
    constexpr std::pair<Action, Tool> kTools[] = {
        {Action::ToolLook, Tool::Look},     {Action::ToolDig, Tool::Dig},
        {Action::ToolFill, Tool::Fill},     {Action::ToolPaint, Tool::Paint},
        {Action::ToolSmooth, Tool::Smooth}, {Action::ToolCrater, Tool::Crater}};
    for (const auto& [action, tool] : kTools) {
        const auto tools = m_ground->tools();
        if (!input.pressed(action)) continue;
        if (std::find(tools.begin(), tools.end(), tool) != tools.end()) {
            m_state.brush.tool = tool;
        } else {
            tell(std::string(toolName(tool)) + " is not for this ground");
        }
    }
}

void Viewer::moveCamera(double seconds) {
    if (!m_cameraPlaced) return;
    m_state.camera.look(*m_input);
    if (m_state.brush.tool != Tool::Look && m_input->wheel() != 0) {
        m_state.brush.radius = std::max(m_ground->spacing() * 0.5,
                                        m_state.brush.radius * std::pow(1.15, double{m_input->wheel()}));
    }
    if (!m_play->walking()) m_state.camera.fly(*m_input, seconds, m_state.brush.tool == Tool::Look);
}

void Viewer::useTool() {
    m_pointed.reset();
    if (!m_ground || !m_cameraPlaced) return;
    const BrushSettings& brush = m_state.brush;
    if (brush.tool != Tool::Look) {
        const VkExtent2D size = m_window->framebufferSize();
        if (size.width == 0) return;
        const CameraPose& pose = m_state.camera.pose;
        const Vec3d direction =
            pose.rayThrough(m_input->mouse(), size.width, size.height, m_state.verticalFov);
        m_pointed = m_ground->castRay({pose.position, direction}, length(m_ground->bounds().size()) * 4);
    }
    if (!m_input->leftHeld() || !m_pointed) {
        if (m_stroke) m_ground->endStroke();
        m_stroke = false;
        return;
    }
    const bool again = m_stroke && brush.tool != Tool::Crater && m_sinceUse >= kUseInterval;
    if (!m_input->leftPressed() && !again) return;
    if (!m_stroke) m_ground->beginStroke();
    m_stroke = true;
    m_sinceUse = 0;
    ToolUse use{brush.tool, m_pointed->position, brush.radius, double{brush.strength},
                static_cast<std::uint8_t>(brush.material)};
    if (auto used = m_ground->use(use); !used) return tellError(used.error());
    ++m_edits;
}

void Viewer::answerRequests() {
    const Requests requests = std::exchange(m_state.requests, {});
    if (requests.quit) m_window->close();
    if (!requests.open.empty()) {
        OpenRequest open = m_options.open;
        if (open.file != requests.open) open.craters.clear();
        open.file = requests.open;
        m_loader->start(open);
    }
    if (requests.screenshot) m_swapchain->requestCapture();
    if (!m_ground) return;
    if (requests.wholeView && m_ground->ready()) placeCamera();
    if (requests.walk && m_cameraPlaced) {
        auto set = m_play->setWalking(!m_play->walking(), m_state.camera.pose);
        set ? tell(m_play->walking() ? "walking" : "flying") : tellError(set.error());
    }
    if (requests.drop && m_cameraPlaced) {
        auto dropped = m_play->drop(m_state.camera.pose);
        dropped ? tell("bodies fall") : tellError(dropped.error());
    }
    if (requests.clearBodies) m_play->clearBodies();
    if (requests.undo && m_ground->undoCount() > 0) {
        if (auto undone = m_ground->undo(); !undone) {
            tellError(undone.error());
        } else {
            tell("undone, " + std::to_string(m_ground->undoCount()) + " left");
        }
    }
    if (requests.redo && m_ground->redoCount() > 0) {
        if (auto redone = m_ground->redo(); !redone) {
            tellError(redone.error());
        } else {
            tell("done again, " + std::to_string(m_ground->redoCount()) + " left");
        }
    }
    if (requests.save || !requests.saveAs.empty()) {
        auto saved = requests.save ? m_ground->save() : m_ground->saveAs(requests.saveAs);
        saved ? tell(*saved) : tellError(saved.error());
    }
}

}  // namespace karst::viewer
