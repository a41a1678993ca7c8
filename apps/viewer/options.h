#pragma once

#include <optional>
#include <string>

#include "loader.h"

namespace karst::viewer {

/// What the viewer's process ends with.
enum ExitCode : int {
    kOk = 0,
    kFailed = 1,     ///< the work failed; with --validation: the layer had something to say
    kUsage = 2,      ///< the command line cannot be understood
    kNoDisplay = 3,  ///< there is no display to open a window on
    kNoDevice = 4,   ///< no Vulkan 1.3 device draws into windows here
};

struct ViewerOptions {
    OpenRequest open;  ///< no file: begins without ground
    int width = 1280, height = 720;
    int samples = 0;  ///< 1 or 4; 0: 4 on a graphics card, 1 in software
    bool validation = false;
    std::string pictures = ".";  ///< the folder of screenshots
    std::optional<Vec3d> camera, target;
    double hour = 15;
    double radius = 0;  ///< of the brush; 0: by the ground
};

/// Parses; where the viewer is to end right away (help, or a wrong usage), says what is to be said and
/// returns the exit code in `code`.
bool parseOptions(std::span<const char* const> arguments, ViewerOptions& options, int& code);

}  // namespace karst::viewer
