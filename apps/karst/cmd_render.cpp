#include <karst/import/import_raster.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.h"
#include "import_arguments.h"

namespace karst::tool {
namespace {

struct RenderRequest {
    std::string output;  ///< a .png
    int width = 1280, height = 720;
    Vec3d eye, target;
    double verticalFov = 0.8;  ///< radians
};

/// What was drawn.
struct RenderSummary {
    std::uint64_t nodes = 0, vertices = 0, draws = 0;
};

Result<RenderSummary> renderToFile(const heightfield::HeightRaster&, const RenderRequest& request,
                                   const Externals&) {
    return makeError(ErrorCode::Unsupported, "%s: this build of the tool cannot draw",
                     request.output.c_str());
}

// From the south and above, so that the whole of the ground is in the picture.
void defaultView(const Bounds& bounds, RenderRequest& request) {
    const Vec3d size = bounds.size();
    const double aspect = static_cast<double>(request.width) / request.height;
    const double across = std::max(size.x / std::min(aspect, 1.0), size.z);
    const double distance = std::max(1.0, 0.75 * across / std::tan(request.verticalFov / 2));
    request.target = bounds.center();
    request.eye = request.target + normalized(Vec3d{0.25, 0.6, 1}) * distance;
}

Setter intoSize(RenderRequest& request) {
    return [&request](const std::string& text) -> Result<void> {
        constexpr int kMost = 16384;
        const std::size_t at = text.find('x');
        if (at != std::string::npos) {
            const auto width = parseInteger(text.substr(0, at), 1, kMost);
            const auto height = parseInteger(text.substr(at + 1), 1, kMost);
            if (width.ok() && height.ok()) {
                request.width = *width;
                request.height = *height;
                return {};
            }
        }
        return makeError(ErrorCode::InvalidArgument, "'%s' is not WIDTHxHEIGHT, each 1 to %d", text.c_str(),
                         kMost);
    };
}

}  // namespace

int runRender(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "render",
        "Draws the ground to a PNG with Vulkan, without a window. Metres; X is east, Y is up, Z is\n"
        "south; the first (north-western) sample stands at X = 0, Z = 0.");
    std::string file;
    RenderRequest request;
    std::optional<Vec3d> camera, lookAt;
    double fovDegrees = 45;
    importer::ImportOptions options;
    parser.positional("FILE", "a DEM or heightmap", intoString(file));
    parser.positional("OUT.png", "the picture", intoString(request.output));
    parser.option("--camera", "X,Y,Z", "where the camera stands (south of all and above)", intoPoint(camera));
    parser.option("--look-at", "X,Y,Z", "what it looks at (the middle)", intoPoint(lookAt));
    parser.option("--fov", "DEGREES", "the view's height as an angle (45)", intoNumber(fovDegrees));
    parser.option("--size", "WxH", "pixels (1280x720)", intoSize(request));
    addImportArguments(parser, options);
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    if (!request.output.ends_with(".png")) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument, "OUT.png: '%s' must end with .png",
                                            request.output.c_str()));
    }
    if (!(fovDegrees >= 1 && fovDegrees <= 170)) {
        return usageError(parser,
                          makeError(ErrorCode::InvalidArgument, "--fov: %g is not in 1..170", fovDegrees));
    }
    request.verticalFov = fovDegrees * (3.14159265358979323846 / 180);
    if (camera && lookAt && *camera == *lookAt) {
        return usageError(parser,
                          makeError(ErrorCode::InvalidArgument, "--camera and --look-at are the same point"));
    }

    const auto imported = importer::importRaster(file, options, externals);
    if (!imported) return failure(parser, file, imported.error());
    defaultView(imported->raster.bounds(), request);
    if (camera) request.eye = *camera;
    if (lookAt) request.target = *lookAt;
    const auto summary = renderToFile(imported->raster, request, externals);
    if (!summary) return failure(parser, request.output, summary.error());
    std::printf("%s: %d x %d, %llu nodes, %llu vertices, %llu draws\n", request.output.c_str(), request.width,
                request.height, static_cast<unsigned long long>(summary->nodes),
                static_cast<unsigned long long>(summary->vertices),
                static_cast<unsigned long long>(summary->draws));
    return kOk;
}

}  // namespace karst::tool
