#include <karst/import/import_raster.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.h"
#include "ground_picture.h"
#include "import_arguments.h"

namespace karst::tool {
namespace {

struct RenderRequest {
    std::string output;  ///< a .png
    GroundView view;
    std::vector<Rect> holes;
};

// From the south-east and above, so that most of the ground is in the picture and its relief shows.
void defaultView(const Bounds& bounds, GroundView& view) {
    const Vec3d size = bounds.size();
    const double aspect = static_cast<double>(view.width) / view.height;
    const double across = std::max({size.x / std::max(aspect, 0.1), size.z * 0.8, size.y});
    const double distance = std::max(1e-3, 0.5 * across / std::tan(view.verticalFov / 2));
    view.target = bounds.center();
    view.eye = view.target + normalized(Vec3d{0.55, 0.36, 1}) * distance;
}

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
    parser.option("--size", "WxH", "pixels (1280x720)", intoSize(request.view));
    parser.option("--hole", "X0,Z0,X1,Z1", "cuts the ground out there; may come several times",
                  intoRects(request.holes));
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
    request.view.verticalFov = fovDegrees * (3.14159265358979323846 / 180);
    if (camera && lookAt && *camera == *lookAt) {
        return usageError(parser,
                          makeError(ErrorCode::InvalidArgument, "--camera and --look-at are the same point"));
    }

    auto imported = importer::importRaster(file, options, externals);
    if (!imported) return failure(parser, file, imported.error());
    heightfield::HeightRaster& raster = imported->raster;
    for (const Rect& hole : request.holes) {
        if (raster.setHoles(hole, true) > 0) continue;
        const Rect& r = raster.rect();
        return failure(
            parser, file,
            makeError(ErrorCode::InvalidArgument,
                      "--hole %g,%g,%g,%g cuts no cell out of the ground from (%g, %g) to (%g, %g)",
                      hole.minX, hole.minZ, hole.maxX, hole.maxZ, r.minX, r.minZ, r.maxX, r.maxZ));
    }
    defaultView(raster.bounds(), request.view);
    if (camera) request.view.eye = *camera;
    if (lookAt) request.view.target = *lookAt;
    const auto picture = drawGround(raster, request.view, externals);
    if (!picture) return failure(parser, request.output, picture.error());
    if (const auto written = app::writePng(request.output, picture->image); !written) {
        return failure(parser, request.output, written.error());
    }
    std::printf("%s: %d x %d, %u nodes, %llu vertices, %u %s, on %s\n", request.output.c_str(),
                request.view.width, request.view.height, picture->nodes,
                static_cast<unsigned long long>(picture->vertices), picture->draws,
                picture->draws == 1 ? "draw" : "draws", picture->device.c_str());
    return kOk;
}

}  // namespace karst::tool
