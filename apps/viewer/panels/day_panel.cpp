#include <imgui.h>

#include "panels.h"

namespace karst::viewer {

void showDayPanel(ViewerState& state) {
    if (!ImGui::CollapsingHeader("Light and view", ImGuiTreeNodeFlags_DefaultOpen)) return;
    auto hour = static_cast<float>(state.day.hour);
    if (ImGui::SliderFloat("hour", &hour, 0, 24, "%.2f")) state.day.hour = double{hour};
    ImGui::SliderFloat("exposure", &state.day.exposure, 0.2f, 5, "%.2f", ImGuiSliderFlags_Logarithmic);
    auto degrees = static_cast<float>(state.verticalFov * 57.29577951308232);
    if (ImGui::SliderFloat("field of view", &degrees, 10, 100, "%.0f"))
        state.verticalFov = double{degrees} / 57.29577951308232;
    ImGui::Checkbox("shadows (F4)", &state.shadows);
    const auto shown = static_cast<std::size_t>(state.diagnostic);
    if (ImGui::BeginCombo("mode (F3)", kDiagnosticNames[shown])) {
        for (std::size_t i = 0; i < kDiagnosticNames.size(); ++i) {
            const auto mode = static_cast<DiagnosticMode>(i);
            if (mode == DiagnosticMode::Wireframe && !state.canWireframe) continue;
            if (ImGui::Selectable(kDiagnosticNames[i], i == shown)) state.diagnostic = mode;
        }
        ImGui::EndCombo();
    }
}

}  // namespace karst::viewer
