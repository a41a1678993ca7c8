#pragma once

#include <karst/heightfield/surface.h>
#include <karst/heightfield_lod/tile_selection.h>

#include <array>
#include <cstdint>
#include <span>

namespace karst::heightfield {

/// How the numbers of one tile's layer of the pool lie (spec row H20): a picture of 32-bit floats, row by
/// row.
///
///   rows 0 .. cells + 2: the lattice with its apron; sample (i, j) at column i + 1, row j + 1.
///   rows ringRow + side (TileSide): what lies one stride beyond that side, for each stride 2^n from 2 to
///     cells. The sample beside place t (a multiple of 2^n) is at column ringColumn(n) + t / 2^n.
///   rows gapRow ..: the mask of cells that are not ground, 16 cells a number, as whole numbers: cell (i, j)
///     is bit c & 15 of number c >> 4, c = j * cells + i; number w is at column w % width, row gapRow + w /
///     width.
struct TileLayerShape {
    std::uint32_t cells = 0, levels = 0;  ///< of a tile; log2(cells)
    std::uint32_t width = 0, height = 0;
    std::uint32_t ringRow = 0, gapRow = 0;

    std::size_t size() const { return std::size_t{width} * height; }
    std::size_t bytes() const { return size() * sizeof(float); }
    /// n: 1 .. levels.
    std::uint32_t ringColumn(std::uint32_t n) const { return cells - (cells >> (n - 1)) + n - 1; }
};

/// For a valid layout.
TileLayerShape tileLayerShape(const TileLayout& layout);

/// The tile beyond each side that a layer's rings read: of the tile's level, else the nearest coarser one
/// that is resident; null where there is none, as beyond the terrain's edge.
using LayerSources = std::array<const HeightTile*, 4>;
LayerSources layerSources(const Surface& surface, const TileKey& key);

/// Differs where a tile, or one that its layer's rings read, is another or of another revision: then the
/// layer must be written again.
std::uint64_t layerStamp(const HeightTile& tile, const LayerSources& sources);

/// Writes a tile's layer; `out` is shape.size() numbers (asserted). The lattice and apron are the tile's
/// samples. Rings take the source's samples where it shares those lattice points. Where nothing does, and in
/// the apron beyond the last tile that holds ground, the slope continues: twice the side's sample less the
/// one a stride inside.
void writeTileLayer(const TileLayout& layout, const TileLayerShape& shape, const HeightTile& tile,
                    const LayerSources& sources, std::span<float> out);

}  // namespace karst::heightfield
