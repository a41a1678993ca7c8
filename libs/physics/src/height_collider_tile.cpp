#include <karst/base/assert.h>
#include <karst/physics/height_collider_tile.h>

#include <algorithm>
#include <utility>

namespace karst::physics {

HeightColliderTile::HeightColliderTile(Data data) : m_data(std::move(data)) {
    const std::int32_t cells = m_data.cells;
    KARST_ASSERT(cells >= 1 && m_data.heights.size() == static_cast<std::size_t>(cells + 3) * (cells + 3));
    KARST_ASSERT(m_data.holes.empty() || m_data.holes.size() == static_cast<std::size_t>(cells) * cells);
    m_minHeight = m_maxHeight = height(0, 0);
    for (std::int32_t z = 0; z <= cells; ++z) {
        for (std::int32_t x = 0; x <= cells; ++x) {
            m_minHeight = std::min(m_minHeight, height(x, z));
            m_maxHeight = std::max(m_maxHeight, height(x, z));
        }
    }
}

HeightColliderTile::~HeightColliderTile() = default;

}  // namespace karst::physics
