#pragma once

#include <karst/base/result.h>
#include <karst/import/import_options.h>

#include <optional>
#include <string>
#include <utility>

#include "readers.h"

namespace karst::importer {

/// What a JSON beside a headerless file or a picture says of it.
struct Sidecar {
    std::string path;
    RawLayout layout;
    std::optional<double> min, max;
    std::optional<double> nodata;
    std::optional<SampleSpacing> spacing;
    std::optional<bool> southUp;
    /// "513x513" inside the text of "source": believed only where it fits the file's length.
    std::optional<std::pair<int, int>> sizeInText;

    Result<std::optional<heightfield::HeightRange>> range() const;
};

Result<Sidecar> parseSidecar(const std::string& json, const std::string& path);

/// The side-car named by the options (it must exist), or found beside the file: name.ext.json, name.json and,
/// with `shortened`, the same with the name's last parts left out one by one (for terrain_norm_be.raw also
/// terrain_norm.json and terrain.json).
Result<std::optional<Sidecar>> findSidecar(const OpenRequest& request, bool shortened);

/// Takes the value range and spacing from a side-car into a picture's options where those leave them open.
Result<void> applyPictureSidecar(OpenRequest& request);

/// From names such as "uint16", "u16", "<f4"; nothing where unknown.
std::optional<SampleType> sampleTypeFromName(std::string_view name);

}  // namespace karst::importer
