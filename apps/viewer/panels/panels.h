#pragma once

#include "../ground_drawing.h"
#include "../loader.h"
#include "../viewer_state.h"

// Panels are sections of two columns, at the left and the right edge of the window; what stands alone is a
// window of ImGui's. The ground may be null where none is open.
namespace karst::viewer {

enum class Side : std::uint8_t { Left, Right };
/// False where the column is folded up; endColumn() either way.
bool beginColumn(Side side);
void endColumn();

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
