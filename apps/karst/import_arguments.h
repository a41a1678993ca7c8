#pragma once

#include "arguments.h"

#include <karst/import/import_options.h>

namespace karst::tool {

/// Adds the options on how a file is read; the same on every verb, but for the name of --format where the
/// verb has one of its own. `options` must outlive the parsing.
void addImportArguments(Arguments& parser, importer::ImportOptions& options,
                        const char* formatOption = "--format");

}  // namespace karst::tool
