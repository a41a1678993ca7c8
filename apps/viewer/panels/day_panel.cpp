#include <imgui.h>

#include "panels.h"

namespace karst::viewer {

void showDayPanel(ViewerState& state) {
    ImGui::SetNextWindowPos({8, 330}, ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize({270, 0}, ImGuiCond_FirstUseEver);
    if (ImGui::Begin("Light and view")) {
        auto hour = static_cast<float>(state.day.hour);
        if (ImGui::SliderFloat("hour", &hour, 0, 24, "%.2f")) state.day.hour = double{hour};
        ImGui::SliderFloat("exposure", &state.day.exposure, 0.2f, 5, "%.2f", ImGuiSliderFlags_Logarithmic);
        auto degrees = static_cast<float>(state.verticalFov * 57.29577951308232);
        if (ImGui::SliderFloat("field of view", &degrees, 10, 100, "%.0f"))
            state.verticalFov = double{degrees} / 57.29577951308232;
    }
    ImGui::End();
}

}  // namespace karst::viewer
