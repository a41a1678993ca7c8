#include <cstdio>

#include "command.h"

namespace karst::tool {

int runVoxel(CommandArguments arguments, const Externals&) {
    Arguments parser("voxel", "Not in this build: it was configured without SQLite.");
    if (arguments.size() == 1 && std::string(arguments[0]) == "--help") {
        std::printf("%s", parser.help().c_str());
        return kOk;
    }
    std::fprintf(stderr, "karst voxel: this karst was built without SQLite\n");
    return kFailed;
}

}  // namespace karst::tool
