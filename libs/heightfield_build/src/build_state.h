#pragma once

#include <filesystem>

#include "build_plan.h"

namespace karst::heightfield {

/// What an interrupted build needs to go on.
struct BuildState {
    InputSurvey survey;
    std::uint32_t nextRow = 0;     ///< of the input
    std::vector<float> rowBefore;  ///< filled
    std::vector<std::byte> sink;
    std::vector<std::byte> production;
};

Result<void> writeState(const std::filesystem::path& file, std::uint64_t mark, BuildState& state);

/// Reads the state that options.resume asks for. False where there is none, or none of this input and these
/// options, which is logged; `state` is empty then.
bool readState(const BuildInput& input, const BuildOptions& options, std::uint64_t mark, BuildState& state,
               const Externals& externals);

}  // namespace karst::heightfield
