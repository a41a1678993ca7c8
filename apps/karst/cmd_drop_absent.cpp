#include <cstdio>

#include "command.h"

namespace karst::tool {

int runDrop(CommandArguments arguments, const Externals&) {
    Arguments parser("drop", "Not in this build: it was configured without Bullet, SQLite or Vulkan.");
    if (arguments.size() == 1 && std::string(arguments[0]) == "--help") {
        std::printf("%s", parser.help().c_str());
        return kOk;
    }
    std::fprintf(stderr, "karst drop: this karst was built without Bullet, SQLite or Vulkan\n");
    return kFailed;
}

}  // namespace karst::tool
