#include <karst/import/import_raster.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.h"
#include "crater_log_file.h"
#include "ground_picture.h"
#include "import_arguments.h"
#include "interruption.h"
#include "view_arguments.h"
#include "voxel_drawing.h"

namespace karst::tool {
namespace {

struct RenderRequest {
    std::string file, output;  ///< output: a .png; empty: into the video alone
    ViewArguments camera;
    std::vector<Rect> holes;
    importer::ImportOptions import;
    std::optional<int> detail, pictures, level, framesPerSecond;
    PackageDrawing package;

    bool forPackages() const {
        return detail || pictures || framesPerSecond || !package.craters.empty() || !package.path.empty() ||
               !package.video.empty();
    }
};

// Without --pictures, a video is this long.
constexpr int kVideoSeconds = 5;

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

// Those of a file that the viewer saved.
Setter intoCraterLog(std::vector<heightfield::Crater>& craters) {
    return [&craters](const std::string& text) -> Result<void> {
        const auto log = readCraterLog(text);
        if (!log) return log.error();
        craters.insert(craters.end(), log->begin(), log->end());
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

Error usage(const char* text) {
    return makeError(ErrorCode::InvalidArgument, "%s", text);
}

// What the options ask for, and of which kind of ground they may: errors are the user's.
Result<void> checkRequest(RenderRequest& request) {
    const std::string& video = request.package.video;
    if (request.output.empty() && video.empty()) return usage("missing: OUT.png");
    if (!request.output.empty() && !request.output.ends_with(".png")) {
        return makeError(ErrorCode::InvalidArgument, "OUT.png: '%s' must end with .png",
                         request.output.c_str());
    }
    if (auto fits = finishView(request.camera); !fits) return fits;
    if (request.framesPerSecond && video.empty()) return usage("--fps is for --video");
    if (!video.empty() && request.package.path.empty())
        return usage("--video shows a flight: say where it goes on to with --fly-to X,Y,Z");
    const bool voxels = looksLikeVoxels(request.file), package = looksLikePackage(request.file);
    if (voxels && (!request.holes.empty() || request.forPackages())) {
        return usage(
            "--hole, --detail, --crater(s), --fly-to, --pictures, --video and --fps are not for voxels");
    }
    if (request.level && !voxels) {
        return makeError(ErrorCode::InvalidArgument, "--level is for files of voxels; '%s' is none",
                         request.file.c_str());
    }
    if (package && !request.holes.empty())
        return usage("--hole cuts files; a package keeps the holes it was built with");
    if (package && !(request.package.tolerance > 0)) {
        return makeError(ErrorCode::InvalidArgument, "--tolerance: %g is not above 0",
                         request.package.tolerance);
    }
    if (!voxels && !package && request.forPackages()) {
        return makeError(
            ErrorCode::InvalidArgument,
            "--detail, --crater(s), --fly-to, --pictures, --video and --fps are for packages; '%s' "
            "is a file: build one with karst build",
            request.file.c_str());
    }
    return {};
}

Result<void> renderVoxels(const RenderRequest& request, const Externals& externals) {
    VoxelDrawing drawing{.file = request.file, .output = request.output, .view = request.camera.view};
    drawing.hasEye = request.camera.camera.has_value();
    drawing.hasTarget = request.camera.lookAt.has_value();
    request.camera.place(drawing.view);
    drawing.level = request.level.value_or(0);
    return drawVoxels(drawing, externals);
}

Result<void> renderPackage(RenderRequest& request, const Externals& externals) {
    PackageDrawing& drawing = request.package;
    drawing.package = request.file;
    drawing.output = request.output;
    drawing.view = request.camera.view;
    drawing.hasEye = request.camera.camera.has_value();
    drawing.hasTarget = request.camera.lookAt.has_value();
    request.camera.place(drawing.view);
    drawing.detailLevels = static_cast<std::uint32_t>(request.detail.value_or(0));
    drawing.framesPerSecond = request.framesPerSecond.value_or(drawing.framesPerSecond);
    const int flight = drawing.video.empty() ? 8 : kVideoSeconds * drawing.framesPerSecond;
    drawing.pictures = request.pictures.value_or(drawing.path.empty() ? 1 : flight);
    const Interruption interruption;
    return drawPackage(drawing, externals);
}

Result<void> renderRaster(const RenderRequest& request, const Externals& externals) {
    auto imported = importer::importRaster(request.file, request.import, externals);
    if (!imported) return imported.error();
    heightfield::HeightRaster& raster = imported->raster;
    for (const Rect& hole : request.holes) {
        if (raster.setHoles(hole, true) > 0) continue;
        const Rect& r = raster.rect();
        return makeError(ErrorCode::InvalidArgument,
                         "--hole %g,%g,%g,%g cuts no cell out of the ground from (%g, %g) to (%g, %g)",
                         hole.minX, hole.minZ, hole.maxX, hole.maxZ, r.minX, r.minZ, r.maxX, r.maxZ);
    }
    GroundView view = request.camera.view;
    defaultView(raster.bounds(), view);
    request.camera.place(view);
    return drawRaster(raster, view, request.output, externals);
}

}  // namespace

int runRender(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "render",
        "Draws the ground to a PNG with Vulkan, without a window. Metres; X is east, Y is up, Z is\n"
        "south; the first (north-western) sample stands at X = 0, Z = 0.");
    RenderRequest request;
    parser.positional("FILE", "a DEM or heightmap, a file of voxels, or a package: folder, file or URL",
                      intoString(request.file));
    parser.positional("OUT.png", "the picture; may be left out with --video", intoString(request.output),
                      Arguments::Need::Optional);
    addViewArguments(parser, request.camera, "south of all and above", "the middle");
    parser.option("--hole", "X0,Z0,X1,Z1", "cuts the ground out there; may come several times",
                  intoRects(request.holes));
    addImportArguments(parser, request.import);
    parser.section("Packages");
    parser.option("--tolerance", "PIXELS", "largest error on screen (1)",
                  intoNumber(request.package.tolerance));
    parser.option("--detail", "LEVELS", "levels of synthesised detail below the samples, 0 to 4 (0)",
                  intoInteger(request.detail, 0, 4));
    parser.option("--crater", "X,Z,RADIUS,DEPTH,RIM", "digs a crater first; may come several times",
                  intoCraters(request.package.craters));
    parser.option("--craters", "FILE", "digs all craters of a log, as the viewer saves it",
                  intoCraterLog(request.package.craters));
    parser.option("--fly-to", "X,Y,Z", "the camera goes on to there; may come several times",
                  intoPath(request.package.path));
    parser.option("--pictures", "N",
                  "draws this many along the way, as OUT-000.png and on (1; 8 with --fly-to;\n"
                  "5 seconds of them with --video)",
                  intoInteger(request.pictures, 1, 100000));
    parser.option("--video", "FILE",
                  "the way as a video, .mp4, .mkv or .webm, by ffmpeg where that is installed;\n"
                  "pictures too where OUT.png is given",
                  intoString(request.package.video));
    parser.option("--fps", "N", "pictures that a second of the video has (30)",
                  intoInteger(request.framesPerSecond, 1, 240));
    parser.section("Files of voxels");
    parser.option("--level", "0..3", "of detail: each halves the samples along an axis (0)",
                  intoInteger(request.level, 0, 3));
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    if (const auto sound = checkRequest(request); !sound) return usageError(parser, sound.error());
    const Result<void> drawn = looksLikeVoxels(request.file)    ? renderVoxels(request, externals)
                               : looksLikePackage(request.file) ? renderPackage(request, externals)
                                                                : renderRaster(request, externals);
    if (drawn) return kOk;
    std::string about = request.file;
    for (const std::string& name : {request.output, request.package.video, std::string("ffmpeg")})
        if (!name.empty() && drawn.error().message.find(name) != std::string::npos) about = name;
    return failure(parser, about, drawn.error());
}

}  // namespace karst::tool
