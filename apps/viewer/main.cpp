// The viewer: karst_viewer [FILE] ...
#include <cstdio>
#include <vector>

#include "viewer.h"

namespace karst::viewer {
namespace {

int run(std::span<const char* const> arguments) {
    ViewerOptions options;
    int code = kOk;
    if (!parseOptions(arguments, options, code)) return code;
    std::shared_ptr<const app::ValidationMessages> messages;
    {
        auto viewer = Viewer::create(options);
        if (!viewer) {
            const Error& error = viewer.error();
            std::fprintf(stderr, "karst_viewer: %s\n", error.message.c_str());
            if (error.code == ErrorCode::NotFound) return kNoDisplay;
            return error.code == ErrorCode::DeviceLost ? kNoDevice : kFailed;
        }
        messages = (*viewer)->messages();
        if (const auto ran = (*viewer)->run(); !ran) {
            std::fprintf(stderr, "karst_viewer: %s\n", ran.error().message.c_str());
            code = kFailed;
        }
    }
    for (const std::string& message : messages->all())
        std::fprintf(stderr, "karst_viewer: validation: %s\n", message.c_str());
    if (options.validation && messages->count() > 0) code = kFailed;
    return code;
}

}  // namespace
}  // namespace karst::viewer

int main(int argc, char** argv) {
    const std::vector<const char*> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return karst::viewer::run(arguments);
}
