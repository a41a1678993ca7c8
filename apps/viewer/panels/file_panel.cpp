#include <imgui.h>

#include <algorithm>

#include "panels.h"

namespace karst::viewer {

bool beginColumn(Side side) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const bool left = side == Side::Left;
    const float width = left ? 290.0f : 340.0f;
    ImGui::SetNextWindowPos({left ? 8 : std::max(screen.x - width - 8, 0.0f), 8});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(screen.y - 48, 60.0f)});
    const bool open = ImGui::Begin(left ? "Ground and tools" : "Levels, streaming, times", nullptr,
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoMove);
    ImGui::PushItemWidth(-110);
    return open;
}

void endColumn() {
    ImGui::PopItemWidth();
    ImGui::End();
}

namespace {

void showSaving(ViewerState& state, const Ground& ground) {
    if (ImGui::Button(ground.unsaved() ? "Save *" : "Save")) state.requests.save = true;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-70);
    const bool entered = ImGui::InputTextWithHint("##saveAs", "a file to save as", state.saveAs.data(),
                                                  state.saveAs.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    if ((ImGui::Button("Save as") || entered) && state.saveAs[0] != 0)
        state.requests.saveAs = state.saveAs.data();
}

}  // namespace

void showFilePanel(ViewerState& state, const Ground* ground) {
    ImGui::SetNextItemWidth(-56);
    const bool entered = ImGui::InputTextWithHint("##file", "DEM, package, URL or .voxels", state.file.data(),
                                                  state.file.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    if ((ImGui::Button("Open") || entered) && state.file[0] != 0) state.requests.open = state.file.data();
    if (ground) {
        const Vec3d size = ground->bounds().size();
        ImGui::TextWrapped("%s", ground->name().c_str());
        ImGui::Text("%.5g x %.5g, %.4g high, samples %.3g", size.x, size.z, size.y, ground->spacing());
        if (ImGui::Button("Whole view")) state.requests.wholeView = true;
        ImGui::SameLine();
        if (ImGui::Button("Screenshot")) state.requests.screenshot = true;
        showSaving(state, *ground);
    }
    if (ImGui::Button("Keys (F1)")) state.showHelp = !state.showHelp;
    ImGui::SameLine();
    ImGui::TextDisabled("%s", state.deviceName.c_str());
}

void showProgressPanel(const Loader::Progress& progress) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize({std::min(420.0f, screen.x), 0});
    if (ImGui::Begin(
            "##progress", nullptr,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings)) {
        ImGui::TextWrapped("%s", progress.what.c_str());
        if (progress.share >= 0) {
            ImGui::ProgressBar(static_cast<float>(progress.share));
        } else {
            ImGui::TextDisabled("... %c", "|/-\\"[static_cast<int>(ImGui::GetTime() * 8) % 4]);
        }
    }
    ImGui::End();
}

}  // namespace karst::viewer
