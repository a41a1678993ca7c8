#pragma once

#include <karst/heightfield/height_tile.h>

#include <cmath>
#include <cstdint>

namespace karst::heightfield {

/// Cells that hold ground: in the pyramid's padding there is none, whatever the tile's mask says.
inline bool isGround(const TileLayout& layout, const HeightTile& tile, std::uint32_t i, std::uint32_t j) {
    if (tile.isHole(static_cast<int>(i), static_cast<int>(j))) return false;
    const double cell = std::ldexp(1.0, tile.key.level);  // in finest cells
    const double x = (tile.key.x * static_cast<double>(layout.tileCells) + i + 0.5) * cell;
    const double z = (tile.key.z * static_cast<double>(layout.tileCells) + j + 0.5) * cell;
    return x < layout.samplesX - 1.0 && z < layout.samplesZ - 1.0;
}

/// May some of the tile's cells hold no ground?
inline bool hasGaps(const TileLayout& layout, const HeightTile& tile) {
    const double span = std::ldexp(static_cast<double>(layout.tileCells), tile.key.level);
    return !tile.holes.empty() || (tile.key.x + 1.0) * span > layout.samplesX - 1.0 ||
           (tile.key.z + 1.0) * span > layout.samplesZ - 1.0;
}

}  // namespace karst::heightfield
