#include <karst/import/import_raster.h>

#include <cpl_vsi.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "message.h"
#include "readers.h"

namespace karst::importer {
namespace {

struct Measured {
    std::uint64_t voids = 0;
    float min = std::numeric_limits<float>::infinity();
    float max = -std::numeric_limits<float>::infinity();

    void take(std::span<const float> heights) {
        for (const float h : heights) {
            voids += std::isnan(h) ? 1u : 0u;
            min = h < min ? h : min;  // false for NaN
            max = h > max ? h : max;
        }
    }
    void finish(RasterInfo& info) const {
        info.measured = true;
        info.voids = voids;
        info.min = min <= max ? min : 0;
        info.max = min <= max ? max : 0;
    }
};

/// Calls use(window) for windows of the preferred shape that cover the raster.
template <class Use>
Result<void> eachWindow(const RasterSource& source, Use&& use) {
    const RasterInfo& info = source.info();
    const GridRect shape = source.preferredWindow();
    for (int z = 0; z < info.height; z += shape.depth()) {
        for (int x = 0; x < info.width; x += shape.width()) {
            const GridRect window{x, z, std::min(x + shape.width(), info.width),
                                  std::min(z + shape.depth(), info.height)};
            const Result<void> done = use(window);
            if (!done) return done;
        }
    }
    return {};
}

std::size_t samplesOf(const GridRect& window) {
    return static_cast<std::size_t>(window.width()) * static_cast<std::size_t>(window.depth());
}

}  // namespace

std::uint64_t importMemoryLimit(const ImportOptions& options) {
    if (options.maxBytes != 0) return options.maxBytes;
    const GIntBig memory = CPLGetUsablePhysicalRAM();
    constexpr std::uint64_t kUnknown = std::uint64_t{4} << 30;
    return memory > 0 ? static_cast<std::uint64_t>(memory) / 4 * 3 : kUnknown;
}

Result<RasterInfo> measureRaster(RasterSource& source, const Externals& externals) {
    Vector<float> heights(*externals.allocator);
    heights.resize(samplesOf(source.preferredWindow()));
    Measured measured;
    const auto done = eachWindow(source, [&](const GridRect& window) {
        const std::span<float> out(heights.data(), samplesOf(window));
        Result<void> read = source.readWindow(window, out);
        if (read) measured.take(out);
        return read;
    });
    if (!done) return done.error();
    RasterInfo info = source.info();
    measured.finish(info);
    return info;
}

Result<ImportedRaster> importRaster(RasterSource& source, const ImportOptions& options,
                                    const Externals& externals) {
    RasterInfo info = source.info();
    const auto columns = static_cast<std::size_t>(info.width), rows = static_cast<std::size_t>(info.height);
    const std::uint64_t bytes = std::uint64_t{columns} * rows * sizeof(float);  // sides are at most 2^20
    const std::uint64_t limit = importMemoryLimit(options);
    if (bytes > limit) {
        return makeError(ErrorCode::TooLarge,
                         "a raster of %d x %d takes %llu bytes, the limit is %llu; cut out a part with "
                         "gdal_translate -srcwin, or raise the limit",
                         info.width, info.height, static_cast<unsigned long long>(bytes),
                         static_cast<unsigned long long>(limit));
    }
    Vector<float> heights(*externals.allocator);
    heights.resize(columns * rows);
    Vector<float> part(*externals.allocator);
    Measured measured;
    const auto done = eachWindow(source, [&](const GridRect& window) -> Result<void> {
        // Whole rows go straight to their place, parts of rows by way of a buffer of one window.
        const bool whole = window.width() == info.width;
        float* to = heights.data() + static_cast<std::size_t>(window.minZ) * columns +
                    static_cast<std::size_t>(window.minX);
        if (!whole) part.resize(samplesOf(window));
        const std::span<float> out(whole ? to : part.data(), samplesOf(window));
        const auto read = source.readWindow(window, out);
        if (!read) return read;
        measured.take(out);
        if (whole) return {};
        const auto width = static_cast<std::size_t>(window.width());
        for (std::size_t row = 0; row < static_cast<std::size_t>(window.depth()); ++row)
            std::copy_n(part.data() + row * width, width, to + row * columns);
        return {};
    });
    if (!done) return done.error();
    part = Vector<float>(*externals.allocator);
    measured.finish(info);
    if (!info.hasHeights()) {
        logMessage(externals, LogLevel::Warning, "%d x %d samples, none of them with data", info.width,
                   info.height);
    }

    heightfield::HeightRasterDesc desc;
    desc.columns = info.width;
    desc.rows = info.height;
    desc.rect = heightfield::rectOfSamples(0, 0, info.width, info.height, info.spacingX, info.spacingZ);
    // Voids stand in the heights as NaN, which spares a byte a sample for a mask.
    auto raster = heightfield::HeightRaster::create(desc, std::move(heights), {}, externals);
    if (!raster) return raster.error();
    return ImportedRaster{std::move(raster).value(), std::move(info)};
}

Result<ImportedRaster> importRaster(const std::string& path, const ImportOptions& options,
                                    const Externals& externals) {
    auto source = openRaster(path, options, externals);
    if (!source) return source.error();
    auto imported = importRaster(**source, options, externals);
    if (!imported && imported.error().message.find(path) == std::string::npos) {
        return makeError(imported.error().code, "%s: %s", path.c_str(), imported.error().message.c_str());
    }
    return imported;
}

}  // namespace karst::importer
