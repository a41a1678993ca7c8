#include "import_arguments.h"

#include <karst/heightfield/height_raster.h>

#include <array>
#include <limits>
#include <utility>

namespace karst::tool {
namespace {

using heightfield::HeightRaster;
using importer::ImportOptions;
using importer::SampleType;

Result<void> setSpacing(const std::string& text, ImportOptions& options) {
    const bool both = text.find(',') != std::string::npos;
    const auto numbers = parseNumbers(text, both ? 2 : 1);
    if (!numbers) return numbers.error();
    const importer::SampleSpacing spacing{numbers->front(), numbers->back()};
    if (!(spacing.x > 0 && spacing.z > 0)) {
        return makeError(ErrorCode::InvalidArgument, "'%s' must be above 0", text.c_str());
    }
    options.spacing = spacing;
    return {};
}

Result<void> setRange(const std::string& text, ImportOptions& options) {
    const auto numbers = parseNumbers(text, 2);
    if (!numbers) return numbers.error();
    constexpr double kMost = std::numeric_limits<float>::max();
    const double low = (*numbers)[0], high = (*numbers)[1];
    if (!(low >= -kMost && low < high && high <= kMost)) {
        return makeError(ErrorCode::InvalidArgument, "'%s' must be MIN,MAX with MIN below MAX", text.c_str());
    }
    options.valueRange = heightfield::HeightRange{static_cast<float>(low), static_cast<float>(high)};
    return {};
}

Result<void> setType(const std::string& text, ImportOptions& options) {
    std::string known;
    for (const SampleType type :
         {SampleType::UInt8, SampleType::Int8, SampleType::UInt16, SampleType::Int16, SampleType::UInt32,
          SampleType::Int32, SampleType::UInt64, SampleType::Int64, SampleType::Float16, SampleType::Float32,
          SampleType::Float64}) {
        const std::string name(toString(type));
        if (name == text) {
            options.raw.type = type;
            return {};
        }
        known += " " + name;
    }
    return makeError(ErrorCode::InvalidArgument, "'%s' is none of%s", text.c_str(), known.c_str());
}

Result<void> setByteOrder(const std::string& text, ImportOptions& options) {
    if (text != "little" && text != "big") {
        return makeError(ErrorCode::InvalidArgument, "'%s' is neither little nor big", text.c_str());
    }
    options.raw.byteOrder = text == "little" ? ByteOrder::Little : ByteOrder::Big;
    return {};
}

}  // namespace

void addImportArguments(Arguments& parser, ImportOptions& options, const char* formatOption) {
    using Set = Result<void> (*)(const std::string&, ImportOptions&);
    const auto into = [&options](Set set) -> Setter {
        return [&options, set](const std::string& text) { return set(text, options); };
    };
    parser.section("How to read the file");
    parser.option("--spacing", "S or SX,SZ", "metres between samples, over what the file says",
                  into(setSpacing));
    parser.option("--array", "NAME", "the array of an .npz, the channel of an .exr, the file in a .zip",
                  intoString(options.array));
    parser.option("--band", "N", "the band of a GeoTIFF or PNG, from 1 (1)",
                  into([](const std::string& text, ImportOptions& o) -> Result<void> {
                      const Result<int> band = parseInteger(text, 1, 65535);
                      if (!band) return band.error();
                      o.band = *band;
                      return {};
                  }));
    parser.option("--nodata", "V", "the value that marks samples without data",
                  into([](const std::string& text, ImportOptions& o) -> Result<void> {
                      const Result<double> value = parseNumber(text);
                      if (!value) return value.error();
                      o.nodata = *value;
                      return {};
                  }));
    parser.option("--range", "MIN,MAX", "heights that normalised samples 0 and 1 (or the greatest) stand for",
                  into(setRange));
    const auto southUp = [&options](bool value) -> Setter {
        return [&options, value](const std::string&) -> Result<void> {
            options.southUp = value;
            return {};
        };
    };
    parser.option("--south-up", "", "the first row is the southern edge, where the file does not say",
                  southUp(true));
    parser.option("--north-up", "", "the first row is the northern edge, where the file does not say",
                  southUp(false));
    parser.flag("--keep-height-unit", "leave heights in the file's unit instead of metres",
                options.keepHeightUnit);
    parser.option("--max-memory", "MIB", "the most memory that the heights may take",
                  into([](const std::string& text, ImportOptions& o) -> Result<void> {
                      const Result<int> mebibytes = parseInteger(text, 1, std::numeric_limits<int>::max());
                      if (!mebibytes) return mebibytes.error();
                      o.maxBytes = static_cast<std::uint64_t>(*mebibytes) << 20;
                      return {};
                  }));
    parser.section("Files without a header (.raw .r8 .r16 .r32)");
    parser.option(formatOption, "RAW", "read the file as headerless whatever its name",
                  intoString(options.format));
    parser.option("--width", "N", "samples in a row",
                  intoInteger(options.raw.width, 1, HeightRaster::kMaxSide));
    parser.option("--height", "N", "rows", intoInteger(options.raw.height, 1, HeightRaster::kMaxSide));
    parser.option("--channels", "N", "interleaved numbers a sample; the first is the height (1)",
                  intoInteger(options.raw.channels, 1, 64));
    parser.option("--type", "TYPE", "uint8 int16 uint16 float32 ...", into(setType));
    parser.option("--byte-order", "ORDER", "little or big (little)", into(setByteOrder));
    parser.option("--sidecar", "FILE", "the JSON that describes it (found beside the file by its name)",
                  intoString(options.sidecar));
}

}  // namespace karst::tool
