#pragma once

#include <karst/base/externals.h>

#include <string>
#include <string_view>

namespace karst::importer {

/// Text out of a file, fit for a message: at most 40 characters, unprintable ones as '?'.
std::string shown(std::string_view text);

[[gnu::format(printf, 3, 4)]] void logMessage(const Externals& externals, LogLevel level, const char* format,
                                              ...);

std::string lowerCase(std::string_view text);

/// The last part of a path, without folders.
std::string_view fileName(std::string_view path);

/// Lower-case, without the dot; "hgt" for "N42E001.HGT".
std::string extensionOf(std::string_view path);

}  // namespace karst::importer
