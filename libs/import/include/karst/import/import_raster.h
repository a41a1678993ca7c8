#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/heightfield/height_raster.h>
#include <karst/import/import_options.h>
#include <karst/import/raster_info.h>
#include <karst/import/raster_source.h>

#include <string>

namespace karst::importer {

struct ImportedRaster {
    heightfield::HeightRaster raster;
    RasterInfo info;  ///< measured
};

/// Reads a whole file into a height raster. Sample (0, 0), the north-west one, stands at X = 0, Z = 0; X is
/// east, Z is south, Y is up, all in metres. Samples without data are holes.
///
/// Takes the raster (4 bytes a sample, 1 bit a cell once there is a hole) plus one window. A raster beyond
/// importMemoryLimit(options) is refused before memory is asked for.
/// Threads: may be called from several threads at once.
Result<ImportedRaster> importRaster(const std::string& path, const ImportOptions& options = {},
                                    const Externals& externals = {});

/// The same from an open source.
Result<ImportedRaster> importRaster(RasterSource& source, const ImportOptions& options = {},
                                    const Externals& externals = {});

}  // namespace karst::importer
