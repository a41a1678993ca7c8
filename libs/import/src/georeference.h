#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/import/import_options.h>
#include <karst/import/raster_info.h>

#include <ogr_srs_api.h>

#include <memory>
#include <optional>
#include <string>

namespace karst::importer {

struct CrsRelease {
    void operator()(OGRSpatialReferenceH crs) const { OSRRelease(crs); }
};
using Crs = std::unique_ptr<void, CrsRelease>;

/// From WKT of any kind (also ESRI's .prj, also its old form of lines); null where it cannot be understood.
Crs crsFromText(const std::string& text);

/// What a file says of where its samples lie, in units of its CRS. Steps are from west to east and from north
/// to south, both above 0.
struct Georeference {
    double stepX = 1, stepY = 1;
    /// Centre of sample (0, 0), the north-west one: x to the east, y to the north.
    struct Point {
        double x = 0, y = 0;
    };
    std::optional<Point> position;
    Crs crs;               ///< may be null
    bool degrees = false;  ///< without a crs: degrees on WGS 84
};

struct MetresPerDegree {
    double longitude = 0, latitude = 0;
};

/// Lengths of a degree on an ellipsoid: the local projection at that latitude. The latitude is held to
/// 89.9 degrees. `flattening` is 1 / inverse flattening, 0 for a sphere.
MetresPerDegree metresPerDegree(double latitude, double semiMajor, double flattening);
/// On WGS 84.
MetresPerDegree metresPerDegree(double latitude);

/// Fills spacing, spacingFrom, crs and position of an info whose size is set. `georeference` is null where
/// the file has none. An explicit spacing in the options wins.
Result<void> placeRaster(RasterInfo& info, const Georeference* georeference, const ImportOptions& options,
                         const Externals& externals, const std::string& name);

}  // namespace karst::importer
