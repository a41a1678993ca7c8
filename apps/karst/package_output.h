#pragma once

#include "arguments.h"

#include <karst/heightfield/package_format.h>
#include <karst/heightfield_build/tile_sink.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace karst::tool {

/// What a verb that writes a package was asked for; the same options on `build` and `convert`.
struct PackageOutput {
    std::filesystem::path path;
    std::optional<heightfield::PackageForm> form;
    std::optional<int> version;
    std::optional<heightfield::CodecId> codec;
    bool force = false;

    void addArguments(Arguments& parser);

    /// Fills in what was not asked for: version 3; one file where the version and the path allow it. An error
    /// is the user's.
    Result<void> resolve();
    /// Refuses a place that is taken (unless forced and what is there is a package of the same form) or that
    /// has no folder around it.
    Result<void> checkPlace() const;
    std::unique_ptr<heightfield::TileSink> makeSink() const;
};

}  // namespace karst::tool
