#pragma once

#include <karst/base/externals.h>
#include <karst/base/rect.h>
#include <karst/base/result.h>
#include <karst/import/import_options.h>
#include <karst/import/raster_info.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace karst::importer {

/// A DEM or heightmap file that is open and can be read window by window, also where the whole of it would
/// not fit into memory. Rows run from north to south, columns from west to east, whatever the file's order.
///
/// Threads: none; one source is used by one thread at a time. Sources are independent, also of one file.
class RasterSource {
  public:
    virtual ~RasterSource() = default;

    /// Everything but what must be measured (RasterInfo::measured is false).
    virtual const RasterInfo& info() const = 0;

    /// The shape of window that the file is read fastest by, at most info().width x info().height and a few
    /// megabytes. Windows whose corners are multiples of it decode nothing twice.
    virtual GridRect preferredWindow() const = 0;

    /// Reads the samples `texels` (not empty, inside the raster) as metres into `heights`, row-major,
    /// texels.width() * texels.depth() long. Samples without data are NaN; all others are finite. `voids` is
    /// empty or as long as `heights`, and gets 1 where there is no data and 0 elsewhere.
    /// Errors: InvalidArgument (window or lengths), Io, CorruptData. After an error the contents of `heights`
    /// are unspecified and the source can be read again.
    virtual Result<void> readWindow(const GridRect& texels, std::span<float> heights,
                                    std::span<std::uint8_t> voids = {}) = 0;
};

/// Opens a file; see docs/formats-read.md for what is read and by what rules. Sizes in the file are held
/// against HeightRaster::kMaxSide and, where samples are not compressed, against the file's own length. The
/// pointed-to externals must outlive the source.
/// Errors: NotFound, Io, CorruptData, Unsupported, TooLarge, InvalidArgument; the message says what to do.
Result<std::unique_ptr<RasterSource>> openRaster(const std::string& path, const ImportOptions& options = {},
                                                 const Externals& externals = {});

/// Reads every sample, holding one window at a time, and returns the info with min, max and voids.
Result<RasterInfo> measureRaster(RasterSource& source, const Externals& externals = {});

}  // namespace karst::importer
