#pragma once

#include <karst/base/byte_reader.h>
#include <karst/heightfield/height_raster.h>
#include <karst/import/raster_info.h>

#include <cstdint>
#include <optional>
#include <string>

namespace karst::importer {

/// Metres between samples; both above 0.
struct SampleSpacing {
    double x = 1, z = 1;
};

/// What a headerless file (.raw, .r16, .r32, .r8) is made of. Whatever is not given comes from the side-car
/// JSON, then from the file's name and size; see docs/formats-read.md.
struct RawLayout {
    std::optional<int> width, height;
    std::optional<int> channels;         ///< interleaved samples a texel; the first is the height. 1
    std::optional<SampleType> type;      ///< UInt16; Float32 for .r32, UInt8 for .r8
    std::optional<ByteOrder> byteOrder;  ///< Little
};

struct ImportOptions {
    /// Overrides whatever the file says of its spacing.
    std::optional<SampleSpacing> spacing;
    /// The value that marks a sample without data, in the file's own numbers (before scale and range);
    /// overrides the file's own marker.
    std::optional<double> nodata;
    /// Normalised heights: an unsigned sample v of b bits becomes min + v / (2^b - 1) * (max - min), a
    /// floating one min + v * (max - min). Comes from a side-car JSON too.
    std::optional<heightfield::HeightRange> valueRange;
    /// The array of an .npz, the channel of an .exr, the file inside a .zip.
    std::string array;
    /// The band of a GeoTIFF or PNG, from 1.
    int band = 1;
    /// Whether the file's first row is its southern edge, for files that do not say so themselves.
    std::optional<bool> southUp;
    /// Leave heights in the file's unit. Without it, heights in a unit that the file names become metres.
    bool keepHeightUnit = false;
    RawLayout raw;
    /// The side-car JSON; empty: found beside the file by name.
    std::string sidecar;
    /// "RAW" reads a file as headerless whatever its name; empty: told from name and content.
    std::string format;
    /// The most memory that a raster (4 bytes a sample) may take; 0: three quarters of the machine's.
    std::uint64_t maxBytes = 0;
};

/// ImportOptions::maxBytes with its default filled in.
std::uint64_t importMemoryLimit(const ImportOptions& options);

}  // namespace karst::importer
