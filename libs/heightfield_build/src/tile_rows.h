#pragma once

#include <karst/heightfield/package_format.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace karst::heightfield {

/// A row of a level's stored tiles.
struct TileRow {
    std::int32_t level = 0;
    std::uint32_t z = 0;
};

/// All rows of stored tiles in the order in which a builder that gets the samples row by row finishes them: a
/// row is done with the last sample row of its apron, finer levels first. Children come before their parents.
class TileRowOrder {
  public:
    explicit TileRowOrder(const TileLayout& layout) : m_layout(layout), m_next(layout.storedLevels, 0) {}

    std::optional<TileRow> next() {
        std::optional<TileRow> best;
        std::uint64_t bestRow = 0;
        for (std::int32_t level = 0; level <= m_layout.rootLevel(); ++level) {
            const std::uint32_t z = m_next[static_cast<std::size_t>(level)];
            if (z >= storedTilesZ(m_layout, level)) continue;
            const std::uint64_t row = ((z + std::uint64_t{1}) * m_layout.tileCells + 1) << level;
            if (best && bestRow <= row) continue;
            best = TileRow{level, z};
            bestRow = row;
        }
        if (best) ++m_next[static_cast<std::size_t>(best->level)];
        return best;
    }

  private:
    TileLayout m_layout;
    std::vector<std::uint32_t> m_next;
};

/// The finest cell along an axis that decides whether a tile's cell is a hole: the one at its centre.
inline std::uint64_t centreCell(const TileLayout& layout, std::int32_t level, std::uint32_t tile,
                                std::uint32_t cell) {
    return ((std::uint64_t{tile} * layout.tileCells + cell) << level) +
           (level > 0 ? std::uint64_t{1} << (level - 1) : 0);
}

/// Does a tile's cell lie past the ground?
inline bool isPadding(const TileLayout& layout, const TileKey& key, std::uint32_t i, std::uint32_t j) {
    return centreCell(layout, key.level, key.x, i) >= layout.samplesX - 1 ||
           centreCell(layout, key.level, key.z, j) >= layout.samplesZ - 1;
}

}  // namespace karst::heightfield
