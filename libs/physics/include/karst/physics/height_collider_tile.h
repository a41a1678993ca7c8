#pragma once

#include <karst/heightfield/height_tile.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace karst::physics {

/// A height tile made ready for contacts and rays: the tile itself, shared, and the range of its heights by
/// blocks of 8 x 8 cells. Triangle 2 * (z * tileCells + x) is the lower one of cell (x, z)
/// (heightfield/height_triangle.h), the next its upper one. Immutable and shared; readable from any thread.
class HeightColliderTile {
  public:
    static constexpr int kBlockCells = 8;
    struct Range {
        float min, max;
    };

    /// `tile` is of the layout. Cells past the layout's ground are none.
    HeightColliderTile(heightfield::TilePtr tile, const heightfield::TileLayout& layout);

    const heightfield::TilePtr& tile() const { return m_tile; }
    int cells() const { return m_cells; }
    /// Heights at x, z = -1 .. cells() + 1: the tile's apron is there too.
    float height(int x, int z) const { return m_tile->sample(x, z); }
    /// Is there ground in the cell: neither a hole nor past the end. False outside of the tile.
    bool ground(int x, int z) const {
        return x >= 0 && z >= 0 && x < m_groundX && z < m_groundZ && !m_tile->isHole(x, z);
    }
    Range range() const { return m_range; }
    int blocks() const { return m_blocks; }  ///< along a side
    Range blockRange(int x, int z) const {
        return m_blockRanges[static_cast<std::size_t>(z) * static_cast<std::size_t>(m_blocks) +
                             static_cast<std::size_t>(x)];
    }
    std::size_t memoryBytes() const;

  private:
    heightfield::TilePtr m_tile;
    int m_cells, m_groundX, m_groundZ, m_blocks;
    Range m_range;
    std::vector<Range> m_blockRanges;
};

/// Null stands for a tile without ground.
using HeightColliderTilePtr = std::shared_ptr<const HeightColliderTile>;

}  // namespace karst::physics
