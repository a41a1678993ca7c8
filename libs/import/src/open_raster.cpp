#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "gdal_errors.h"
#include "message.h"
#include "readers.h"
#include "sidecar.h"

namespace karst::importer {

Result<void> checkSides(std::int64_t width, std::int64_t height, const std::string& name) {
    constexpr int kMost = heightfield::HeightRaster::kMaxSide;
    if (width < 1 || height < 1) {
        return makeError(ErrorCode::CorruptData,
                         "%s: a size of %lld x %lld is no raster; fetch or export the file again",
                         name.c_str(), static_cast<long long>(width), static_cast<long long>(height));
    }
    if (width > kMost || height > kMost) {
        return makeError(ErrorCode::TooLarge,
                         "%s: claims %lld x %lld samples, each side may be at most %d; if the file is right, "
                         "cut it with gdal_translate -srcwin",
                         name.c_str(), static_cast<long long>(width), static_cast<long long>(height), kMost);
    }
    return {};
}

Result<void> checkWindow(const RasterInfo& info, const GridRect& texels, std::size_t heights,
                         std::size_t voids, const std::string& name) {
    if (texels.empty() || texels.minX < 0 || texels.minZ < 0 || texels.maxX > info.width ||
        texels.maxZ > info.height) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: window (%d, %d)..(%d, %d) is empty or leaves the raster of %d x %d",
                         name.c_str(), texels.minX, texels.minZ, texels.maxX, texels.maxZ, info.width,
                         info.height);
    }
    const std::size_t count =
        static_cast<std::size_t>(texels.width()) * static_cast<std::size_t>(texels.depth());
    if (heights != count || (voids != 0 && voids != count)) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: room for %zu heights and %zu void marks, a window of %d x %d needs %zu",
                         name.c_str(), heights, voids, texels.width(), texels.depth(), count);
    }
    return {};
}

void markVoids(std::span<const float> heights, std::span<std::uint8_t> voids) {
    for (std::size_t i = 0; i < voids.size(); ++i)
        voids[i] = std::isnan(heights[i]) ? 1 : 0;
}

GridRect rowsWindow(const RasterInfo& info) {
    constexpr int kSamples = 1 << 18;
    return {0, 0, info.width, std::clamp(kSamples / info.width, 1, info.height)};
}

SourceResult openByContent(const OpenRequest& request) {
    const std::string extension = extensionOf(request.path);
    const std::string forced = lowerCase(request.options.format);
    if (!forced.empty() && forced != "raw") {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: format '%s'; only RAW can be asked for, all others are told by themselves",
                         request.path.c_str(), shown(request.options.format).c_str());
    }
    auto opened = openFile(request.path);
    if (!opened) return opened.error();
    std::unique_ptr<ByteFile> bytes = std::move(opened).value();
    const std::uint64_t size = bytes->size();
    if (size == 0) {
        return makeError(ErrorCode::CorruptData, "%s: empty (0 bytes); fetch or export it again",
                         request.path.c_str());
    }
    if (forced == "raw") return openRaw(std::move(bytes), request);
    std::array<char, 512> start{};
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(size, start.size()));
    const auto read = bytes->read(0, std::as_writable_bytes(std::span(start.data(), length)));
    if (!read) return read.error();
    const std::string_view head(start.data(), length);

    // Headerless files are told by name alone, so their names come before anything their bytes may look like.
    if (extension == "raw" || extension == "r16" || extension == "r32" || extension == "r8") {
        return openRaw(std::move(bytes), request);
    }
    if (extension == "hgt") return openHgt(std::move(bytes), request);
    if (head.starts_with("\x93NUMPY")) return openNpy(std::move(bytes), request);
    if (head.starts_with(std::string_view("PK\x03\x04", 4))) {
        bytes.reset();
        return openZip(request);
    }
    if (looksLikeAsc(head)) return openAsc(std::move(bytes), request);
    if (extension == "npy" || extension == "npz" || extension == "zip") {
        return makeError(ErrorCode::CorruptData, "%s: does not begin like a .%s file; save or fetch it again",
                         request.path.c_str(), extension.c_str());
    }
    // A normalised picture may have the range of its heights beside it.
    OpenRequest ranged = request;
    const auto found = applyPictureSidecar(ranged);
    if (!found) return found.error();
    if (head.starts_with(std::string_view("\x76\x2f\x31\x01", 4))) return openExr(std::move(bytes), ranged);
    bytes.reset();
    return openGdal(ranged, size);
}

Result<std::unique_ptr<RasterSource>> openRaster(const std::string& path, const ImportOptions& options,
                                                 const Externals& externals) {
    return openByContent({path, options, externals});
}

}  // namespace karst::importer
