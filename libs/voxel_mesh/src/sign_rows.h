#pragma once

// Which samples of a field are solid, a row of samples a word.

#include <karst/voxel_mesh/padded_field.h>

#include <cstdint>

namespace karst::voxel_mesh {

/// Rows of the samples from -1 to size on each axis; bit x + 1 of row(y, z) says whether sample (x, y, z) is
/// solid.
struct SignRows {
    std::uint64_t words[34 * 34];
    std::int32_t side = 34;  ///< rows along z and y: size + 2

    std::uint64_t* layer(std::int32_t y) { return words + (y + 1) * side; }
    const std::uint64_t* layer(std::int32_t y) const { return words + (y + 1) * side; }
    std::uint64_t row(std::int32_t y, std::int32_t z) const { return layer(y)[z + 1]; }
};

/// Fills `rows` unless every sample has the same sign; then they may be left as they are.
FieldContent findSignRows(const FieldView& field, SignRows& rows);

}  // namespace karst::voxel_mesh
