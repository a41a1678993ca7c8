#pragma once

#include <cstdint>

namespace karst::voxel {

using MaterialId = std::uint8_t;

/// The id of nothing; every material table has it at index 0.
inline constexpr MaterialId kAir = 0;

/// A cell of the grid: what it is made of and how much of it is filled, occupancy / 255. A cell of air or of
/// occupancy 0 is always stored as the one empty cell {0, 0}. Whether the filling is solid or water is the
/// material's kind, so the solid and the water fraction are two reads of one record.
struct Cell {
    MaterialId material = kAir;
    std::uint8_t occupancy = 0;

    bool empty() const { return occupancy == 0; }
    bool operator==(const Cell&) const = default;
};
static_assert(sizeof(Cell) == 2);

/// The stored form of a cell.
inline Cell canonical(Cell cell) {
    return cell.material == kAir || cell.occupancy == 0 ? Cell{} : cell;
}

/// Cells along a chunk's edge, and in a chunk.
inline constexpr std::int32_t kChunkSize = 32;
inline constexpr std::int32_t kChunkCellCount = kChunkSize * kChunkSize * kChunkSize;

/// Cell coordinates of a grid lie in -kCellLimit <= c < kCellLimit.
inline constexpr std::int32_t kCellLimit = 1 << 28;

/// A cell: it spans [c, c + 1) cell edges from the grid's origin on each axis. X is east, Y up, Z south.
struct CellCoord {
    std::int32_t x = 0, y = 0, z = 0;
    bool operator==(const CellCoord&) const = default;
};

/// A chunk: the cells 32 c .. 32 c + 31 on each axis. Ordered by y, then z, then x.
struct ChunkCoord {
    std::int32_t x = 0, y = 0, z = 0;
    bool operator==(const ChunkCoord&) const = default;
};
inline bool operator<(ChunkCoord a, ChunkCoord b) {
    if (a.y != b.y) return a.y < b.y;
    if (a.z != b.z) return a.z < b.z;
    return a.x < b.x;
}

/// The chunk that holds a cell, also for negative coordinates.
inline ChunkCoord chunkOf(CellCoord cell) {
    return {cell.x >> 5, cell.y >> 5, cell.z >> 5};
}
inline CellCoord firstCell(ChunkCoord chunk) {
    return {chunk.x * kChunkSize, chunk.y * kChunkSize, chunk.z * kChunkSize};
}

/// The place of a cell in its chunk's array: x fastest, then z, then y, so that a level layer is contiguous.
/// Coordinates may be those of the grid or within the chunk.
inline std::int32_t cellIndex(std::int32_t x, std::int32_t y, std::int32_t z) {
    return (x & 31) + kChunkSize * ((z & 31) + kChunkSize * (y & 31));
}
inline std::int32_t cellIndex(CellCoord cell) {
    return cellIndex(cell.x, cell.y, cell.z);
}

/// Cells min <= c < max on each axis; empty where some max <= min.
struct CellBox {
    CellCoord min, max;

    bool empty() const { return max.x <= min.x || max.y <= min.y || max.z <= min.z; }
    bool contains(CellCoord c) const {
        return c.x >= min.x && c.x < max.x && c.y >= min.y && c.y < max.y && c.z >= min.z && c.z < max.z;
    }
    std::int64_t cellCount() const {
        if (empty()) return 0;
        return (std::int64_t{max.x} - min.x) * (std::int64_t{max.y} - min.y) * (std::int64_t{max.z} - min.z);
    }
    bool operator==(const CellBox&) const = default;
};

inline CellBox chunkBox(ChunkCoord chunk) {
    const CellCoord first = firstCell(chunk);
    return {first, {first.x + kChunkSize, first.y + kChunkSize, first.z + kChunkSize}};
}
inline CellBox intersect(const CellBox& a, const CellBox& b) {
    return {{a.min.x > b.min.x ? a.min.x : b.min.x, a.min.y > b.min.y ? a.min.y : b.min.y,
             a.min.z > b.min.z ? a.min.z : b.min.z},
            {a.max.x < b.max.x ? a.max.x : b.max.x, a.max.y < b.max.y ? a.max.y : b.max.y,
             a.max.z < b.max.z ? a.max.z : b.max.z}};
}
/// The smallest box around both; an empty one adds nothing.
inline CellBox unite(const CellBox& a, const CellBox& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {{a.min.x < b.min.x ? a.min.x : b.min.x, a.min.y < b.min.y ? a.min.y : b.min.y,
             a.min.z < b.min.z ? a.min.z : b.min.z},
            {a.max.x > b.max.x ? a.max.x : b.max.x, a.max.y > b.max.y ? a.max.y : b.max.y,
             a.max.z > b.max.z ? a.max.z : b.max.z}};
}

}  // namespace karst::voxel
