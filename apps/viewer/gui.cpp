#include "gui.h"

#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

namespace karst::viewer {

Gui::Gui(GLFWwindow* window) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // panels begin where they belong
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    ImGui::StyleColorsDark();
    ImGui::GetStyle().WindowRounding = 4;
    ImGui::GetStyle().Colors[ImGuiCol_WindowBg].w = 0.86f;
    ImGui_ImplGlfw_InitForVulkan(window, true);
}

Gui::~Gui() {
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

bool Gui::wantsKeyboard() const {
    return ImGui::GetIO().WantTextInput;
}

bool Gui::wantsMouse() const {
    return ImGui::GetIO().WantCaptureMouse;
}

void Gui::beginFrame() {
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
}

const ImDrawData* Gui::endFrame() {
    ImGui::Render();
    return ImGui::GetDrawData();
}

}  // namespace karst::viewer
