#include <algorithm>
#include <cmath>
#include <limits>

#include "input_survey.h"

namespace karst::heightfield {

CornerGrid::CornerGrid(std::uint32_t samplesX, std::uint32_t samplesZ, std::uint32_t tileCells)
    : m_samplesX(samplesX),
      m_samplesZ(samplesZ),
      m_cells(tileCells),
      m_countX((samplesX - 1 + tileCells - 1) / tileCells + 1),
      m_countZ((samplesZ - 1 + tileCells - 1) / tileCells + 1),
      m_heights(std::size_t{m_countX} * m_countZ, std::numeric_limits<float>::quiet_NaN()) {}

void CornerGrid::take(std::uint32_t row, std::span<const float> heights) {
    const bool last = row == m_samplesZ - 1;
    if (row % m_cells != 0 && !last) return;
    const std::uint32_t z = last ? m_countZ - 1 : row / m_cells;
    float* out = m_heights.data() + std::size_t{z} * m_countX;
    for (std::uint32_t x = 0; x < m_countX; ++x) {
        out[x] = heights[std::min(std::size_t{x} * m_cells, std::size_t{m_samplesX} - 1)];
    }
}

void CornerGrid::replaceMissing(float height) {
    for (float& h : m_heights)
        h = std::isfinite(h) ? h : height;
}

std::span<float> CornerGrid::valuesOf(const RowRange& rows) {
    const std::uint32_t first = (rows.first + m_cells - 1) / m_cells;
    const std::uint32_t end = rows.end == m_samplesZ ? m_countZ : (rows.end + m_cells - 1) / m_cells;
    return std::span(m_heights).subspan(std::size_t{first} * m_countX, std::size_t{end - first} * m_countX);
}

float CornerGrid::at(std::uint64_t x, std::uint64_t z) const {
    const auto column = std::min<std::uint64_t>(x, m_countX - 1),
               row = std::min<std::uint64_t>(z, m_countZ - 1);
    return m_heights[static_cast<std::size_t>(row * m_countX + column)];
}

}  // namespace karst::heightfield
