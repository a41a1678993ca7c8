#include <imgui.h>

#include <algorithm>
#include <cstdio>

#include "panels.h"

namespace karst::viewer {

void showStatsPanel(ViewerState& state) {
    if (!ImGui::CollapsingHeader("Times", ImGuiTreeNodeFlags_DefaultOpen)) return;
    const float frame = state.times.graphs[FrameTimes::Whole].last();
    ImGui::Text("%.1f frames a second", frame > 0 ? 1000 / static_cast<double>(frame) : 0.0);
    for (std::size_t i = 0; i < FrameTimes::Count; ++i) {
        const Graph& graph = state.times.graphs[i];
        ImGui::PushID(static_cast<int>(i));
        ImGui::PlotLines("##graph", graph.values.data(), static_cast<int>(graph.values.size()),
                         static_cast<int>(graph.next), nullptr, 0, FLT_MAX, {90, 18});
        ImGui::PopID();
        ImGui::SameLine();
        const float worst = *std::max_element(graph.values.begin(), graph.values.end());
        ImGui::Text("%6.2f ms %s (%.1f)", static_cast<double>(graph.last()), FrameTimes::kNames[i],
                    static_cast<double>(worst));
    }
}

void showStatusLine(const ViewerState& state, const Ground* ground) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, screen.y}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowBgAlpha(0.55f);
    if (ImGui::Begin("##status", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                         ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoFocusOnAppearing)) {
        const Vec3d p = state.camera.pose.position;
        if (ground) {
            char speed[32] = "";
            if (!state.walking)
                std::snprintf(speed, sizeof speed,
                              state.camera.speed < 100 ? ", %.3g a second" : ", %.0f a second",
                              state.camera.speed);
            ImGui::Text("%.2f %.2f %.2f  %s%s  tool: %s", p.x, p.y, p.z, state.walking ? "walking" : "flying",
                        speed, toolName(state.brush.tool));
        } else {
            ImGui::TextUnformatted("no ground is open");
        }
        if (!state.message.empty()) {
            ImGui::SameLine();
            const ImVec4 color = state.messageIsError ? ImVec4{1, 0.5f, 0.4f, 1} : ImVec4{0.7f, 1, 0.7f, 1};
            ImGui::TextColored(color, "  %s", state.message.c_str());
        }
    }
    ImGui::End();
}

}  // namespace karst::viewer
