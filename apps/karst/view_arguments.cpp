#include "view_arguments.h"

namespace karst::tool {
namespace {

Setter intoSize(GroundView& view) {
    return [&view](const std::string& text) -> Result<void> {
        constexpr int kMost = 16384;
        const std::size_t at = text.find('x');
        if (at != std::string::npos) {
            const auto width = parseInteger(text.substr(0, at), 1, kMost);
            const auto height = parseInteger(text.substr(at + 1), 1, kMost);
            if (width.ok() && height.ok()) {
                view.width = *width;
                view.height = *height;
                return {};
            }
        }
        return makeError(ErrorCode::InvalidArgument, "'%s' is not WIDTHxHEIGHT, each 1 to %d", text.c_str(),
                         kMost);
    };
}

}  // namespace

void addViewArguments(Arguments& parser, ViewArguments& arguments, const std::string& standsAt,
                      const std::string& looksAt) {
    parser.option("--camera", "X,Y,Z", "where the camera stands (" + standsAt + ")",
                  intoPoint(arguments.camera));
    parser.option("--look-at", "X,Y,Z", "what it looks at (" + looksAt + ")", intoPoint(arguments.lookAt));
    parser.option("--fov", "DEGREES", "the view's height as an angle (45)", intoNumber(arguments.fovDegrees));
    parser.option("--size", "WxH", "pixels (1280x720)", intoSize(arguments.view));
}

Result<void> finishView(ViewArguments& arguments) {
    if (!(arguments.fovDegrees >= 1 && arguments.fovDegrees <= 170)) {
        return makeError(ErrorCode::InvalidArgument, "--fov: %g is not in 1..170", arguments.fovDegrees);
    }
    arguments.view.verticalFov = arguments.fovDegrees * (3.14159265358979323846 / 180);
    if (arguments.camera && arguments.lookAt && *arguments.camera == *arguments.lookAt) {
        return makeError(ErrorCode::InvalidArgument, "--camera and --look-at are the same point");
    }
    return {};
}

}  // namespace karst::tool
