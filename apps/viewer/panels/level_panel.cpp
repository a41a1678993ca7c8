#include <imgui.h>

#include "panels.h"

namespace karst::viewer {

namespace {

void slide(const char* name, double& value, double least, double most, const char* format) {
    auto shown = static_cast<float>(value);
    if (ImGui::SliderFloat(name, &shown, static_cast<float>(least), static_cast<float>(most), format,
                           ImGuiSliderFlags_Logarithmic)) {
        value = double{shown};
    }
}

}  // namespace

void showLevelPanel(ViewerState& state, Ground& ground, const DrawStats& drawn) {
    if (!ImGui::CollapsingHeader("Levels and streaming", ImGuiTreeNodeFlags_DefaultOpen)) return;
    LevelSettings& levels = ground.levels();
    if (levels.hasTolerance) slide("tolerance, px", levels.tolerance, 0.25, 32, "%.2f");
    if (levels.hasDistances) {
        slide("draw distance", levels.drawDistance, ground.spacing() * 64, ground.spacing() * 4096, "%.0f");
        slide("level 1 from", levels.levelDistance, ground.spacing() * 32, ground.spacing() * 1024, "%.0f");
    }
    ImGui::Text("%u draws, %.4g million triangles", drawn.draws, static_cast<double>(drawn.triangles) * 1e-6);
    ImGui::Text("%.4g MiB on the GPU, %.4g KiB uploaded", static_cast<double>(drawn.deviceBytes) / (1 << 20),
                static_cast<double>(drawn.uploadedBytes) / 1024);
    if (drawn.refused > 0) {
        ImGui::TextColored({1, 0.5f, 0.4f, 1}, "%llu pieces found no room on the GPU",
                           static_cast<unsigned long long>(drawn.refused));
    }
    const std::vector<Figure> figures = ground.figures();
    for (std::size_t i = 0; i < figures.size() && i < state.figures.size(); ++i) {
        const Graph& graph = state.figures[i];
        ImGui::PushID(static_cast<int>(i));
        ImGui::PlotLines("##graph", graph.values.data(), static_cast<int>(graph.values.size()),
                         static_cast<int>(graph.next), nullptr, 0, FLT_MAX, {90, 18});
        ImGui::PopID();
        ImGui::SameLine();
        ImGui::Text("%.6g %s%s%s", figures[i].value, figures[i].name, figures[i].unit[0] != 0 ? ", " : "",
                    figures[i].unit);
    }
    ImGui::TextUnformatted(ground.settled() ? "everything is there" : "loading ...");
}

}  // namespace karst::viewer
