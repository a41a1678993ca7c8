#pragma once

#include <karst/base/result.h>

struct GLFWwindow;
struct ImDrawData;

namespace karst::viewer {

/// Dear ImGui's context, fed by the window. Make it after Input, whose callbacks it calls on.
///
/// Threads: the main one; one at a time in a process.
class Gui {
  public:
    explicit Gui(GLFWwindow* window);
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    bool wantsKeyboard() const;  ///< a field is being typed into
    bool wantsMouse() const;     ///< the mouse is over a panel
    void beginFrame();
    /// What the panels of the frame draw; valid until the next one begins.
    const ImDrawData* endFrame();
};

}  // namespace karst::viewer
