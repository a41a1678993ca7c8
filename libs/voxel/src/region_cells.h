#pragma once

#include <karst/voxel/cell_view.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace karst::voxel {

/// The place of a cell in an array of a region's cells: x fastest, then z, then y.
inline std::size_t indexInRegion(const CellBox& region, std::int32_t x, std::int32_t y, std::int32_t z) {
    const std::size_t sizeX = static_cast<std::size_t>(region.max.x - region.min.x);
    const std::size_t sizeZ = static_cast<std::size_t>(region.max.z - region.min.z);
    return static_cast<std::size_t>(x - region.min.x) +
           sizeX * (static_cast<std::size_t>(z - region.min.z) +
                    sizeZ * static_cast<std::size_t>(y - region.min.y));
}

inline CellCoord sizeOf(const CellBox& region) {
    return {region.max.x - region.min.x, region.max.y - region.min.y, region.max.z - region.min.z};
}

/// All cells of a region; what lies beyond the grid's limit reads empty.
inline std::vector<Cell> readCells(const CellView& view, const CellBox& region) {
    std::vector<Cell> out(static_cast<std::size_t>(region.cellCount()));
    const ChunkCoord low = chunkOf(region.min),
                     high = chunkOf({region.max.x - 1, region.max.y - 1, region.max.z - 1});
    for (std::int32_t cy = low.y; cy <= high.y; ++cy) {
        for (std::int32_t cz = low.z; cz <= high.z; ++cz) {
            for (std::int32_t cx = low.x; cx <= high.x; ++cx) {
                const Chunk* chunk = view.chunk({cx, cy, cz});
                if (!chunk) continue;
                const CellBox part = intersect(region, chunkBox({cx, cy, cz}));
                const std::int32_t width = part.max.x - part.min.x;
                for (std::int32_t y = part.min.y; y < part.max.y; ++y) {
                    for (std::int32_t z = part.min.z; z < part.max.z; ++z) {
                        Cell* row = out.data() + indexInRegion(region, part.min.x, y, z);
                        if (chunk->uniform()) {
                            std::fill_n(row, width, chunk->uniformCell());
                        } else {
                            std::copy_n(chunk->cells().data() + cellIndex(part.min.x, y, z), width, row);
                        }
                    }
                }
            }
        }
    }
    return out;
}

/// Calls `each(cell, index)` for every cell of a block that is being edited, the index as indexInRegion().
template <class Each>
void forEachCell(const EditBlock& block, const CellBox& region, Each&& each) {
    for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
        for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z) {
            Cell* row = block.row(y, z);
            const std::size_t first = indexInRegion(region, block.box.min.x, y, z);
            const std::size_t width = static_cast<std::size_t>(block.box.max.x - block.box.min.x);
            for (std::size_t i = 0; i < width; ++i)
                each(row[i], first + i);
        }
    }
}

/// The cell at an index of indexInRegion().
inline CellCoord cellInRegion(const CellBox& region, std::size_t index) {
    const CellCoord size = sizeOf(region);
    const std::size_t sizeX = static_cast<std::size_t>(size.x), sizeZ = static_cast<std::size_t>(size.z);
    return {region.min.x + static_cast<std::int32_t>(index % sizeX),
            region.min.y + static_cast<std::int32_t>(index / (sizeX * sizeZ)),
            region.min.z + static_cast<std::int32_t>(index / sizeX % sizeZ)};
}

}  // namespace karst::voxel
