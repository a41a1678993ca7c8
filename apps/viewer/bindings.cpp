#include "bindings.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace karst::viewer {

namespace {

constexpr Binding kBindings[] = {
    {Action::Forward, GLFW_KEY_W, false, "W", "forwards"},
    {Action::Back, GLFW_KEY_S, false, "S", "backwards"},
    {Action::Left, GLFW_KEY_A, false, "A", "to the left"},
    {Action::Right, GLFW_KEY_D, false, "D", "to the right"},
    {Action::Up, GLFW_KEY_E, false, "E", "up; walking: jump"},
    {Action::Up, GLFW_KEY_SPACE, false, "Space", "the same"},
    {Action::Down, GLFW_KEY_Q, false, "Q", "down"},
    {Action::Fast, GLFW_KEY_LEFT_SHIFT, false, "Shift", "faster"},
    {Action::Walk, GLFW_KEY_F, false, "F", "walk or fly"},
    {Action::Drop, GLFW_KEY_B, false, "B", "drop bodies"},
    {Action::ToolLook, GLFW_KEY_1, false, "1", "tool: look only"},
    {Action::ToolDig, GLFW_KEY_2, false, "2", "tool: dig (voxels)"},
    {Action::ToolFill, GLFW_KEY_3, false, "3", "tool: fill (voxels)"},
    {Action::ToolPaint, GLFW_KEY_4, false, "4", "tool: paint (voxels)"},
    {Action::ToolSmooth, GLFW_KEY_5, false, "5", "tool: smooth (voxels)"},
    {Action::ToolCrater, GLFW_KEY_6, false, "6", "tool: crater (heights)"},
    {Action::Undo, GLFW_KEY_Z, true, "Ctrl+Z", "undo"},
    {Action::Redo, GLFW_KEY_Y, true, "Ctrl+Y", "redo"},
    {Action::Save, GLFW_KEY_S, true, "Ctrl+S", "save"},
    {Action::Help, GLFW_KEY_F1, false, "F1", "this list"},
    {Action::Panels, GLFW_KEY_F2, false, "F2", "panels on or off"},
    {Action::Diagnostic, GLFW_KEY_F3, false, "F3", "next diagnostic mode"},
    {Action::Shadows, GLFW_KEY_F4, false, "F4", "shadows on or off"},
    {Action::Screenshot, GLFW_KEY_F12, false, "F12", "screenshot"},
    {Action::Quit, GLFW_KEY_Q, true, "Ctrl+Q", "quit"},
};

}  // namespace

std::span<const Binding> bindings() {
    return kBindings;
}

}  // namespace karst::viewer
