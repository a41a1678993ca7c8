#include "input.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <utility>

namespace karst::viewer {

struct Input::Callbacks {
    static Input& of(GLFWwindow* window) { return *static_cast<Input*>(glfwGetWindowUserPointer(window)); }

    static void key(GLFWwindow* window, int key, int, int action, int mods) {
        if (action == GLFW_REPEAT) return;
        of(window).m_keys.push_back({key, action == GLFW_PRESS, (mods & GLFW_MOD_CONTROL) != 0});
    }
    static void button(GLFWwindow* window, int button, int action, int) {
        Input& input = of(window);
        const bool down = action == GLFW_PRESS;
        if (button == GLFW_MOUSE_BUTTON_LEFT) {
            input.m_leftDown = down;
            input.m_leftDownSeen = input.m_leftDownSeen || down;
        } else if (button == GLFW_MOUSE_BUTTON_RIGHT) {
            input.m_rightDown = down;
        }
    }
    static void scroll(GLFWwindow* window, double, double y) {
        of(window).m_wheelSeen += static_cast<float>(y);
    }
};

Input::Input(GLFWwindow* window) : m_window(window) {
    glfwSetWindowUserPointer(window, this);
    glfwSetKeyCallback(window, Callbacks::key);
    glfwSetMouseButtonCallback(window, Callbacks::button);
    glfwSetScrollCallback(window, Callbacks::scroll);
}

Input::~Input() {
    glfwSetKeyCallback(m_window, nullptr);
    glfwSetMouseButtonCallback(m_window, nullptr);
    glfwSetScrollCallback(m_window, nullptr);
}

void Input::beginFrame(bool keyboardTaken, bool mouseTaken) {
    m_pressed.fill(false);
    for (const KeyEvent& event : m_keys) {
        for (const Binding& binding : bindings()) {
            if (binding.key != event.key) continue;
            const auto action = static_cast<std::size_t>(binding.action);
            if (!event.down) {
                m_held[action] = false;
            } else if (binding.control == event.control && !keyboardTaken) {
                m_held[action] = m_pressed[action] = true;
            }
        }
    }
    m_keys.clear();
    if (keyboardTaken) m_held.fill(false);

    double x = 0, y = 0;
    int width = 0, height = 0, pixelWidth = 0, pixelHeight = 0;
    glfwGetCursorPos(m_window, &x, &y);
    glfwGetWindowSize(m_window, &width, &height);
    glfwGetFramebufferSize(m_window, &pixelWidth, &pixelHeight);
    if (width > 0 && height > 0) {
        m_mouse = {static_cast<float>(x * pixelWidth / width), static_cast<float>(y * pixelHeight / height)};
    }
    if (!m_rightDown) m_dragging = false;
    m_drag = m_dragging ? Vec2f{m_mouse.x - m_last.x, m_mouse.y - m_last.y} : Vec2f{};
    if (m_rightDown && !m_dragging && !mouseTaken) m_dragging = true;
    m_last = m_mouse;
    m_wheel = mouseTaken ? 0 : m_wheelSeen;
    m_wheelSeen = 0;
    m_leftPressed = std::exchange(m_leftDownSeen, false) && !mouseTaken;
    m_leftHeld = m_leftPressed || (m_leftHeld && m_leftDown);
}

}  // namespace karst::viewer
