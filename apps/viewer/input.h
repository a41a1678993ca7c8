#pragma once

#include <karst/base/math.h>

#include <array>
#include <vector>

#include "bindings.h"

struct GLFWwindow;

namespace karst::viewer {

/// What the user does, by frames: which keys are held, and which went down since the last frame. A key that
/// went down and up within one frame counts as pressed. Takes the window's callbacks; make it before ImGui's.
///
/// Threads: the main one.
class Input {
  public:
    explicit Input(GLFWwindow* window);
    ~Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    /// Takes in what came since the last call. What the panels use is none of the ground's.
    void beginFrame(bool keyboardTaken, bool mouseTaken);

    bool held(Action action) const { return m_held[static_cast<std::size_t>(action)]; }
    bool pressed(Action action) const { return m_pressed[static_cast<std::size_t>(action)]; }

    Vec2f mouse() const { return m_mouse; }  ///< pixels of the framebuffer from the window's upper left
    /// How far the mouse was dragged with the right button, pixels.
    Vec2f lookDrag() const { return m_drag; }
    float wheel() const { return m_wheel; }
    bool leftHeld() const { return m_leftHeld; }
    bool leftPressed() const { return m_leftPressed; }

  private:
    struct KeyEvent {
        int key;
        bool down, control;
    };
    struct Callbacks;

    GLFWwindow* m_window;
    std::vector<KeyEvent> m_keys;  // since the last frame
    bool m_leftDownSeen = false, m_rightDown = false, m_leftDown = false;
    float m_wheelSeen = 0;
    std::array<bool, static_cast<std::size_t>(Action::Count)> m_held{}, m_pressed{};
    Vec2f m_mouse, m_drag, m_last;
    float m_wheel = 0;
    bool m_dragging = false, m_leftHeld = false, m_leftPressed = false;
};

}  // namespace karst::viewer
