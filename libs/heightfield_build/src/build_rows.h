#pragma once

#include "build_state.h"
#include "tile_production.h"

namespace karst::heightfield {

/// The second pass over an input's rows.
struct RowBuild {
    BuildInput* input = nullptr;
    const BuildOptions* options = nullptr;
    const PackageManifest* manifest = nullptr;
    TileProduction* production = nullptr;
    TileSink* sink = nullptr;
    std::uint64_t mark = 0;
    RowRange rows;  ///< that the production needs
};

inline constexpr double kSurveyShare = 0.25;  ///< of a build's time, about

/// Begins the sink and the production, or goes on with both from a state that was read; `resumed` says which,
/// and becomes false where they do not fit together, which is logged.
Result<void> beginRows(const RowBuild& build, BuildState& state, bool& resumed, const Externals& externals);

/// Feeds the rows from state.nextRow to the production (where that is before the first row that is needed:
/// from there), keeping a state now and then. False: stopped, and `stateKept` says whether one can go on.
Result<bool> runRows(const RowBuild& build, BuildState& state, bool& stateKept, const Externals& externals);

}  // namespace karst::heightfield
