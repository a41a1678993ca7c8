#pragma once

#include <karst/heightfield/package_format.h>

#include <cstdint>
#include <filesystem>

namespace karst::heightfield {

/// What lies in a folder package.
struct PackageFiles {
    std::uint64_t tiles = 0;  ///< files that are named as stored tiles of the layout
    std::uint64_t bytes = 0;  ///< theirs and the manifest's
};

/// Looks through the folders of a package's tiles, which takes the time that they need, not that of the tiles
/// that the manifest speaks of. `package`: the folder or its terrain.json.
PackageFiles countPackageFiles(const std::filesystem::path& package, const PackageManifest& manifest);

}  // namespace karst::heightfield
