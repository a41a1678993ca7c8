#include "georeference.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gdal_errors.h"
#include "message.h"

namespace karst::importer {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kWgs84Axis = 6378137;
constexpr double kWgs84Flattening = 1 / 298.257223563;

std::string authorityCode(OGRSpatialReferenceH crs) {
    const char* authority = OSRGetAuthorityName(crs, nullptr);
    const char* code = OSRGetAuthorityCode(crs, nullptr);
    if (authority == nullptr || code == nullptr) return {};
    return std::string(authority) + ":" + code;
}

std::string crsName(OGRSpatialReferenceH crs) {
    std::string found = authorityCode(crs);
    if (!found.empty()) return found;
    // Drivers of old formats name "UTM zone 10N on NAD27" without its code.
    const Crs copy(OSRClone(crs));
    if (copy != nullptr && OSRAutoIdentifyEPSG(copy.get()) == OGRERR_NONE) found = authorityCode(copy.get());
    if (!found.empty()) return found;
    // ESRI's .prj files carry names and parameters only.
    int count = 0;
    int* confidence = nullptr;
    OGRSpatialReferenceH* matches = OSRFindMatches(crs, nullptr, &count, &confidence);
    if (count > 0 && confidence[0] >= 90 && (count == 1 || confidence[1] < confidence[0])) {
        found = authorityCode(matches[0]);
    }
    OSRFreeSRSArray(matches);
    CPLFree(confidence);
    if (!found.empty()) return found;
    const char* name = OSRGetName(crs);
    return name == nullptr ? std::string() : name;
}

/// Degrees on the CRS's own datum.
std::optional<GeoPosition> geographic(OGRSpatialReferenceH crs, Georeference::Point point) {
    if (OSRIsGeographic(crs) != 0) {
        const double unit = OSRGetAngularUnits(crs, nullptr) / kDegree;
        return GeoPosition{point.x * unit, point.y * unit};
    }
    const Crs from(OSRClone(crs));
    const Crs to(OSRCloneGeogCS(crs));
    if (from == nullptr || to == nullptr) return std::nullopt;
    OSRSetAxisMappingStrategy(from.get(), OAMS_TRADITIONAL_GIS_ORDER);
    OSRSetAxisMappingStrategy(to.get(), OAMS_TRADITIONAL_GIS_ORDER);
    OGRCoordinateTransformationH transformation = OCTNewCoordinateTransformation(from.get(), to.get());
    if (transformation == nullptr) return std::nullopt;
    double x = point.x, y = point.y;
    const bool done = OCTTransform(transformation, 1, &x, &y, nullptr) != 0;
    OCTDestroyCoordinateTransformation(transformation);
    if (!done || !std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
    return GeoPosition{x, y};
}

/// Numbers without a CRS that can only be meant as longitude and latitude. A small grid of fine metres is not
/// taken for degrees as long as it begins at 0, 0, as such grids do.
bool looksLikeDegrees(const Georeference& at, const RasterInfo& info) {
    if (!at.position || at.stepX > 0.02 || at.stepY > 0.02) return false;
    const double west = at.position->x, north = at.position->y;
    const double east = west + at.stepX * info.width, south = north - at.stepY * info.height;
    if (std::abs(west) <= at.stepX && std::abs(south) <= at.stepY) return false;
    return west >= -180 && east <= 360 && south >= -90 && north <= 90;
}

}  // namespace

Crs crsFromText(const std::string& text) {
    const GdalErrors errors;
    Crs crs(OSRNewSpatialReference(nullptr));
    if (crs == nullptr) return crs;
    char** lines = CSLTokenizeString2(text.c_str(), "\r\n", 0);
    const bool esri =
        lines != nullptr && lines[0] != nullptr && OSRImportFromESRI(crs.get(), lines) == OGRERR_NONE;
    CSLDestroy(lines);
    if (esri) return crs;
    crs.reset(OSRNewSpatialReference(nullptr));
    char* wkt = const_cast<char*>(text.c_str());  // moved, not written to
    if (crs == nullptr || OSRImportFromWkt(crs.get(), &wkt) != OGRERR_NONE) crs.reset();
    return crs;
}

MetresPerDegree metresPerDegree(double latitude, double semiMajor, double flattening) {
    const double phi = std::clamp(latitude, -89.9, 89.9) * kDegree;
    const double e2 = flattening * (2 - flattening);
    const double w2 = 1 - e2 * std::sin(phi) * std::sin(phi);
    return {semiMajor / std::sqrt(w2) * std::cos(phi) * kDegree,
            semiMajor * (1 - e2) / (w2 * std::sqrt(w2)) * kDegree};
}

MetresPerDegree metresPerDegree(double latitude) {
    return metresPerDegree(latitude, kWgs84Axis, kWgs84Flattening);
}

Result<void> placeRaster(RasterInfo& info, const Georeference* georeference, const ImportOptions& options,
                         const Externals& externals, const std::string& name) {
    const GdalErrors errors;
    info.spacingFrom = SpacingFrom::Assumed;
    info.spacingX = info.spacingZ = 1;
    if (georeference != nullptr) {
        const Georeference& at = *georeference;
        OGRSpatialReferenceH crs = at.crs.get();
        const bool finite =
            std::isfinite(at.stepX) && std::isfinite(at.stepY) && at.stepX > 0 && at.stepY > 0 &&
            (!at.position || (std::isfinite(at.position->x) && std::isfinite(at.position->y)));
        if (!finite) {
            if (!options.spacing) {
                return makeError(ErrorCode::CorruptData,
                                 "%s: spacing %g x %g in the file is none; give the spacing as an option",
                                 name.c_str(), at.stepX, at.stepY);
            }
            crs = nullptr;
        }
        bool degrees = false;
        double angularUnit = 1, axis = kWgs84Axis, flattening = kWgs84Flattening;
        if (crs != nullptr) {
            info.crs = crsName(crs);
            degrees = OSRIsGeographic(crs) != 0;
            if (degrees) angularUnit = OSRGetAngularUnits(crs, nullptr) / kDegree;
            OGRErr wrong = OGRERR_NONE;
            const double found = OSRGetSemiMajor(crs, &wrong);
            if (wrong == OGRERR_NONE && found > 0) {
                axis = found;
                const double inverse = OSRGetInvFlattening(crs, &wrong);
                flattening = inverse > 1 ? 1 / inverse : 0;
            }
            if (at.position) info.position = geographic(crs, *at.position);
        } else if (finite && at.degrees) {
            degrees = true;
            if (at.position) info.position = GeoPosition{at.position->x, at.position->y};
        } else if (finite && looksLikeDegrees(at, info)) {
            degrees = true;
            info.position = GeoPosition{at.position->x, at.position->y};
            logMessage(externals, LogLevel::Warning,
                       "%s: no coordinate system given, but the numbers look like degrees and are taken for "
                       "degrees on WGS 84; give the spacing as an option if they are not",
                       name.c_str());
        }
        if (degrees && at.position) {
            const double centre = (at.position->y - at.stepY * (info.height - 1) * 0.5) * angularUnit;
            const MetresPerDegree metres = metresPerDegree(centre, axis, flattening);
            info.spacingX = at.stepX * angularUnit * metres.longitude;
            info.spacingZ = at.stepY * angularUnit * metres.latitude;
            info.spacingFrom = SpacingFrom::Degrees;
        } else if (degrees) {
            // A degree's length east needs a latitude; the length north stands for both.
            info.spacingX = at.stepX * angularUnit * metresPerDegree(45, axis, flattening).latitude;
            info.spacingZ = at.stepY * angularUnit * metresPerDegree(45, axis, flattening).latitude;
            info.spacingFrom = SpacingFrom::Degrees;
            if (!options.spacing) {
                logMessage(
                    externals, LogLevel::Warning,
                    "%s: spacing in degrees without a latitude; %.3f x %.3f m assumed, give the spacing as "
                    "an option",
                    name.c_str(), info.spacingX, info.spacingZ);
            }
        } else if (finite) {
            const double unit = crs == nullptr ? 1.0 : OSRGetLinearUnits(crs, nullptr);
            const double metres = std::isfinite(unit) && unit > 0 ? unit : 1.0;
            info.spacingX = at.stepX * metres;
            info.spacingZ = at.stepY * metres;
            info.spacingFrom = SpacingFrom::File;
            if (info.crs == "EPSG:3857" && !options.spacing) {
                logMessage(externals, LogLevel::Warning,
                           "%s: Web Mercator's metres are true at the equator only; reproject the file or "
                           "give the spacing as an option",
                           name.c_str());
            }
        }
    }
    if (options.spacing) {
        info.spacingX = options.spacing->x;
        info.spacingZ = options.spacing->z;
        info.spacingFrom = SpacingFrom::Option;
    }
    constexpr double kLargest = 1e12;
    if (!(info.spacingX > 0 && info.spacingX < kLargest && info.spacingZ > 0 && info.spacingZ < kLargest)) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: spacing %g x %g m; both must be above 0 and below %g, give them as an option",
                         name.c_str(), info.spacingX, info.spacingZ, kLargest);
    }
    if (!(info.spacingX >= 1e-9 && info.spacingZ >= 1e-9)) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: spacing %g x %g m is too fine; give it as an option", name.c_str(),
                         info.spacingX, info.spacingZ);
    }
    return {};
}

}  // namespace karst::importer
