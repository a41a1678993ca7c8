#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "georeference.h"
#include "message.h"
#include "packed_grid.h"
#include "readers.h"
#include "sidecar.h"

namespace karst::importer {
namespace {

std::optional<int> wholeRoot(std::uint64_t value) {
    if (value > std::uint64_t{1} << 42) return std::nullopt;
    const auto root = static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(value))));
    if (root == 0 || root * root != value) return std::nullopt;
    return static_cast<int>(root);
}

/// Ground is smooth in the right byte order and noise in the other: tells of 16-bit samples whose order
/// nobody gave. Looks at 32 KiB in the middle.
void warnOfByteOrder(ByteFile& bytes, std::uint64_t rowBytes, const OpenRequest& request) {
    std::vector<std::byte> some(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size() & ~1u, 32768)));
    const std::uint64_t middle = bytes.size() / 2 / rowBytes * rowBytes;
    if (!bytes.read(std::min(middle, bytes.size() - some.size()) & ~std::uint64_t{1}, some)) return;
    double little = 0, big = 0;
    for (std::size_t i = 3; i < some.size(); i += 2) {
        const int a0 = static_cast<int>(some[i - 3]), a1 = static_cast<int>(some[i - 2]);
        const int b0 = static_cast<int>(some[i - 1]), b1 = static_cast<int>(some[i]);
        little += std::abs((a0 + a1 * 256) - (b0 + b1 * 256));
        big += std::abs((a0 * 256 + a1) - (b0 * 256 + b1));
    }
    if (big * 4 < little) {
        logMessage(
            request.externals, LogLevel::Warning,
            "%s: read as little-endian, but looks like big-endian; give the byte order as an option or "
            "in a side-car JSON",
            request.path.c_str());
    }
}

}  // namespace

SourceResult openRaw(std::unique_ptr<ByteFile> bytes, const OpenRequest& request) {
    const std::string& name = request.path;
    ImportOptions options = request.options;
    const auto sidecar = findSidecar(request, true);
    if (!sidecar) return sidecar.error();
    std::optional<std::pair<int, int>> sizeInText;
    RawLayout& layout = options.raw;
    if (*sidecar) {
        const Sidecar& beside = **sidecar;
        const auto range = beside.range();
        if (!range) return range.error();
        const auto fill = [](auto& to, const auto& from) {
            if (!to) to = from;
        };
        // Sides come from one place: a width given here and a height from there would be no size.
        if (!layout.width && !layout.height) {
            layout.width = beside.layout.width;
            layout.height = beside.layout.height;
        }
        fill(layout.channels, beside.layout.channels);
        fill(layout.type, beside.layout.type);
        fill(layout.byteOrder, beside.layout.byteOrder);
        fill(options.valueRange, *range);
        fill(options.nodata, beside.nodata);
        fill(options.spacing, beside.spacing);
        fill(options.southUp, beside.southUp);
        sizeInText = beside.sizeInText;
        logMessage(request.externals, LogLevel::Info, "%s: layout and range as %s has them", name.c_str(),
                   beside.path.c_str());
    }
    const std::string extension = extensionOf(name);
    const SampleType byName = extension == "r32"  ? SampleType::Float32
                              : extension == "r8" ? SampleType::UInt8
                                                  : SampleType::UInt16;
    const SampleType type = layout.type.value_or(byName);
    const int channels = layout.channels.value_or(1);
    constexpr int kMostChannels = 1024;
    if (channels < 1 || channels > kMostChannels) {
        return makeError(ErrorCode::InvalidArgument, "%s: %d channels; 1 to %d are possible", name.c_str(),
                         channels, kMostChannels);
    }
    const std::uint64_t size = bytes->size();
    const auto texelBytes = static_cast<std::uint64_t>(sampleBytes(type) * channels);
    const std::uint64_t texels = size / texelBytes;
    if ((layout.width && *layout.width < 1) || (layout.height && *layout.height < 1)) {
        return makeError(ErrorCode::InvalidArgument, "%s: a size of %d x %d; both sides must be at least 1",
                         name.c_str(), layout.width.value_or(0), layout.height.value_or(0));
    }
    if (!layout.width && !layout.height && sizeInText &&
        static_cast<std::uint64_t>(sizeInText->first) * static_cast<std::uint64_t>(sizeInText->second) *
                texelBytes ==
            size) {
        layout.width = sizeInText->first;
        layout.height = sizeInText->second;
    }
    if (!layout.width && !layout.height) {
        const auto side = size % texelBytes == 0 ? wholeRoot(texels) : std::nullopt;
        if (!side) {
            return makeError(
                ErrorCode::InvalidArgument,
                "%s: %llu bytes are no square of %d-channel %s samples; give width and height (and "
                "channels and sample type) as options or in a side-car JSON",
                name.c_str(), static_cast<unsigned long long>(size), channels,
                std::string(toString(type)).c_str());
        }
        layout.width = layout.height = *side;
        logMessage(request.externals, LogLevel::Info,
                   "%s: no size given, taken as a square of %d x %d by its %llu bytes", name.c_str(), *side,
                   *side, static_cast<unsigned long long>(size));
    }
    if (layout.width && !layout.height) {
        const std::uint64_t rows = texels / static_cast<std::uint64_t>(*layout.width);
        layout.height = static_cast<int>(std::clamp<std::uint64_t>(rows, 1, 1u << 30));
    } else if (layout.height && !layout.width) {
        const std::uint64_t columns = texels / static_cast<std::uint64_t>(*layout.height);
        layout.width = static_cast<int>(std::clamp<std::uint64_t>(columns, 1, 1u << 30));
    }
    const int width = *layout.width, height = *layout.height;
    const auto sides = checkSides(width, height, name);
    if (!sides) return sides.error();
    const std::uint64_t wanted =
        static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) * texelBytes;  // below 2^53
    if (wanted != size) {
        return makeError(
            ErrorCode::CorruptData,
            "%s: %llu bytes, but %d x %d with %d channel%s of %s needs %llu; give the right width, "
            "height, channels or sample type as options or in a side-car JSON",
            name.c_str(), static_cast<unsigned long long>(size), width, height, channels,
            channels == 1 ? "" : "s", std::string(toString(type)).c_str(),
            static_cast<unsigned long long>(wanted));
    }
    PackedGrid grid;
    grid.columnStride = texelBytes;
    grid.rowStride = texelBytes * static_cast<std::uint64_t>(width);
    grid.southUp = options.southUp.value_or(false);
    grid.rule.type = type;
    grid.rule.order = layout.byteOrder.value_or(ByteOrder::Little);
    grid.rule.nodata = options.nodata;
    const auto ranged = applyValueRange(grid.rule, options.valueRange, name);
    if (!ranged) return ranged.error();
    if (!layout.byteOrder && sampleBytes(type) == 2 && channels == 1) {
        warnOfByteOrder(*bytes, grid.rowStride, request);
    }
    RasterInfo info;
    info.width = width;
    info.height = height;
    info.format = "RAW";
    info.sampleType = type;
    const auto placed = placeRaster(info, nullptr, options, request.externals, name);
    if (!placed) return placed.error();
    return std::unique_ptr<RasterSource>(
        std::make_unique<PackedGridSource>(std::move(bytes), name, std::move(info), grid));
}

}  // namespace karst::importer
