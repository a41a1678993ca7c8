#include <karst/base/assert.h>
#include <karst/heightfield_mesh/tile_vertex.h>

#include <cmath>

namespace karst::heightfield {

TileVertexStage::TileVertexStage(const TileLayerShape& shape, std::span<const float> layer,
                                 const TileRecord& record)
    : m_shape(shape), m_layer(layer), m_record(record), m_cells(static_cast<int>(shape.cells)) {
    KARST_ASSERT(layer.size() == shape.size());
    m_level = static_cast<int>(record.detail);
    m_fraction = double{record.detail} - m_level;
}

TileVertexStage::Gradient TileVertexStage::mix(const Gradient& a, const Gradient& b, double t) {
    return {a.x + t * (b.x - a.x), a.z + t * (b.z - a.z)};
}

double TileVertexStage::sample(int i, int j) const {
    return double{m_layer[static_cast<std::size_t>(j + 1) * m_shape.width + static_cast<std::size_t>(i + 1)]};
}

// One stride of 2^n beyond a side.
double TileVertexStage::beyond(TileSide side, int place, int n) const {
    if (n == 0) {
        switch (side) {
            case kSideLowX:
                return sample(-1, place);
            case kSideHighX:
                return sample(m_cells + 1, place);
            case kSideLowZ:
                return sample(place, -1);
            case kSideHighZ:
                return sample(place, m_cells + 1);
        }
    }
    return double{m_layer[std::size_t{m_shape.ringRow + side} * m_shape.width +
                          m_shape.ringColumn(static_cast<std::uint32_t>(n)) +
                          (static_cast<std::uint32_t>(place) >> n)]};
}

// G_n(p) of the class's comment.
TileVertexStage::Gradient TileVertexStage::gradient(int i, int j, int n) const {
    const int s = 1 << n;
    const double lowX = i >= s ? sample(i - s, j) : beyond(kSideLowX, j, n);
    const double highX = i + s <= m_cells ? sample(i + s, j) : beyond(kSideHighX, j, n);
    const double lowZ = j >= s ? sample(i, j - s) : beyond(kSideLowZ, i, n);
    const double highZ = j + s <= m_cells ? sample(i, j + s) : beyond(kSideHighZ, i, n);
    const double perCell = std::ldexp(1.0, -(m_record.level() + n + 1));
    return {(highX - lowX) * perCell, (highZ - lowZ) * perCell};
}

TileVertexStage::Gradient TileVertexStage::between(int i, int j, double detail) const {
    const int n = static_cast<int>(detail);
    const Gradient fine = gradient(i, j, n);
    const double fraction = detail - n;
    return fraction > 0 ? mix(fine, gradient(i, j, n + 1), fraction) : fine;
}

bool TileVertexStage::sideOf(int i, int j, TileSide& side, int& place) const {
    if (i == 0 || i == m_cells) {
        side = i == 0 ? kSideLowX : kSideHighX;
        place = j;
        return true;
    }
    if (j == 0 || j == m_cells) {
        side = j == 0 ? kSideLowZ : kSideHighZ;
        place = i;
        return true;
    }
    return false;
}

double TileVertexStage::lineHeight(TileSide side, double place, int n) const {
    const int step = 1 << n;
    const int first = static_cast<int>(place) & ~(step - 1);
    const int across = side == kSideHighX || side == kSideHighZ ? m_cells : 0;
    const auto at = [&](int t) { return side <= kSideHighX ? sample(across, t) : sample(t, across); };
    const double along = (place - first) / step;
    return along > 0 ? at(first) + along * (at(first + step) - at(first)) : at(first);
}

double TileVertexStage::edgeHeight(TileSide side, double place) const {
    const double detail = double{m_record.edges[side]};
    const int n = static_cast<int>(detail);
    const double fraction = detail - n;
    const double fine = lineHeight(side, place, n);
    return fraction > 0 ? fine + fraction * (lineHeight(side, place, n + 1) - fine) : fine;
}

// G_n at a point of a side's lattice; at the side's ends brought to the corner's.
TileVertexStage::Gradient TileVertexStage::atEdgeLattice(TileSide side, int place, int n) const {
    const int across = side == kSideHighX || side == kSideHighZ ? m_cells : 0;
    const int i = side <= kSideHighX ? across : place, j = side <= kSideHighX ? place : across;
    const Gradient own = gradient(i, j, n);
    if (place != 0 && place != m_cells) return own;
    const std::uint32_t corner = (i != 0 ? 1u : 0u) | (j != 0 ? 2u : 0u);
    const double detail = m_record.cornerDetail(corner), edge = double{m_record.edges[side]};
    if (detail == edge) return own;
    const Gradient agreed = between(i, j, detail), here = between(i, j, edge);
    return {own.x + (agreed.x - here.x), own.z + (agreed.z - here.z)};
}

TileVertexStage::Gradient TileVertexStage::lineGradient(TileSide side, double place, int n) const {
    const int step = 1 << n;
    const int first = static_cast<int>(place) & ~(step - 1);
    const double along = (place - first) / step;
    const Gradient low = atEdgeLattice(side, first, n);
    return along > 0 ? mix(low, atEdgeLattice(side, first + step, n), along) : low;
}

TileVertexStage::Gradient TileVertexStage::edgeGradient(TileSide side, double place) const {
    const double detail = double{m_record.edges[side]};
    const int n = static_cast<int>(detail);
    const double fraction = detail - n;
    const Gradient fine = lineGradient(side, place, n);
    return fraction > 0 ? mix(fine, lineGradient(side, place, n + 1), fraction) : fine;
}

double TileVertexStage::baseHeight(int i, int j) const {
    TileSide side{};
    int place = 0;
    return sideOf(i, j, side, place) ? edgeHeight(side, place) : sample(i, j);
}

TileVertexStage::Gradient TileVertexStage::baseGradient(int i, int j, int n) const {
    TileSide side{};
    int place = 0;
    return sideOf(i, j, side, place) ? edgeGradient(side, place) : gradient(i, j, n);
}

TileVertex TileVertexStage::vertex(std::uint32_t vi, std::uint32_t vj) const {
    KARST_ASSERT(vi <= m_shape.cells && vj <= m_shape.cells && ((vi | vj) & (stride() - 1)) == 0);
    const int i = static_cast<int>(vi), j = static_cast<int>(vj);
    const double height = baseHeight(i, j);
    const Gradient own = baseGradient(i, j, m_level);
    const bool onSide = i == 0 || j == 0 || i == m_cells || j == m_cells;
    if (onSide || m_fraction == 0) return {height, own.x, own.z};
    const int step = 1 << m_level, coarse = 2 * step - 1;
    const int di = (i & coarse) != 0 ? step : 0, dj = (j & coarse) != 0 ? step : 0;
    if (di == 0 && dj == 0) {
        const Gradient slid = mix(own, gradient(i, j, m_level + 1), m_fraction);
        return {height, slid.x, slid.z};
    }
    const double middle = 0.5 * (baseHeight(i + di, j - dj) + baseHeight(i - di, j + dj));
    const Gradient slid = mix(
        own, mix(baseGradient(i + di, j - dj, m_level + 1), baseGradient(i - di, j + dj, m_level + 1), 0.5),
        m_fraction);
    return {height + m_fraction * (middle - height), slid.x, slid.z};
}

TileVertex TileVertexStage::edge(TileSide side, double place) const {
    const Gradient gradient = edgeGradient(side, place);
    return {edgeHeight(side, place), gradient.x, gradient.z};
}

bool TileVertexStage::isGround(std::uint32_t i, std::uint32_t j) const {
    if (!m_record.hasGaps()) return true;
    const std::uint32_t cell = (j + stride() / 2) * m_shape.cells + i + stride() / 2;
    const float number = m_layer[std::size_t{m_shape.gapRow} * m_shape.width + (cell >> 4)];
    return (static_cast<std::uint32_t>(number) >> (cell & 15u) & 1u) == 0;
}

}  // namespace karst::heightfield
