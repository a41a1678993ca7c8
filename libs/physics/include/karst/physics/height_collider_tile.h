#pragma once

#include <karst/base/function_ref.h>
#include <karst/base/math.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace karst::physics {

/// The ground of one height tile for contacts and rays: its samples, its holes, and the samples one beyond
/// its borders, which the marks of border edges need. Triangles are those of heightfield/height_triangle.h;
/// triangle 2 * (z * cells + x) is the lower one of cell (x, z), the next the upper. Immutable and shared;
/// readable from any thread.
class HeightColliderTile {
  public:
    struct Data {
        std::int32_t tileX = 0, tileZ = 0;
        std::int32_t cells = 64;
        double spacing = 1;
        /// Heights above the terrain's own zero at x, z = -1 .. cells + 1, row by row along x: (cells + 3)^2.
        /// NaN where there is none beyond a border.
        std::vector<float> heights;
        /// cells^2, row by row along x: true is a hole. Empty is none.
        std::vector<bool> holes;
    };
    explicit HeightColliderTile(Data data);
    ~HeightColliderTile();

    const Data& data() const { return m_data; }
    float height(std::int32_t x, std::int32_t z) const {
        return m_data.heights[static_cast<std::size_t>((z + 1) * (m_data.cells + 3) + x + 1)];
    }
    bool hole(std::int32_t x, std::int32_t z) const {
        return !m_data.holes.empty() && m_data.holes[static_cast<std::size_t>(z * m_data.cells + x)];
    }
    float minHeight() const { return m_minHeight; }
    float maxHeight() const { return m_maxHeight; }

  private:
    Data m_data;
    float m_minHeight = 0, m_maxHeight = 0;
};

}  // namespace karst::physics
