#pragma once

#include <karst/heightfield/tile_codec.h>

#include <cstdint>
#include <string>
#include <vector>

namespace karst::heightfield {

/// A tile that verification has read, and what was found wrong with it.
struct SeenTile {
    bool there = false;  ///< could be read and decoded
    QuantisedTile tile;
    std::size_t bytes = 0;
    std::vector<std::string> findings;

    std::uint16_t at(const TileLayout& layout, int i, int j) const {
        return tile.samples[static_cast<std::size_t>(j + kTileApron) * layout.tileSide() +
                            static_cast<std::size_t>(i + kTileApron)];
    }
    bool isHole(const TileLayout& layout, std::uint32_t i, std::uint32_t j) const {
        if (tile.holes.empty()) return false;
        const std::size_t bit = std::size_t{j} * layout.tileCells + i;
        return (tile.holes[bit >> 6] >> (bit & 63) & 1) != 0;
    }
};

/// What a coarser tile's cell must be, by the finest cell at its centre.
enum class ExpectedCell : std::uint8_t { Solid, Hole, Unknown };

// Each adds findings to the tile, which is there. Others may not be: then there is nothing to compare with.

/// Bounds of a tile without children, and no entry of the error table below what its own samples show.
void checkMeasures(const TileLayout& layout, SeenTile& tile);

/// Apron and border against the tile to the right and the one above (null where there is none), and repeated
/// samples before and past the ground.
void checkApron(const TileLayout& layout, SeenTile& tile, SeenTile* right, SeenTile* above);

/// Samples, bounds and shared errors against the children; null for those past the ground.
void checkChildren(const TileLayout& layout, SeenTile& tile, const SeenTile* const (&children)[4]);

/// `cells`: the tile's cells by row, rows `pitch` apart.
void checkHoles(const TileLayout& layout, SeenTile& tile, const ExpectedCell* cells, std::size_t pitch);

}  // namespace karst::heightfield
