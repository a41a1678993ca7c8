#include <cmath>

#include "georeference.h"
#include "message.h"
#include "packed_grid.h"
#include "readers.h"

// GDAL's SRTMHGT driver refuses a tile whose name does not give its position and sizes outside its list; the
// format is a bare grid of big-endian int16, so Karst reads it itself.

namespace karst::importer {
namespace {

/// The south-west corner's degrees, from names such as N42E001.hgt or s07w078.SRTMGL1.hgt.
std::optional<GeoPosition> cornerFromName(std::string_view name) {
    const auto digits = [&](std::size_t at, std::size_t count) {
        int value = 0;
        for (std::size_t i = at; i < at + count; ++i) {
            if (name[i] < '0' || name[i] > '9') return -1;
            value = value * 10 + (name[i] - '0');
        }
        return value;
    };
    if (name.size() < 7) return std::nullopt;
    const char northSouth = static_cast<char>(name[0] | 0x20), eastWest = static_cast<char>(name[3] | 0x20);
    const int latitude = digits(1, 2), longitude = digits(4, 3);
    if ((northSouth != 'n' && northSouth != 's') || (eastWest != 'e' && eastWest != 'w')) return std::nullopt;
    if (latitude < 0 || latitude > 90 || longitude < 0 || longitude > 180) return std::nullopt;
    return GeoPosition{static_cast<double>(eastWest == 'w' ? -longitude : longitude),
                       static_cast<double>(northSouth == 's' ? -latitude : latitude)};
}

}  // namespace

SourceResult openHgt(std::unique_ptr<ByteFile> bytes, const OpenRequest& request) {
    const std::string& name = request.path;
    const std::uint64_t samples = bytes->size() / 2;
    int width = 0, height = 0;
    if (samples == std::uint64_t{1801} * 3601) {  // 2" by 1", in use north of 50 degrees
        width = 1801;
        height = 3601;
    } else if (samples <= std::uint64_t{1} << 40) {
        width = height = static_cast<int>(std::lround(std::sqrt(static_cast<double>(samples))));
    }
    if (bytes->size() % 2 != 0 || width < 2 ||
        static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) != samples) {
        return makeError(ErrorCode::CorruptData,
                         "%s: %llu bytes are no SRTM tile: 1201 x 1201 takes 2884802, 3601 x 3601 takes "
                         "25934402, 1801 x 3601 takes 12970802, any other square side at least 2; fetch the "
                         "tile again",
                         name.c_str(), static_cast<unsigned long long>(bytes->size()));
    }
    const auto sides = checkSides(width, height, name);
    if (!sides) return sides.error();

    RasterInfo info;
    info.width = width;
    info.height = height;
    info.format = "SRTMHGT";
    info.sampleType = SampleType::Int16;
    info.heightUnit = std::string("m");
    const auto corner = cornerFromName(fileName(name));
    if (corner) {
        Georeference at;
        at.stepX = 1.0 / (width - 1);
        at.stepY = 1.0 / (height - 1);
        at.position = {corner->longitude, corner->latitude + 1};
        at.degrees = true;
        const auto placed = placeRaster(info, &at, request.options, request.externals, name);
        if (!placed) return placed.error();
        info.crs = "EPSG:4326";
    } else {
        // Without a latitude a degree's length east is unknown: the length north stands for both. The 2" of a
        // tile of 1801 columns are about as long as 1" north where such tiles are used.
        ImportOptions options = request.options;
        if (!options.spacing) {
            const double step = metresPerDegree(45).latitude / (height - 1);
            options.spacing = SampleSpacing{step, step};
            logMessage(request.externals, LogLevel::Warning,
                       "%s: the name does not give the tile's position (as N42E001.hgt does); %.2f m are "
                       "assumed between samples, give the spacing as an option",
                       name.c_str(), step);
        }
        const auto placed = placeRaster(info, nullptr, options, request.externals, name);
        if (!placed) return placed.error();
        if (!request.options.spacing) info.spacingFrom = SpacingFrom::Assumed;
    }

    PackedGrid grid;
    grid.columnStride = 2;
    grid.rowStride = static_cast<std::uint64_t>(width) * 2;
    grid.rule.type = SampleType::Int16;
    grid.rule.order = ByteOrder::Big;
    grid.rule.nodata = request.options.nodata.value_or(-32768);
    return std::unique_ptr<RasterSource>(
        std::make_unique<PackedGridSource>(std::move(bytes), name, std::move(info), grid));
}

}  // namespace karst::importer
