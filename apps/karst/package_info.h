#pragma once

#include <karst/heightfield/package_reader.h>

#include <filesystem>
#include <string>

namespace karst::tool {

/// Is the path a package, by its kind and first bytes: a folder with a terrain.json, a terrain.json of
/// version 2 or 3, or a file that begins as packages do?
bool looksLikePackage(const std::filesystem::path& path);

/// What `karst info` prints of a package.
Result<std::string> packageInfo(const std::string& path, bool json);

}  // namespace karst::tool
