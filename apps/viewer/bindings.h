#pragma once

#include <cstdint>
#include <span>

namespace karst::viewer {

/// What keys do.
enum class Action : std::uint8_t {
    Forward,
    Back,
    Left,
    Right,
    Up,
    Down,
    Fast,
    Walk,
    Drop,
    ToolLook,
    ToolDig,
    ToolFill,
    ToolPaint,
    ToolSmooth,
    ToolCrater,
    Undo,
    Redo,
    Save,
    Panels,
    Help,
    Diagnostic,
    Shadows,
    Screenshot,
    Quit,
    Count
};

struct Binding {
    Action action;
    int key;       ///< GLFW's
    bool control;  ///< only with Ctrl held; without, only where it is not
    const char* keyName;
    const char* what;
};

/// In the order of the help panel.
std::span<const Binding> bindings();

}  // namespace karst::viewer
