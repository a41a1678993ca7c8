#pragma once

#include "arguments.h"

#include <karst/heightfield_build/build_parts.h>

namespace karst::tool {

/// Which of a build's work this process does: all of it, one part, or putting the parts together. The same
/// options may be given to every process that a launcher starts.
struct BuildShare {
    std::optional<heightfield::BuildPart> part;
    std::optional<int> merge;  ///< of that many parts
    bool launched = false;     ///< --mpi: the part from the launcher, and the first one puts all together
    std::optional<double> patience;

    void addArguments(Arguments& parser);
    /// Takes the part from the launcher's variables where that is asked for. An error is the user's.
    Result<void> resolve();

    /// Seconds.
    double patienceSeconds() const { return patience.value_or(600); }
    bool builds() const { return !merge.has_value(); }
    std::uint32_t mergeCount() const;  ///< parts to put together; 0: none
};

}  // namespace karst::tool
