#pragma once

#include <karst/heightfield_mesh/tile_layer.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::heightfield {

/// How the slopes of one tile's lattices lie, for normals finer than the lattice that is drawn (spec row
/// HX4): a picture of pairs of 16-bit floats (x in the low half of a word), row by row. The lattice of stride
/// 2^n has its point (i, j), multiples of that stride, at column(n) + i / 2^n, row(n) + j / 2^n.
struct TileSlopeShape {
    std::uint32_t cells = 0, levels = 0;  ///< of a tile; log2(cells)
    std::uint32_t width = 0, height = 0;

    std::size_t size() const { return std::size_t{width} * height; }
    std::size_t bytes() const { return size() * sizeof(std::uint32_t); }
    /// n: 0 .. levels.
    std::uint32_t column(std::uint32_t n) const { return n == 0 ? 0 : cells + 1; }
    std::uint32_t row(std::uint32_t n) const { return n == 0 ? 0 : cells - (cells >> (n - 1)) + n - 1; }
};

TileSlopeShape tileSlopeShape(const TileLayerShape& layer);

/// Writes a tile's slopes from its layer, which writeTileLayer wrote: the central difference at each lattice
/// point, of the samples a stride away, in rise per cell of level 0; `level`: of the tile. `out` is
/// shape.size() words (asserted). Tiles whose layers hold the same samples around a point of their common
/// border write the same bits there. Slopes beyond what 16 bits hold are held to 65504.
void writeTileSlopes(const TileSlopeShape& shape, const TileLayerShape& layerShape,
                     std::span<const float> layer, std::int32_t level, std::span<std::uint32_t> out);

/// The 16-bit float nearest to a number, ties to even; held to +-65504, NaN gives 0.
std::uint16_t toHalf(float value);

}  // namespace karst::heightfield
