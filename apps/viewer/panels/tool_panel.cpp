#include <imgui.h>

#include <cmath>
#include <string>
#include <vector>

#include "panels.h"

namespace karst::viewer {

namespace {

void showBodies(ViewerState& state) {
    if (!state.canWalk) return;
    ImGui::Separator();
    if (ImGui::Checkbox("Walk (F)", &state.walking)) {
        state.walking = !state.walking;  // the viewer turns it over, where the ground allows it
        state.requests.walk = true;
    }
    ImGui::SameLine();
    if (ImGui::Button("Drop bodies (B)")) state.requests.drop = true;
    if (state.bodies > 0) {
        ImGui::Text("%d bodies, %d asleep", state.bodies, state.bodiesAsleep);
        ImGui::SameLine();
        if (ImGui::SmallButton("Remove")) state.requests.clearBodies = true;
        if (state.bodiesWaiting > 0) ImGui::Text("%d far ones wait for ground", state.bodiesWaiting);
    }
}

}  // namespace

void showToolPanel(ViewerState& state, const Ground& ground) {
    if (!ImGui::CollapsingHeader("Tools", ImGuiTreeNodeFlags_DefaultOpen)) return;
    int number = 0;
    for (const Tool tool : ground.tools()) {
        if (number++ % 3 != 0) ImGui::SameLine();
        if (ImGui::RadioButton(toolName(tool), state.brush.tool == tool)) state.brush.tool = tool;
    }
    auto radius = static_cast<float>(state.brush.radius);
    const auto spacing = static_cast<float>(ground.spacing());
    if (ImGui::SliderFloat("radius", &radius, spacing, spacing * 200, "%.3g", ImGuiSliderFlags_Logarithmic)) {
        state.brush.radius = double{radius};
    }
    ImGui::SliderFloat("strength", &state.brush.strength, 0.05f, 1, "%.2f");
    const std::vector<std::string> names = ground.materialNames();
    if (!names.empty()) {
        const auto shown = static_cast<std::size_t>(state.brush.material);
        if (ImGui::BeginCombo("material", shown < names.size() ? names[shown].c_str() : "")) {
            for (std::size_t i = 1; i < names.size(); ++i) {
                if (ImGui::Selectable(names[i].c_str(), i == shown))
                    state.brush.material = static_cast<int>(i);
            }
            ImGui::EndCombo();
        }
    }
    if (ImGui::Button("Undo")) state.requests.undo = true;
    ImGui::SameLine();
    if (ImGui::Button("Redo")) state.requests.redo = true;
    ImGui::SameLine();
    ImGui::Text("%zu done, %zu undone", ground.undoCount(), ground.redoCount());
    showBodies(state);
}

void showBrush(const ViewerState& state, const GroundHit& hit, double width, double height) {
    const CameraPose& pose = state.camera.pose;
    const Vec3d forward = pose.forward(), right = pose.right(), up = cross(right, forward);
    const double scale = height / (2 * std::tan(state.verticalFov / 2));
    const Vec3d side =
        normalized(cross(hit.normal, std::abs(hit.normal.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0}));
    const Vec3d other = cross(hit.normal, side);
    constexpr int kPoints = 48;
    std::vector<ImVec2> points;
    for (int i = 0; i < kPoints; ++i) {
        const double angle = 2 * 3.14159265358979323846 * i / kPoints;
        const Vec3d at = hit.position +
                         (side * std::cos(angle) + other * std::sin(angle)) * state.brush.radius -
                         pose.position;
        const double depth = dot(at, forward);
        if (depth <= 1e-6) return;
        points.push_back({static_cast<float>(width / 2 + dot(at, right) / depth * scale),
                          static_cast<float>(height / 2 - dot(at, up) / depth * scale)});
    }
    ImGui::GetBackgroundDrawList()->AddPolyline(points.data(), kPoints, IM_COL32(255, 230, 90, 220),
                                                ImDrawFlags_Closed, 2);
}

}  // namespace karst::viewer
