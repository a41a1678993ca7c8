#include <algorithm>
#include <cmath>
#include <cstdio>

#include "drop_simulation.h"
#include "ground_picture.h"
#include "voxel_command.h"
#include "voxel_drawing.h"

namespace karst::tool {
namespace {

struct DropRequest {
    std::string file, picture;
    ViewArguments view;
    DropOptions drop;
    std::vector<Rect> areas;
    std::optional<double> height, size, digRadius;
    std::optional<int> balls, boxes, digs, seed, detail;
};

Setter intoHeight(std::optional<double>& value) {
    return [&value](const std::string& text) -> Result<void> {
        const Result<double> number = parseNumber(text);
        if (!number) return number.error();
        value = *number;
        return {};
    };
}

void addArguments(Arguments& parser, DropRequest& request) {
    parser.positional("FILE", "a package (folder, file or URL) or a file of voxels",
                      intoString(request.file));
    parser.option("--balls", "N", "how many (100)", intoInteger(request.balls, 0, 10000));
    parser.option("--boxes", "N", "how many (100)", intoInteger(request.boxes, 0, 10000));
    parser.option("--body-size", "S", "their middle radius and half edge (a fourth of the ground's spacing)",
                  intoPositive(request.size));
    parser.option("--area", "X0,Z0,X1,Z1", "where they start (the middle of the ground)",
                  intoRects(request.areas));
    parser.option("--height", "Y", "where they start, as in a cave (above the ground of each place)",
                  intoHeight(request.height));
    parser.option("--seconds", "T", "how long they fall, roll and rest (20)",
                  intoPositive(request.drop.seconds));
    parser.option("--dig", "N", "holes dug under them meanwhile: craters, or balls of voxels (0)",
                  intoInteger(request.digs, 0, 10000));
    parser.option("--dig-radius", "R", "of each hole (4 cells, or 4 times the bodies' size if that is more)",
                  intoPositive(request.digRadius));
    parser.option("--seed", "N", "another number, other bodies (1)",
                  intoInteger(request.seed, 0, 1000000000));
    parser.section("Packages");
    parser.option("--detail", "LEVELS", "levels of synthesised detail below the samples, 0 to 4 (0)",
                  intoInteger(request.detail, 0, 4));
    parser.section("Picture");
    parser.option("--picture", "OUT.png", "draws the last state", intoString(request.picture));
    addViewArguments(parser, request.view, "south of the bodies and above", "their middle");
}

Result<void> check(DropRequest& request) {
    if (request.areas.size() > 1) return makeError(ErrorCode::InvalidArgument, "--area may be given once");
    if (!request.picture.empty() && !request.picture.ends_with(".png")) {
        return makeError(ErrorCode::InvalidArgument, "--picture: '%s' must end with .png",
                         request.picture.c_str());
    }
    if (request.picture.empty() && request.view.given())
        return makeError(ErrorCode::InvalidArgument, "--camera and --look-at are for --picture");
    if (request.drop.seconds > 3600) {
        return makeError(ErrorCode::InvalidArgument, "--seconds: %g is more than an hour",
                         request.drop.seconds);
    }
    request.drop.balls = request.balls.value_or(request.drop.balls);
    request.drop.boxes = request.boxes.value_or(request.drop.boxes);
    if (request.drop.balls + request.drop.boxes == 0)
        return makeError(ErrorCode::InvalidArgument, "--balls and --boxes are both 0");
    if (!request.areas.empty()) request.drop.area = request.areas.front();
    request.drop.height = request.height;
    request.drop.digs = request.digs.value_or(0);
    request.drop.seed = static_cast<std::uint64_t>(request.seed.value_or(1));
    return finishView(request.view);
}

void print(const DropRequest& request, const DropGround& ground, const DropReport& report) {
    const char* pieces = ground.pieces();
    std::printf("%s: %d balls and %d boxes for %g s, in steps of 1/60 s\n", request.file.c_str(),
                request.drop.balls, request.drop.boxes, request.drop.seconds);
    std::printf("ground:       there after %.1f ms\n", report.firstUpdate);
    std::printf("holes dug:    %d, %d bodies woken\n", report.digs, report.woken);
    std::printf("updates:      %zu of the collider, median %.2f ms, worst %.2f ms; %u %s replaced\n",
                report.updates.count, report.updates.median, report.updates.worst, report.replaced, pieces);
    std::printf("steps:        %zu, median %.2f ms, worst %.2f ms\n", report.steps.count, report.steps.median,
                report.steps.worst);
    std::printf("resting:      %d\n", report.resting);
    std::printf("moving:       %d\n", report.moving);
    std::printf("left:         %d\n", report.left);
    std::printf("stuck:        %d\n", report.stuck);
    std::printf("fell through: %d\n", report.fell);
    std::fflush(stdout);
}

}  // namespace

int runDrop(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "drop",
        "Drops balls and boxes on the ground, in a world of Bullet's, and says what became of\n"
        "them. The exit code is 1 where one fell through. Metres; X is east, Y is up, Z is south.");
    DropRequest request;
    addArguments(parser, request);
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    if (const auto fits = check(request); !fits) return usageError(parser, fits.error());
    const bool voxels = looksLikeVoxels(request.file);
    if (!voxels && !looksLikePackage(request.file)) {
        return usageError(
            parser, makeError(ErrorCode::InvalidArgument,
                              "'%s' is neither a package nor a file of voxels: build one with karst build",
                              request.file.c_str()));
    }
    if (voxels && request.detail) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument, "--detail is not for voxels"));
    }

    auto ground = voxels
                      ? openVoxelGround(request.file, externals)
                      : openHeightGround(request.file, static_cast<std::uint32_t>(request.detail.value_or(0)),
                                         request.drop.area, externals);
    if (!ground) return failure(parser, request.file, ground.error());
    const double cell =
        (*ground)->spacing() / static_cast<double>(1u << static_cast<unsigned>(request.detail.value_or(0)));
    request.drop.size = request.size.value_or(cell / 4);
    request.drop.digRadius = request.digRadius.value_or(4 * std::max(cell, request.drop.size));
    const auto report = simulateDrop(**ground, request.drop);
    if (!report) return failure(parser, request.file, report.error());
    print(request, **ground, *report);
    if (!request.picture.empty()) {
        if (report->bodies.empty() && !request.view.given()) {
            return failure(parser, request.picture,
                           makeError(ErrorCode::InvalidArgument, "no body is left to look at"));
        }
        const Result<void> drawn =
            (*ground)->draw({request.picture, request.view, report->bounds}, report->bodies);
        if (!drawn) return failure(parser, request.picture, drawn.error());
    }
    if (report->fell == 0) return kOk;
    std::fprintf(stderr, "karst drop: %d of %d bodies fell through the ground\n", report->fell,
                 request.drop.balls + request.drop.boxes);
    return kFailed;
}

}  // namespace karst::tool
