#include <karst/base/assert.h>
#include <karst/heightfield_mesh/tile_lattice.h>

#include <algorithm>

namespace karst::heightfield {

TerrainGrid createTerrainGrid(std::uint32_t tileCells) {
    KARST_ASSERT(tileCells >= 2 && tileCells <= 128 && (tileCells & (tileCells - 1)) == 0);
    constexpr std::uint32_t kStrip = 8;
    TerrainGrid grid;
    grid.cells = tileCells;
    for (std::uint32_t stride = 1; stride <= tileCells; stride *= 2) {
        TerrainIndexRange& range = grid.ranges[grid.levels++];
        range.first = static_cast<std::uint32_t>(grid.indices.size());
        const std::uint32_t across = tileCells / stride;
        for (std::uint32_t strip = 0; strip < across; strip += kStrip) {
            for (std::uint32_t row = 0; row < across; ++row) {
                for (std::uint32_t column = strip; column < std::min(strip + kStrip, across); ++column) {
                    const std::uint32_t i = column * stride, j = row * stride;
                    const std::uint16_t v00 = latticeIndex(i, j), v10 = latticeIndex(i + stride, j),
                                        v01 = latticeIndex(i, j + stride),
                                        v11 = latticeIndex(i + stride, j + stride);
                    for (const std::uint16_t index : {v10, v00, v01, v10, v01, v11})
                        grid.indices.push_back(index);
                }
            }
        }
        range.count = static_cast<std::uint32_t>(grid.indices.size()) - range.first;
    }
    grid.seams.first = static_cast<std::uint32_t>(grid.indices.size());
    for (std::uint32_t side = 0; side < 4; ++side) {
        for (std::uint32_t level = 0; level + 1 < grid.levels; ++level) {
            const std::uint32_t stride = 1u << level;
            for (std::uint32_t t = 0; t < tileCells; t += 2 * stride) {
                for (const std::uint32_t place : {t, t + stride, t + 2 * stride})
                    grid.indices.push_back(seamIndex(side, level, place));
            }
        }
    }
    grid.seams.count = static_cast<std::uint32_t>(grid.indices.size()) - grid.seams.first;
    return grid;
}

}  // namespace karst::heightfield
