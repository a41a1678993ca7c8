#pragma once

#include <cstddef>
#include <cstdint>

namespace karst::heightfield {

// How far coarser lattices of a tile are from its finest surface, in steps of the quantisation. Coarse
// triangles share the fine ones' diagonals, so the fine triangles refine the coarse ones and the largest
// distance is at a fine sample: the figures are exact.

/// What no block of a tile is further than from its own two triangles: lets most blocks be told from their
/// corners alone when larger triangles are measured.
struct BlockErrors {
    static constexpr std::uint32_t kCells = 8;  ///< along a block; smaller tiles are one block
    std::uint32_t cells = 0;                    ///< along each block
    std::uint32_t blocks = 0;                   ///< along the tile, at most 16
    float atMost[16 * 16] = {};                 ///< row by row
};

/// Errors of the lattices at stride 1, 2, 4 .. cells of one tile: log2(cells) + 1 entries, the first 0; each
/// the largest of the strides up to its own. `samples` points at sample (0, 0), rows `pitch` samples apart;
/// cells is a power of two, 2 .. 128.
void measureStrideErrors(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells, double* errors,
                         BlockErrors& blocks);

/// The four corners of a larger tile, in quantisation steps.
struct TileCorners {
    std::uint16_t h00 = 0, h10 = 0, h01 = 0, h11 = 0;
};

/// The larger of `atLeast` and the error of drawing one tile of cells x cells as a part of the two triangles
/// of a tile of `span` cells, in which it begins at (x, z). `errors` and `blocks` are the tile's own
/// (measureStrideErrors).
double measureSpanError(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells,
                        const double* errors, const BlockErrors& blocks, const TileCorners& corners,
                        std::uint64_t span, std::uint64_t x, std::uint64_t z, double atLeast);

}  // namespace karst::heightfield
