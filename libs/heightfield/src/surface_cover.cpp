#include "surface_cover.h"

#include <cmath>
#include <limits>

namespace karst::heightfield {
namespace {

void unite(HeightRange& range, const HeightRange& other) {
    range.min = std::min(range.min, other.min);
    range.max = std::max(range.max, other.max);
}

}  // namespace

void SurfaceCover::reset(double cellsU, double cellsV, std::size_t most) {
    const auto squares = [&](double cells) {
        return std::max(static_cast<int>(std::ceil(std::ldexp(cells, -m_shift))), 1);
    };
    m_shift = kLeastShift;
    while (static_cast<double>(squares(cellsU)) * squares(cellsV) > static_cast<double>(most))
        ++m_shift;
    int columns = squares(cellsU), rows = squares(cellsV);
    std::size_t total = 0;
    for (m_count = 0;; columns = (columns + 1) / 2, rows = (rows + 1) / 2) {
        m_levels[static_cast<std::size_t>(m_count++)] = {total, columns, rows};
        total += static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
        if (columns == 1 && rows == 1) break;
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    m_ranges.assign(total, HeightRange{kInfinity, -kInfinity});
}

void SurfaceCover::add(double u0, double v0, double u1, double v1, const HeightRange& range) {
    const double scale = 1.0 / static_cast<double>(std::uint64_t{1} << m_shift);
    const auto first = [&](double at) { return static_cast<int>(at * scale); };
    const auto end = [&](double at, int most) {
        return static_cast<int>(std::ceil(std::min(at * scale, static_cast<double>(most))));
    };
    const int x0 = first(u0), x1 = end(u1, columns()), z1 = end(v1, rows());
    for (int z = first(v0); z < z1; ++z) {
        for (int x = x0; x < x1; ++x)
            unite(m_ranges[static_cast<std::size_t>(z) * static_cast<std::size_t>(columns()) +
                           static_cast<std::size_t>(x)],
                  range);
    }
}

void SurfaceCover::finish() {
    for (int level = 1; level < m_count; ++level) {
        const Level &fine = m_levels[static_cast<std::size_t>(level) - 1],
                    &coarse = m_levels[static_cast<std::size_t>(level)];
        for (int z = 0; z < fine.rows; ++z) {
            const HeightRange* from =
                &m_ranges[fine.first + static_cast<std::size_t>(z) * static_cast<std::size_t>(fine.columns)];
            HeightRange* to = &m_ranges[coarse.first + static_cast<std::size_t>(z >> 1) *
                                                           static_cast<std::size_t>(coarse.columns)];
            for (int x = 0; x < fine.columns; ++x)
                unite(to[x >> 1], from[x]);
        }
    }
}

}  // namespace karst::heightfield
