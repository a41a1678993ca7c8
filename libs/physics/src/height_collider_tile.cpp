#include <karst/physics/height_collider_tile.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace karst::physics {
namespace {

/// Cells of the tile, along one axis, that the ground reaches into.
int groundCells(std::uint32_t tile, std::int32_t level, std::uint32_t tileCells, std::uint32_t samples) {
    const double finestCells = static_cast<double>(samples) - 1;
    const double scale = std::ldexp(1.0, -level);
    const double reached = std::ceil(finestCells * scale) - static_cast<double>(tile) * tileCells;
    return static_cast<int>(std::clamp(reached, 0.0, static_cast<double>(tileCells)));
}

}  // namespace

HeightColliderTile::HeightColliderTile(heightfield::TilePtr tile, const heightfield::TileLayout& layout)
    : m_tile(std::move(tile)), m_cells(static_cast<int>(layout.tileCells)) {
    KARST_ASSERT(m_tile != nullptr && m_tile->side == layout.tileSide());
    const heightfield::TileKey key = m_tile->key;
    m_groundX = groundCells(key.x, key.level, layout.tileCells, layout.samplesX);
    m_groundZ = groundCells(key.z, key.level, layout.tileCells, layout.samplesZ);
    m_blocks = (m_cells + kBlockCells - 1) / kBlockCells;
    m_blockRanges.reserve(static_cast<std::size_t>(m_blocks) * static_cast<std::size_t>(m_blocks));
    m_range = {height(0, 0), height(0, 0)};
    for (int blockZ = 0; blockZ < m_blocks; ++blockZ) {
        for (int blockX = 0; blockX < m_blocks; ++blockX) {
            const int beginX = blockX * kBlockCells, endX = std::min(beginX + kBlockCells, m_cells);
            const int beginZ = blockZ * kBlockCells, endZ = std::min(beginZ + kBlockCells, m_cells);
            Range range{height(beginX, beginZ), height(beginX, beginZ)};
            for (int z = beginZ; z <= endZ; ++z) {
                for (int x = beginX; x <= endX; ++x) {
                    range.min = std::min(range.min, height(x, z));
                    range.max = std::max(range.max, height(x, z));
                }
            }
            m_range = {std::min(m_range.min, range.min), std::max(m_range.max, range.max)};
            m_blockRanges.push_back(range);
        }
    }
}

std::size_t HeightColliderTile::memoryBytes() const {
    return sizeof(HeightColliderTile) + m_blockRanges.capacity() * sizeof(Range);
}

}  // namespace karst::physics
