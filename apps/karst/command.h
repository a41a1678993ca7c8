#pragma once

#include "arguments.h"

#include <karst/base/externals.h>

#include <span>
#include <string>

namespace karst::tool {

/// What the process ends with.
enum ExitCode : int {
    kOk = 0,
    kFailed = 1,  ///< the work failed: a file, a device
    kUsage = 2,   ///< the command line cannot be understood
};

using CommandArguments = std::span<const char* const>;  ///< those after the verb

int runInfo(CommandArguments arguments, const Externals& externals);
int runHeight(CommandArguments arguments, const Externals& externals);
int runRay(CommandArguments arguments, const Externals& externals);
int runRender(CommandArguments arguments, const Externals& externals);
int runBuild(CommandArguments arguments, const Externals& externals);
int runVerify(CommandArguments arguments, const Externals& externals);
int runConvert(CommandArguments arguments, const Externals& externals);
int runServe(CommandArguments arguments, const Externals& externals);
int runDrop(CommandArguments arguments, const Externals& externals);
int runVoxel(CommandArguments arguments, const Externals& externals);

/// Parses; where the command is to end right away (help was asked for, or usage is wrong), prints what is to
/// be said and returns the exit code.
std::optional<int> parseOrExit(Arguments& parser, CommandArguments arguments);

/// Says that the command line cannot be understood, and where help is.
int usageError(const Arguments& parser, const Error& error);

/// Says that the work on `file` failed; names the file where the error does not.
int failure(const Arguments& parser, const std::string& file, const Error& error);

}  // namespace karst::tool
