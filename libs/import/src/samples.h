#pragma once

#include <karst/base/byte_reader.h>
#include <karst/base/result.h>
#include <karst/import/import_options.h>
#include <karst/import/raster_info.h>

#include <cstddef>
#include <optional>
#include <string>

namespace karst::importer {

/// How stored samples become heights: first the test for voids, on the sample as stored, then
/// height = sample * scale + offset.
struct SampleRule {
    SampleType type = SampleType::Int16;
    ByteOrder order = ByteOrder::Little;
    std::optional<double> nodata;
    double scale = 1, offset = 0;
};

/// Floating samples of this magnitude and beyond are no ground but somebody's marker for its absence, such as
/// -FLT_MAX under a nodata tag that was rounded to -3.4e+38.
inline constexpr double kNoGround = 1e38;

/// RasterInfo::heightStep.
double heightStepOf(const SampleRule& rule);

/// The byte order of this machine.
ByteOrder hostByteOrder();

/// Turns `count` samples, `fromStride` bytes apart, into heights `toStride` floats apart; voids become NaN.
/// `from` and `to` may be the same Float32 samples (both strides dense).
void decodeSamples(const SampleRule& rule, const std::byte* from, std::size_t fromStride, std::size_t count,
                   float* to, std::size_t toStride = 1);

/// The height of a number that was text: NaN where it is a void.
float heightOfNumber(const SampleRule& rule, double value);

/// Folds ImportOptions::valueRange into scale and offset. Unsupported where the samples are signed.
Result<void> applyValueRange(SampleRule& rule, const std::optional<heightfield::HeightRange>& range,
                             const std::string& name);

}  // namespace karst::importer
