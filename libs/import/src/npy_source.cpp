#include "npy_source.h"

#include <algorithm>
#include <cmath>

#include "message.h"
#include "packed_grid.h"

namespace karst::importer {
namespace {

/// The sides left when those of length 1 are taken out; scientists keep (1, rows, columns) too.
std::vector<std::uint64_t> squeezed(const NpyHeader& header) {
    if (header.shape.size() == 2) return header.shape;
    std::vector<std::uint64_t> sides;
    for (const std::uint64_t side : header.shape) {
        if (side != 1) sides.push_back(side);
    }
    return sides;
}

struct Member {
    std::string name;
    std::string path;
    NpyHeader header;
    std::unique_ptr<ByteFile> bytes;
};

const Member* findMember(const std::vector<Member>& members, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        for (const Member& member : members) {
            if (lowerCase(member.name) == name) return &member;
        }
    }
    return nullptr;
}

std::optional<double> scalar(const std::vector<Member>& members, const char* name) {
    const Member* member = findMember(members, {name});
    if (member == nullptr) return std::nullopt;
    for (const std::uint64_t side : member->header.shape) {
        if (side != 1) return std::nullopt;
    }
    const auto value = npyNumber(*member->bytes, member->header, 0);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    return *value;
}

struct Axis {
    double first = 0, last = 0;
};

/// The ends of a one-dimensional array of coordinates.
std::optional<Axis> axis(const std::vector<Member>& members, std::initializer_list<const char*> names,
                         std::uint64_t length) {
    const Member* member = findMember(members, names);
    if (member == nullptr || member->header.shape != std::vector<std::uint64_t>{length}) return std::nullopt;
    const auto first = npyNumber(*member->bytes, member->header, 0);
    const auto last = npyNumber(*member->bytes, member->header, length - 1);
    if (!first || !last || !std::isfinite(*first) || !std::isfinite(*last) || *first == *last) {
        return std::nullopt;
    }
    return Axis{*first, *last};
}

bool areDegrees(double west, double east, double south, double north, double step) {
    return west >= -180 && east <= 360 && south >= -90 && north <= 90 && step <= 1;
}

/// A member's own coordinates: arrays longitude and latitude (or lon, lat; x, y), one number a column and a
/// row. They tell the orientation too.
std::optional<Georeference> fromAxes(const std::vector<Member>& members, int width, int height,
                                     bool& southUp) {
    const auto x = axis(members, {"longitude", "lon", "x"}, static_cast<std::uint64_t>(width));
    const auto y = axis(members, {"latitude", "lat", "y"}, static_cast<std::uint64_t>(height));
    if (!x || !y || x->last < x->first) return std::nullopt;
    Georeference at;
    at.stepX = (x->last - x->first) / (width - 1);
    at.stepY = std::abs(y->last - y->first) / (height - 1);
    southUp = y->last > y->first;
    const double south = std::min(y->first, y->last), north = std::max(y->first, y->last);
    at.position = {x->first, north};
    at.degrees = findMember(members, {"longitude", "lon"}) != nullptr &&
                 findMember(members, {"latitude", "lat"}) != nullptr &&
                 areDegrees(x->first, x->last, south, north, std::max(at.stepX, at.stepY));
    return at;
}

/// Single numbers dx, dy, xmin, xmax, ymin, ymax, as some keep them. Names of the y's are not believed (there
/// are files whose ymin is the northern edge), so they give spacing and place, but no orientation.
std::optional<Georeference> fromScalars(const std::vector<Member>& members, int width, int height) {
    const auto dx = scalar(members, "dx"), dy = scalar(members, "dy");
    if (!dx || !dy || *dx == 0 || *dy == 0) return std::nullopt;
    Georeference at;
    at.stepX = std::abs(*dx);
    at.stepY = std::abs(*dy);
    const auto xmin = scalar(members, "xmin"), xmax = scalar(members, "xmax");
    const auto ymin = scalar(members, "ymin"), ymax = scalar(members, "ymax");
    if (!xmin || !xmax || !ymin || !ymax) return at;
    const double west = std::min(*xmin, *xmax), east = std::max(*xmin, *xmax);
    const double south = std::min(*ymin, *ymax), north = std::max(*ymin, *ymax);
    // Either the edges of the outermost cells or their centres, whichever the size fits.
    const auto edges = [](double extent, double step, int count) {
        return std::abs(extent / step - count) < std::abs(extent / step - (count - 1));
    };
    at.position = {west + (edges(east - west, at.stepX, width) ? at.stepX * 0.5 : 0),
                   north - (edges(north - south, at.stepY, height) ? at.stepY * 0.5 : 0)};
    at.degrees = areDegrees(west, east, south, north, std::max(at.stepX, at.stepY)) &&
                 std::max(at.stepX, at.stepY) <= 0.1;
    return at;
}

}  // namespace

bool isGrid(const NpyHeader& header) {
    const auto sides = squeezed(header);
    return sides.size() == 2 && sides[0] >= 2 && sides[1] >= 2;
}

SourceResult openArray(std::unique_ptr<ByteFile> bytes, const NpyHeader& header, const OpenRequest& request,
                       const std::string& format, const Georeference* georeference, bool southUp) {
    const std::string& name = request.path;
    const auto sides = squeezed(header);
    if (sides.size() != 2) {
        return makeError(ErrorCode::Unsupported,
                         "%s: an array of shape %s; a raster has two dimensions, save one layer of it",
                         name.c_str(), shapeText(header).c_str());
    }
    constexpr std::uint64_t kShown = 1'000'000'000'000;
    const auto fits = checkSides(static_cast<std::int64_t>(std::min(sides[1], kShown)),
                                 static_cast<std::int64_t>(std::min(sides[0], kShown)), name);
    if (!fits) return fits.error();
    RasterInfo info;
    info.width = static_cast<int>(sides[1]);
    info.height = static_cast<int>(sides[0]);
    info.format = format;
    info.sampleType = header.type;
    PackedGrid grid;
    const auto size = static_cast<std::uint64_t>(sampleBytes(header.type));
    grid.offset = header.dataOffset;
    grid.columnStride = header.fortranOrder ? size * sides[0] : size;
    grid.rowStride = header.fortranOrder ? size : size * sides[1];
    grid.southUp = request.options.southUp.value_or(southUp);
    grid.rule.type = header.type;
    grid.rule.order = header.order;
    grid.rule.nodata = request.options.nodata;
    const auto ranged = applyValueRange(grid.rule, request.options.valueRange, name);
    if (!ranged) return ranged.error();
    const auto placed = placeRaster(info, georeference, request.options, request.externals, name);
    if (!placed) return placed.error();
    return std::unique_ptr<RasterSource>(
        std::make_unique<PackedGridSource>(std::move(bytes), name, std::move(info), grid));
}

SourceResult openNpy(std::unique_ptr<ByteFile> bytes, const OpenRequest& request) {
    const auto header = readNpyHeader(*bytes, request.path);
    if (!header) return header.error();
    return openArray(std::move(bytes), *header, request, "NPY", nullptr, false);
}

SourceResult openNpz(const std::vector<NpzMember>& members, const OpenRequest& request) {
    const std::string& wanted = request.options.array;
    std::vector<Member> readable;
    std::string names, grids;
    std::size_t gridCount = 0, chosen = 0;
    std::optional<Error> unreadable;
    for (const NpzMember& member : members) {
        const bool asked = member.name == wanted;
        if (!names.empty()) names += ", ";
        names += shown(member.name);
        auto bytes = openFile(member.path);
        auto header = bytes ? readNpyHeader(**bytes, request.path + " array " + shown(member.name))
                            : Result<NpyHeader>(bytes.error());
        if (!header) {
            if (asked) return header.error();
            if (!unreadable) unreadable = header.error();
            continue;
        }
        const bool grid = isGrid(*header);
        if (grid) grids += (grids.empty() ? "" : ", ") + shown(member.name) + " (" + shapeText(*header) + ")";
        if (asked || (wanted.empty() && grid)) {
            ++gridCount;
            chosen = readable.size();
        }
        readable.push_back({member.name, member.path, *header, std::move(bytes).value()});
    }
    if (gridCount == 0) {
        if (wanted.empty() && unreadable) return *unreadable;
        if (wanted.empty()) {
            return makeError(ErrorCode::NotFound, "%s: no two-dimensional array of at least 2 x 2 among: %s",
                             request.path.c_str(), names.c_str());
        }
        return makeError(ErrorCode::NotFound, "%s: no array '%s'; there are: %s", request.path.c_str(),
                         shown(wanted).c_str(), names.c_str());
    }
    if (gridCount > 1) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: several arrays could be the heights: %s; name one as the array option",
                         request.path.c_str(), grids.c_str());
    }
    bool southUp = false;
    std::optional<Georeference> at;
    if (isGrid(readable[chosen].header)) {
        const auto sides = squeezed(readable[chosen].header);
        constexpr std::uint64_t kMost = heightfield::HeightRaster::kMaxSide;
        if (sides[0] <= kMost && sides[1] <= kMost) {
            const int width = static_cast<int>(sides[1]), height = static_cast<int>(sides[0]);
            at = fromAxes(readable, width, height, southUp);
            if (!at) at = fromScalars(readable, width, height);
        }
    }
    return openArray(std::move(readable[chosen].bytes), readable[chosen].header, request, "NPZ",
                     at ? &*at : nullptr, southUp);
}

}  // namespace karst::importer
