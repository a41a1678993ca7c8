#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/import/import_options.h>
#include <karst/import/raster_source.h>

#include <cstdint>
#include <memory>
#include <string>

#include "byte_file.h"

namespace karst::importer {

using SourceResult = Result<std::unique_ptr<RasterSource>>;

/// One file on its way through openRaster.
struct OpenRequest {
    std::string path;  ///< what GDAL's virtual file system opens; also names the file in messages
    ImportOptions options;
    Externals externals;
};

// One opener a format. Those that take bytes need no file, so tests and fuzzers hand them memory.
SourceResult openGdal(const OpenRequest& request, std::uint64_t fileBytes);
SourceResult openHgt(std::unique_ptr<ByteFile> bytes, const OpenRequest& request);
SourceResult openAsc(std::unique_ptr<ByteFile> bytes, const OpenRequest& request);
SourceResult openNpy(std::unique_ptr<ByteFile> bytes, const OpenRequest& request);
SourceResult openExr(std::unique_ptr<ByteFile> bytes, const OpenRequest& request);
SourceResult openRaw(std::unique_ptr<ByteFile> bytes, const OpenRequest& request);
/// A .zip or .npz; opens what is inside.
SourceResult openZip(const OpenRequest& request);

/// Opens a file by its name and its first bytes.
SourceResult openByContent(const OpenRequest& request);

/// Whether text begins like the header of an Arc ASCII grid.
bool looksLikeAsc(std::string_view start);

/// Refuses sides outside 1 .. HeightRaster::kMaxSide before any product of them is formed.
Result<void> checkSides(std::int64_t width, std::int64_t height, const std::string& name);

/// Refuses a window that is empty or leaves the raster, and lengths that do not fit it.
Result<void> checkWindow(const RasterInfo& info, const GridRect& texels, std::size_t heights,
                         std::size_t voids, const std::string& name);

/// Sets voids to 1 where a height is NaN; `voids` may be empty.
void markVoids(std::span<const float> heights, std::span<std::uint8_t> voids);

/// A window of about a megabyte of whole rows.
GridRect rowsWindow(const RasterInfo& info);

}  // namespace karst::importer
