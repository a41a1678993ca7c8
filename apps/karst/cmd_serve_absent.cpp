#include <cstdio>

#include "command.h"

namespace karst::tool {

int runServe(CommandArguments arguments, const Externals&) {
    Arguments parser("serve", "Not in this build: it was configured without cpp-httplib.");
    if (arguments.size() == 1 && std::string(arguments[0]) == "--help") {
        std::printf("%s", parser.help().c_str());
        return kOk;
    }
    std::fprintf(stderr, "karst serve: this karst was built without cpp-httplib\n");
    return kFailed;
}

}  // namespace karst::tool
