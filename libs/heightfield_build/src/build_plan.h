#pragma once

#include <karst/heightfield/package_format.h>
#include <karst/heightfield_build/pyramid_builder.h>

#include "input_survey.h"

namespace karst::heightfield {

/// Refuses options that cannot be and inputs that no layout fits, before anything is read.
Result<void> checkOptions(const BuildInput& input, const BuildOptions& options);

/// What a state must agree with to be gone on from.
std::uint64_t buildMark(const BuildInput& input, const BuildOptions& options);

/// Of the package, once the heights are known.
Result<PackageManifest> planManifest(const BuildInput& input, const BuildOptions& options,
                                     const HeightRange& heights);

}  // namespace karst::heightfield
