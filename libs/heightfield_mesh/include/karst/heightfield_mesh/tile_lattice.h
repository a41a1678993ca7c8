#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace karst::heightfield {

/// A part of TerrainGrid::indices.
struct TerrainIndexRange {
    std::uint32_t first = 0, count = 0;

    bool operator==(const TerrainIndexRange&) const = default;
};

/// Where vertex (i, j) of the shared lattice is found in an index: there is no vertex buffer, an index holds
/// its vertex's place. i and j are 0 .. 128.
constexpr std::uint16_t latticeIndex(std::uint32_t i, std::uint32_t j) {
    return static_cast<std::uint16_t>(i | j << 8);
}

/// The same for a vertex of a seam: at `place` (0 .. 128) of a side (TileSide), of a triangle that joins the
/// stride 2^level (0 .. 6) to the next. Never a latticeIndex.
constexpr std::uint16_t seamIndex(std::uint32_t side, std::uint32_t level, std::uint32_t place) {
    return static_cast<std::uint16_t>((129 + side * 7 + level) | place << 8);
}

/// The one lattice that all tiles of a pyramid draw (spec row H19): triangles for each stride a tile may be
/// drawn at.
///
/// Range k draws the lattice at stride 2^k: two triangles a cell, split as in height_triangle.h,
/// counter-clockwise seen from above. The first index of both triangles is the cell's corner at (i + 2^k, j),
/// which is that of no other cell: a flat value taken from the first vertex tells the cell. Cells come in
/// strips 8 cells wide, so that most vertices are still in a GPU's cache when they are used again.
///
/// Where a tile's side is drawn coarser than the tile, its vertices there lie on the straight edges that the
/// neighbour draws, but for the rounding of positions, which opens gaps of a pixel now and then. The range
/// `seams` closes them: for each side and stride 2^n, triangles (t, t + 2^n, t + 2^(n+1)) without area. They
/// are for sides whose detail, less the tile's level, is n + 1 or more, and for no others.
struct TerrainGrid {
    static constexpr std::uint32_t kMaxLevels = 8;

    std::uint32_t cells = 0;   ///< of a tile along a side
    std::uint32_t levels = 0;  ///< ranges in use: log2(cells) + 1
    std::vector<std::uint16_t> indices;
    std::array<TerrainIndexRange, kMaxLevels> ranges;
    TerrainIndexRange seams;
};

/// `tileCells`: a power of two, 2 .. 128 (asserted).
TerrainGrid createTerrainGrid(std::uint32_t tileCells);

}  // namespace karst::heightfield
