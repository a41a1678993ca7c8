#pragma once

#include "../ground_drawing.h"
#include "../loader.h"
#include "../viewer_state.h"

// Each draws one window of ImGui's; the ground may be null where none is open.
namespace karst::viewer {

void showFilePanel(ViewerState& state, const Ground* ground);
void showProgressPanel(const Loader::Progress& progress);
void showToolPanel(ViewerState& state, const Ground& ground);
void showLevelPanel(ViewerState& state, Ground& ground, const DrawStats& drawn);
void showStatsPanel(ViewerState& state);
void showDayPanel(ViewerState& state);
void showHelpPanel(ViewerState& state);
/// One line at the lower edge: where one is, and what happened last.
void showStatusLine(const ViewerState& state, const Ground* ground);
/// A ring on the ground where the tool would be used.
void showBrush(const ViewerState& state, const GroundHit& hit, double width, double height);

}  // namespace karst::viewer
