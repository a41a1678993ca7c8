#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "voxel_command.h"

namespace karst::tool {
namespace {

using voxel::FillMode;
using voxel::Grid;
using voxel::MaterialId;
using FillResult = Result<voxel::EditSummary>;

struct FillRequest {
    std::string file, shape, material;
    std::optional<Vec3d> center, size, from, to;
    std::optional<double> radius, height;
    std::optional<Bounds> box;
    std::optional<voxel::Rotation> turn;
    bool paint = false;

    FillMode mode() const { return paint ? FillMode::Paint : FillMode::Combine; }
    voxel::Pose pose() const { return {*center, turn.value_or(voxel::Rotation{})}; }
};

// What each shape must be given; the options that it does not name it refuses.
struct Shape {
    const char* name;
    std::vector<std::string> needs, may;
    FillResult (*fill)(Grid&, const FillRequest&, MaterialId);
    /// A box around it.
    Bounds (*bounds)(const FillRequest&);
};

Bounds around(Vec3d center, double radius) {
    const Vec3d r{radius, radius, radius};
    return {center - r, center + r};
}

Bounds boundsOfBox(const FillRequest& r) {
    return around(*r.center, length(*r.size) / 2);
}

// A cylinder from one middle of an end to the other: the axis is the pose's y.
voxel::Pose poseBetween(Vec3d from, Vec3d to) {
    const Vec3d axis = normalized(to - from);
    const Vec3d beside = std::abs(axis.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    const Vec3d x = normalized(cross(axis, beside));
    return {(from + to) * 0.5, {x, axis, cross(x, axis)}};
}

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> kShapes = {
        {"block",
         {"--center", "--size"},
         {"--turn"},
         [](Grid& g, const FillRequest& r, MaterialId m) {
             return fillBlock(g, r.pose(), *r.size, m, r.mode());
         },
         boundsOfBox},
        {"ball",
         {"--center", "--radius"},
         {},
         [](Grid& g, const FillRequest& r, MaterialId m) {
             return fillBall(g, *r.center, *r.radius, m, r.mode());
         },
         [](const FillRequest& r) { return around(*r.center, *r.radius); }},
        {"cylinder",
         {"--center", "--height", "--radius"},
         {"--turn"},
         [](Grid& g, const FillRequest& r, MaterialId m) {
             return fillCylinder(g, r.pose(), *r.height, *r.radius, m, r.mode());
         },
         [](const FillRequest& r) { return around(*r.center, std::hypot(*r.radius, *r.height / 2)); }},
        {"tube",
         {"--from", "--to", "--radius"},
         {},
         [](Grid& g, const FillRequest& r, MaterialId m) {
             return fillCylinder(g, poseBetween(*r.from, *r.to), length(*r.to - *r.from), *r.radius, m,
                                 r.mode());
         },
         [](const FillRequest& r) {
             return around((*r.from + *r.to) * 0.5, std::hypot(*r.radius, length(*r.to - *r.from) / 2));
         }},
        {"wedge",
         {"--center", "--size"},
         {"--turn"},
         [](Grid& g, const FillRequest& r, MaterialId m) {
             return fillWedge(g, r.pose(), *r.size, m, r.mode());
         },
         boundsOfBox},
        {"region",
         {"--box"},
         {},
         [](Grid& g, const FillRequest& r, MaterialId m) -> FillResult {
             const auto region = voxel::regionAround(g.placement(), *r.box);
             if (!region) return region.error();
             return fillRegion(g, *region, m, r.mode());
         },
         [](const FillRequest& r) { return *r.box; }},
    };
    return kShapes;
}

Result<const Shape*> shapeOf(const FillRequest& request) {
    std::string names;
    for (const Shape& shape : shapes()) {
        names += (names.empty() ? "" : ", ") + std::string(shape.name);
        if (request.shape != shape.name) continue;
        const std::pair<const char*, bool> given[] = {
            {"--center", request.center.has_value()}, {"--size", request.size.has_value()},
            {"--from", request.from.has_value()},     {"--to", request.to.has_value()},
            {"--radius", request.radius.has_value()}, {"--height", request.height.has_value()},
            {"--box", request.box.has_value()},       {"--turn", request.turn.has_value()}};
        const auto holds = [](const std::vector<std::string>& list, const char* name) {
            return std::find(list.begin(), list.end(), name) != list.end();
        };
        for (const auto& [name, there] : given) {
            if (holds(shape.needs, name) && !there) {
                return makeError(ErrorCode::InvalidArgument, "a %s needs %s", shape.name, name);
            }
            if (there && !holds(shape.needs, name) && !holds(shape.may, name)) {
                return makeError(ErrorCode::InvalidArgument, "a %s takes no %s", shape.name, name);
            }
        }
        return &shape;
    }
    return makeError(ErrorCode::InvalidArgument, "SHAPE: '%s' is none of %s", request.shape.c_str(),
                     names.c_str());
}

Setter intoTurn(std::optional<voxel::Rotation>& value) {
    return [&value](const std::string& text) -> Result<void> {
        const auto numbers = parseNumbers(text, 4);
        if (!numbers) return numbers.error();
        const std::vector<double>& n = *numbers;
        const auto turn =
            voxel::Rotation::aboutAxis({n[0], n[1], n[2]}, n[3] * (3.14159265358979323846 / 180));
        if (!turn) return turn.error();
        value = *turn;
        return {};
    };
}

Setter intoSizes(std::optional<Vec3d>& value) {
    return [&value](const std::string& text) -> Result<void> {
        if (const auto set = intoPoint(value)(text); !set) return set;
        if (value->x > 0 && value->y > 0 && value->z > 0) return {};
        return makeError(ErrorCode::InvalidArgument, "'%s' must be above 0 on every axis", text.c_str());
    };
}

}  // namespace

int runVoxelFill(CommandArguments arguments, const Externals& externals) {
    Arguments parser("voxel fill",
                     "Fills a shape of a file of voxels with a material, as one edit: solid materials add\n"
                     "ground, air digs it out, water fills what is free. All in world units.");
    FillRequest request;
    parser.positional("FILE", "a file of voxels", intoString(request.file));
    parser.positional("SHAPE", "block, ball, cylinder, tube, wedge, or region (of whole cells)",
                      intoString(request.shape));
    parser.option("--material", "NAME", "air, water, grass, rock ...: one of the file's, or its number",
                  intoString(request.material));
    parser.flag("--paint", "changes the material of what is solid there, and nothing else", request.paint);
    parser.section("Shapes");
    parser.option("--center", "X,Y,Z", "the middle of a block, ball, cylinder or wedge",
                  intoPoint(request.center));
    parser.option("--size", "X,Y,Z", "the edges of a block or wedge", intoSizes(request.size));
    parser.option("--radius", "R", "of a ball, cylinder or tube", intoPositive(request.radius));
    parser.option("--height", "H", "of an upright cylinder", intoPositive(request.height));
    parser.option("--from", "X,Y,Z", "the middle of a tube's one end", intoPoint(request.from));
    parser.option("--to", "X,Y,Z", "the middle of its other end", intoPoint(request.to));
    parser.option("--box", "X0,Y0,Z0,X1,Y1,Z1", "two opposite corners of a region", intoBox(request.box));
    parser.option("--turn", "X,Y,Z,DEGREES",
                  "turns a block, cylinder or wedge about an axis, counter-clockwise",
                  intoTurn(request.turn));
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    const auto shape = shapeOf(request);
    if (!shape) return usageError(parser, shape.error());
    if (request.material.empty()) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument, "--material is missing"));
    }
    if (request.from && request.to && *request.from == *request.to) {
        return usageError(parser,
                          makeError(ErrorCode::InvalidArgument, "--from and --to are the same point"));
    }

    auto store = voxel::VoxelStore::open(request.file);
    if (!store) return failure(parser, request.file, store.error());
    const auto info = store->info();
    if (!info) return failure(parser, request.file, info.error());
    const auto material = findMaterial(info->materials, request.material);
    if (!material) return usageError(parser, material.error());
    auto grid = store->load(chunksAround(info->placement, (*shape)->bounds(request)), externals);
    if (!grid) return failure(parser, request.file, grid.error());
    const auto edit = (*shape)->fill(*grid, request, *material);
    if (!edit) return failure(parser, request.file, edit.error());
    const auto saved = store->save(*grid);
    if (!saved) return failure(parser, request.file, saved.error());
    std::printf("%s: %s\n", request.file.c_str(), describeEdit(*edit, *saved).c_str());
    return kOk;
}

}  // namespace karst::tool
