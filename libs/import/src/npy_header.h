#pragma once

#include <karst/base/byte_reader.h>
#include <karst/base/result.h>
#include <karst/import/raster_info.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byte_file.h"

namespace karst::importer {

/// The header of numpy's .npy (versions 1 to 3): what an array's bytes are.
struct NpyHeader {
    SampleType type = SampleType::Float64;
    ByteOrder order = ByteOrder::Little;
    bool fortranOrder = false;
    std::vector<std::uint64_t> shape;  ///< empty for a single number
    std::uint64_t dataOffset = 0;
};

/// Reads it and sees to it that the file holds every element that the shape asks for. Unsupported for
/// structures, strings, complex numbers and Python objects.
Result<NpyHeader> readNpyHeader(ByteFile& bytes, const std::string& name);

/// "344 x 403", "(a single number)".
std::string shapeText(const NpyHeader& header);

/// Element `index` of the bytes' order; the caller holds it inside the array.
Result<double> npyNumber(ByteFile& bytes, const NpyHeader& header, std::uint64_t index);

}  // namespace karst::importer
