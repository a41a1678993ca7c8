#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace karst::importer {

/// How a file keeps one sample.
enum class SampleType {
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    Float16,
    Float32,
    Float64,
};

/// Bytes of one sample: 1, 2, 4 or 8.
int sampleBytes(SampleType type);

/// A short word, such as "int16".
std::string_view toString(SampleType type);

/// Where the distance between samples comes from.
enum class SpacingFrom {
    Assumed,  ///< the file says nothing (or not where it lies): 1 m, or what the format's kind makes likely
    File,     ///< lengths in the file, converted to metres
    Degrees,  ///< degrees in the file, projected at the raster's centre
    Option,   ///< ImportOptions::spacing
};

/// A short word, such as "degrees".
std::string_view toString(SpacingFrom from);

/// Degrees, on the raster's own datum; longitude grows to the east, latitude to the north.
struct GeoPosition {
    double longitude = 0, latitude = 0;
};

/// What a raster's file says of it. Sample (0, 0) is the north-west one and the first in the order returned.
struct RasterInfo {
    int width = 0;   ///< samples west to east
    int height = 0;  ///< samples north to south
    /// Metres between neighbouring samples' centres.
    double spacingX = 1, spacingZ = 1;
    SpacingFrom spacingFrom = SpacingFrom::Assumed;
    /// "EPSG:4326" where an authority's code is known, else the system's name, else empty.
    std::string crs;
    /// "GTiff", "SRTMHGT", "USGSDEM", "AAIGrid", "PNG", "EXR", "NPY", "NPZ" or "RAW".
    std::string format;
    SampleType sampleType = SampleType::Float32;
    /// What one step of an integer sample is in the heights returned (always above 0); 0 for floating samples
    /// and numbers that are text.
    double heightStep = 0;
    /// Centre of sample (0, 0), where the file tells.
    std::optional<GeoPosition> position;
    /// The file's own unit of height as it names it, such as "m" or "ft"; empty where it names none.
    std::string heightUnit;
    /// What turned that unit into the metres returned: 1, or 0.3048 for feet.
    double metresPerHeightUnit = 1;

    /// The rest is known once every sample was read: after importRaster or measureRaster, not from
    /// RasterSource::info().
    bool measured = false;
    std::uint64_t voids = 0;   ///< samples without data
    float min = 0, max = 0;    ///< over the samples with data; 0 and 0 where there is none
    bool hasHeights() const {  ///< at least one sample has data
        return measured && voids < static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
    }
};

}  // namespace karst::importer
