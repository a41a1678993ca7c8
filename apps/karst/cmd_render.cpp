#include <karst/import/import_raster.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.h"
#include "ground_picture.h"
#include "import_arguments.h"
#include "view_arguments.h"
#include "voxel_drawing.h"

namespace karst::tool {
namespace {

struct RenderRequest {
    std::string output;  ///< a .png
    ViewArguments camera;
    std::vector<Rect> holes;
    PackageDrawing package;
};

Setter intoCraters(std::vector<heightfield::Crater>& craters) {
    return [&craters](const std::string& text) -> Result<void> {
        const auto numbers = parseNumbers(text, 5);
        if (!numbers) return numbers.error();
        const std::vector<double>& n = *numbers;
        const heightfield::Crater crater{n[0], n[1], n[2], n[3], n[4]};
        if (const Result<void> valid = heightfield::validate(crater); !valid) return valid;
        craters.push_back(crater);
        return {};
    };
}

Setter intoPath(std::vector<Vec3d>& path) {
    return [&path](const std::string& text) -> Result<void> {
        const auto numbers = parseNumbers(text, 3);
        if (!numbers) return numbers.error();
        path.push_back({(*numbers)[0], (*numbers)[1], (*numbers)[2]});
        return {};
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
    importer::ImportOptions options;
    std::optional<int> detail, pictures, level;
    parser.positional("FILE", "a DEM or heightmap, a file of voxels, or a package: folder, file or URL",
                      intoString(file));
    parser.positional("OUT.png", "the picture", intoString(request.output));
    addViewArguments(parser, request.camera, "south of all and above", "the middle");
    parser.option("--hole", "X0,Z0,X1,Z1", "cuts the ground out there; may come several times",
                  intoRects(request.holes));
    addImportArguments(parser, options);
    parser.section("Packages");
    parser.option("--tolerance", "PIXELS", "largest error on screen (1)",
                  intoNumber(request.package.tolerance));
    parser.option("--detail", "LEVELS", "levels of synthesised detail below the samples, 0 to 4 (0)",
                  intoInteger(detail, 0, 4));
    parser.option("--crater", "X,Z,RADIUS,DEPTH,RIM", "digs a crater first; may come several times",
                  intoCraters(request.package.craters));
    parser.option("--fly-to", "X,Y,Z", "the camera goes on to there; may come several times",
                  intoPath(request.package.path));
    parser.option("--pictures", "N",
                  "draws this many along the way, as OUT-000.png and on (1, or 8 with --fly-to)",
                  intoInteger(pictures, 1, 10000));
    parser.section("Files of voxels");
    parser.option("--level", "0..3", "of detail: each halves the samples along an axis (0)",
                  intoInteger(level, 0, 3));
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    if (!request.output.ends_with(".png")) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument, "OUT.png: '%s' must end with .png",
                                            request.output.c_str()));
    }
    if (const auto fits = finishView(request.camera); !fits) return usageError(parser, fits.error());

    if (looksLikeVoxels(file)) {
        if (!request.holes.empty() || detail || pictures || !request.package.craters.empty() ||
            !request.package.path.empty()) {
            return usageError(
                parser, makeError(ErrorCode::InvalidArgument,
                                  "--hole, --detail, --crater, --fly-to and --pictures are not for voxels"));
        }
        VoxelDrawing drawing{.file = file, .output = request.output, .view = request.camera.view};
        drawing.hasEye = request.camera.camera.has_value();
        drawing.hasTarget = request.camera.lookAt.has_value();
        request.camera.place(drawing.view);
        drawing.level = level.value_or(0);
        const Result<void> drawn = drawVoxels(drawing, externals);
        return drawn ? kOk : failure(parser, file, drawn.error());
    }
    if (level) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument,
                                            "--level is for files of voxels; '%s' is none", file.c_str()));
    }
    if (looksLikePackage(file)) {
        if (!request.holes.empty()) {
            return usageError(parser,
                              makeError(ErrorCode::InvalidArgument,
                                        "--hole cuts files; a package keeps the holes it was built with"));
        }
        PackageDrawing& drawing = request.package;
        if (!(drawing.tolerance > 0)) {
            return usageError(parser, makeError(ErrorCode::InvalidArgument, "--tolerance: %g is not above 0",
                                                drawing.tolerance));
        }
        drawing.package = file;
        drawing.output = request.output;
        drawing.view = request.camera.view;
        drawing.hasEye = request.camera.camera.has_value();
        drawing.hasTarget = request.camera.lookAt.has_value();
        request.camera.place(drawing.view);
        drawing.detailLevels = static_cast<std::uint32_t>(detail.value_or(0));
        drawing.pictures = pictures.value_or(drawing.path.empty() ? 1 : 8);
        const Result<void> drawn = drawPackage(drawing, externals);
        return drawn ? kOk : failure(parser, file, drawn.error());
    }
    if (detail || pictures || !request.package.craters.empty() || !request.package.path.empty()) {
        return usageError(
            parser, makeError(ErrorCode::InvalidArgument,
                              "--detail, --crater, --fly-to and --pictures are for packages; '%s' is a file: "
                              "build one with karst build",
                              file.c_str()));
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
    GroundView view = request.camera.view;
    defaultView(raster.bounds(), view);
    request.camera.place(view);
    const Result<void> drawn = drawRaster(raster, view, request.output, externals);
    if (!drawn) return failure(parser, request.output, drawn.error());
    return kOk;
}

}  // namespace karst::tool
