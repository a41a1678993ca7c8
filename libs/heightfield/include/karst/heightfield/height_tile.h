#pragma once

#include <karst/base/page_heap.h>
#include <karst/heightfield/tile_layout.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace karst::heightfield {

/// One tile of a pyramid, immutable once shared (spec row H4).
///
/// Samples are row-major with the apron: sample (i, j), i and j in -1 .. tileCells + 1, is samples[(j + 1) *
/// side + i + 1]. Cells (i, j), 0 .. tileCells - 1, lie between samples, in the two triangles of
/// height_triangle.h.
struct HeightTile {
    TileKey key;
    /// Raised when the samples change under the same key (a crater); 0 as loaded.
    std::uint64_t revision = 0;
    std::uint32_t side = 0;  ///< layout.tileSide()
    PagedVector<float> samples;
    /// Of the finest surface inside the footprint, detail not counted.
    HeightRange bounds;
    /// Entry i is the largest error, in world units, of drawing the footprint with the lattice at level
    /// firstErrorLevel + i instead of the finest surface. Monotone, finite, not negative. A stored tile's
    /// covers the levels key.level .. key.level + tileLevels().
    std::int32_t firstErrorLevel = 0;
    std::vector<double> errors;
    /// One bit a cell, row-major (bit j * tileCells + i); empty where the tile has no hole. At coarser levels
    /// a cell is a hole where the finest cell at its centre is: finest cell (i * 2^L + 2^(L-1), likewise j).
    std::vector<std::uint64_t> holes;
    /// Up to four layers of 8-bit material weights, materialLayers * side * side, layer after layer; empty
    /// where unused.
    std::uint32_t materialLayers = 0;
    std::vector<std::uint8_t> materials;

    float sample(int i, int j) const {
        return samples[static_cast<std::size_t>(j + kTileApron) * side +
                       static_cast<std::size_t>(i + kTileApron)];
    }
    bool isHole(int i, int j) const {
        if (holes.empty()) return false;
        const std::size_t bit =
            static_cast<std::size_t>(j) * (side - 1 - 2 * kTileApron) + static_cast<std::size_t>(i);
        return (holes[bit >> 6] >> (bit & 63) & 1u) != 0;
    }
    /// Error of drawing at a level; 0 below the table, its last entry above it.
    double errorAt(std::int32_t level) const {
        if (errors.empty() || level < firstErrorLevel) return 0;
        const auto index = static_cast<std::size_t>(level - firstErrorLevel);
        return errors[index < errors.size() ? index : errors.size() - 1];
    }
    std::size_t memoryBytes() const {
        return sizeof(HeightTile) + samples.capacity() * sizeof(float) + errors.capacity() * sizeof(double) +
               holes.capacity() * sizeof(std::uint64_t) + materials.capacity();
    }
};

using TilePtr = std::shared_ptr<const HeightTile>;

/// Checks a tile against a layout: key, sizes, finite samples, bounds in order and finite, monotone error
/// table. The error names the tile and the field. For tiles from outside; the decoder calls it.
Result<void> validate(const HeightTile& tile, const TileLayout& layout);

}  // namespace karst::heightfield
