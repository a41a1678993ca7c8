#include <imgui.h>

#include "../bindings.h"
#include "panels.h"

namespace karst::viewer {

void showHelpPanel(ViewerState& state) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Appearing, {0.5f, 0.5f});
    if (ImGui::Begin("Keys", &state.showHelp,
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings) &&
        ImGui::BeginTable("keys", 2)) {
        const auto row = [](const char* key, const char* what) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(key);
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(what);
        };
        row("right mouse button", "drag to look around");
        row("left mouse button", "use the tool");
        row("wheel", "speed; with a tool: its radius");
        for (const Binding& binding : bindings())
            row(binding.keyName, binding.what);
        ImGui::EndTable();
    }
    ImGui::End();
}

}  // namespace karst::viewer
