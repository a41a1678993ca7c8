#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/package_tile_source.h>

#include <memory>
#include <string>

namespace karst::tool {

/// A package's tiles: a folder, its terrain.json, a single file, or an http:// or https:// URL of a folder or
/// of a single file (a name that ends with .karst).
Result<std::unique_ptr<heightfield::PackageTileSource>> openTileSource(const std::string& package,
                                                                       const Externals& externals);

}  // namespace karst::tool
