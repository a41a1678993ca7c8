#pragma once

#include <karst/heightfield/height_raster.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace karst::heightfield {

/// Ranges of the finest surface's heights over all ground in squares of level-0 cells, and in ever larger
/// ones of twice the side up to one over all. Ranges may be wider than the surface: they only tell what a ray
/// can skip. Small enough to stay in a processor's caches, where the tiles themselves do not.
class SurfaceCover {
  public:
    static constexpr int kLeastShift = 4;  ///< squares of 16 cells a side

    /// Over so many cells; of at most about `most` squares.
    void reset(double cellsU, double cellsV, std::size_t most);
    /// To the squares of which u0 .. u1 and v0 .. v1, in level-0 cells, hold more than a border.
    void add(double u0, double v0, double u1, double v1, const HeightRange& range);
    /// Of one square, where nothing else is added to it.
    void set(int x, int z, const HeightRange& range) {
        m_ranges[static_cast<std::size_t>(z) * static_cast<std::size_t>(columns()) +
                 static_cast<std::size_t>(x)] = range;
    }
    /// After the last add() and set().
    void finish();

    /// log2 of a square's side in cells.
    int shift() const { return m_shift; }
    int columns() const { return m_levels[0].columns; }
    int rows() const { return m_levels[0].rows; }
    /// low > high: no ground there. x and z are squares' of level 0, held to columns() and rows() by the
    /// caller.
    const HeightRange& at(int level, int x, int z) const {
        const Level& l = m_levels[static_cast<std::size_t>(level)];
        return m_ranges[l.first + static_cast<std::size_t>(z >> level) * static_cast<std::size_t>(l.columns) +
                        static_cast<std::size_t>(x >> level)];
    }
    int levels() const { return m_count; }
    std::size_t memoryBytes() const { return m_ranges.capacity() * sizeof(HeightRange); }

  private:
    struct Level {
        std::size_t first = 0;
        int columns = 0, rows = 0;
    };
    std::array<Level, 33> m_levels;
    int m_shift = kLeastShift, m_count = 0;
    std::vector<HeightRange> m_ranges;
};

}  // namespace karst::heightfield
