#pragma once

#include <karst/heightfield/crater.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace karst::tool {

/// Where the craters dug into a DEM or a package lie: beside it, as NAME.craters; beside a package's folder
/// too. Empty where there is no such place: of a URL.
std::filesystem::path craterLogOf(const std::string& ground);

/// The craters of a log. NotFound where there is no file; errors name it.
Result<std::vector<heightfield::Crater>> readCraterLog(const std::filesystem::path& path);

/// Writes the log as a whole or not at all: under its name stands what was there, or the new one. Only
/// another log is ever thrown away: InvalidArgument where anything else is there.
Result<void> writeCraterLog(const std::filesystem::path& path, std::span<const heightfield::Crater> craters);

}  // namespace karst::tool
