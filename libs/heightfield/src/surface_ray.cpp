#include <karst/heightfield/surface_query.h>

#include <cmath>

#include "surface_index.h"

namespace karst::heightfield {
namespace {

constexpr double kHuge = 1e300;
/// Directions beyond this, or below its inverse, are scaled first, so that products and inverses stay finite.
constexpr double kPlainDirection = 1e100;

/// Part of the surface that a ray passes in one piece: a node with all below it, or (size > 0) a square of
/// cells of its own tile.
struct Piece {
    const SurfaceNode* node = nullptr;
    int x = 0, z = 0, size = 0;
};

int signOf(double value) {
    return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0);
}

class SurfaceCast {
  public:
    SurfaceCast(const SurfaceIndex::State& state, const Ray& ray, double maxT)
        : m_state(state), m_layout(state.surface.layout()), m_ray(ray), m_maxT(maxT) {}

    SurfaceHit cast();

  private:
    void vertical();
    bool clip();
    // These are true where the ray ends.
    bool passNode(const SurfaceNode& node, double t0, double t1);
    bool passSquare(const SurfaceNode& node, int x, int z, int size, double t0, double t1);
    bool passCells(const Piece& piece, double t0, double t1);
    template <class Visit>
    bool inQuadrants(double midU, double midV, double t0, double t1, Visit visit) const;
    bool skips(const HeightRange& range, double t0, double t1, int& side) const;
    bool enter(const Piece& piece, int side, double t);

    struct CellPlace {
        const SurfaceNode* node = nullptr;
        int x = 0, z = 0;
        double fx = 0, fz = 0;
    };
    CellPlace cellIn(const Piece& piece, double t) const;
    double yAt(double t) const { return m_y + t * m_dy; }
    /// Ray above ground, in a cell.
    double aboveAt(const SurfaceNode& node, const CellSamples& cell, int x, int z, double t,
                   bool& lower) const;
    void hitAt(const SurfaceNode& node, int x, int z, bool lower, double t);

    const SurfaceIndex::State& m_state;
    const TileLayout& m_layout;
    const Ray& m_ray;
    double m_maxT;
    SurfaceHit m_hit;

    // The ray over level-0 samples.
    double m_u = 0, m_v = 0, m_y = 0, m_du = 0, m_dv = 0, m_dy = 0;
    double m_inverseU = kHuge, m_inverseV = kHuge;
    double m_begin = 0, m_end = 0;
    double m_slack = 0;   ///< more than any rounding of a height along the ray
    unsigned m_flip = 0;  ///< quadrants in the ray's order

    Piece m_last;
    int m_side = 0;  ///< of the ground where the ray left m_last: 1 above, -1 below, 0 not known
};

SurfaceHit SurfaceCast::cast() {
    m_du = m_ray.direction.x / m_layout.spacingX;
    m_dv = m_ray.direction.z / m_layout.spacingZ;
    // Too little to leave a cell before t is no longer finite.
    if (std::abs(m_du) < 1e-290) m_du = 0;
    if (std::abs(m_dv) < 1e-290) m_dv = 0;
    if (m_du == 0 && m_dv == 0) {
        vertical();
    } else if (clip()) {
        passNode(m_state.nodes.front(), m_begin, m_end);
    }
    return m_hit;
}

/// The answer is residentHeightAt's, cell and all.
void SurfaceCast::vertical() {
    const Vec3d &o = m_ray.origin, &d = m_ray.direction;
    double u, v;
    if (!m_state.locate(o.x, o.z, u, v)) return;
    const SurfaceNode* node = m_state.finestAt(u, v);
    if (node == nullptr) return;
    double fx, fz;
    const int x = SurfaceIndex::State::cellOf((u - node->u) * node->inverseCell, 0, m_state.cells - 1, fx);
    const int z = SurfaceIndex::State::cellOf((v - node->v) * node->inverseCell, 0, m_state.cells - 1, fz);
    if (m_state.isHole(node->holes, x, z)) return;
    const double height = CellSamples(node->samples, m_state.side, x, z).heightAt(fx, fz);
    const double t = height == o.y ? 0.0 : (height - o.y) / d.y;
    if (!(t >= 0 && t <= m_maxT && t <= std::numeric_limits<double>::max())) return;
    hitAt(*node, x, z, isLowerTriangle(fx, fz), t);
    m_hit.position = {o.x, height, o.z};
}

/// Sets the ray over the samples and its part over the ground and within all heights; false where there is
/// none.
bool SurfaceCast::clip() {
    const SurfaceNode& root = m_state.nodes.front();
    const Vec3d& o = m_ray.origin;
    if (!(root.low <= root.high)) return false;
    m_u = (o.x - m_layout.originX) / m_layout.spacingX;
    m_v = (o.z - m_layout.originZ) / m_layout.spacingZ;
    m_y = o.y;
    m_dy = m_ray.direction.y;
    double begin = 0, end = m_maxT;
    const auto take = [&](double low, double high, double origin, double inverse) {
        const double a = (low - origin) * inverse, b = (high - origin) * inverse;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    };
    if (m_du != 0) {
        m_inverseU = 1 / m_du;
        take(0, m_state.lastU, m_u, m_inverseU);
    } else if (!(o.x >= m_state.ground.minX && o.x <= m_state.ground.maxX)) {
        return false;
    } else {
        m_u = std::clamp(m_u, 0.0, m_state.lastU);
    }
    if (m_dv != 0) {
        m_inverseV = 1 / m_dv;
        take(0, m_state.lastV, m_v, m_inverseV);
    } else if (!(o.z >= m_state.ground.minZ && o.z <= m_state.ground.maxZ)) {
        return false;
    } else {
        m_v = std::clamp(m_v, 0.0, m_state.lastV);
    }
    const double low = root.low, high = root.high;
    m_slack = 1e-7 * (high - low) + 1e-12 * (std::abs(low) + std::abs(high) + std::abs(m_y)) + 1e-30;
    if (std::abs(m_dy) > 1e-290) {
        take(low - 2 * m_slack, high + 2 * m_slack, m_y, 1 / m_dy);
    } else if (!(m_y >= low - m_slack && m_y <= high + m_slack)) {
        return false;
    }
    if (!(begin <= end) || end > std::numeric_limits<double>::max()) return false;
    m_slack += 1e-12 * std::abs(m_dy) * end;
    m_begin = begin;
    m_end = end;
    m_flip = (m_du < 0 ? 1u : 0u) | (m_dv < 0 ? 2u : 0u);
    return true;
}

/// Calls visit(quadrant, t0, t1) for the parts of a square that the ray passes, in its order.
template <class Visit>
bool SurfaceCast::inQuadrants(double midU, double midV, double t0, double t1, Visit visit) const {
    const auto cross = [](double mid, double at, double last, double speed, double inverse) {
        if (speed != 0) return (mid - at) * inverse;
        return std::min(at, last - SurfaceIndex::State::kInside) >= mid ? -kHuge : kHuge;
    };
    const double tu = cross(midU, m_u, m_state.lastU, m_du, m_inverseU);
    const double tv = cross(midV, m_v, m_state.lastV, m_dv, m_inverseV);
    const bool point = t0 == t1;
    const auto part = [&](unsigned quadrant, double a, double b) {
        return (a < b || (point && a == b)) && visit(quadrant ^ m_flip, a, b);
    };
    return part(0, t0, std::min({t1, tu, tv})) || part(1, std::max(t0, tu), std::min(t1, tv)) ||
           part(2, std::max(t0, tv), std::min(t1, tu)) || part(3, std::max({t0, tu, tv}), t1);
}

/// True, with the side, where the ray passes a range without a chance to meet it.
bool SurfaceCast::skips(const HeightRange& range, double t0, double t1, int& side) const {
    const double y0 = yAt(t0), y1 = yAt(t1);
    if (std::min(y0, y1) > double{range.max} + m_slack) {
        side = 1;
        return true;
    }
    if (std::max(y0, y1) < double{range.min} - m_slack) {
        side = -1;
        return true;
    }
    return false;
}

/// Called where a ray comes to a piece, on a known side of its ground. Another side than it had means that
/// the ground has a gap there.
bool SurfaceCast::enter(const Piece& piece, int side, double t) {
    if (m_side == 0 || side == 0 || m_side == side) return false;
    const CellPlace from = cellIn(m_last, t), to = cellIn(piece, t);
    if (from.node == nullptr || to.node == nullptr) return false;
    if (m_state.isHole(from.node->holes, from.x, from.z) || m_state.isHole(to.node->holes, to.x, to.z)) {
        return false;
    }
    hitAt(*to.node, to.x, to.z, isLowerTriangle(to.fx, to.fz), t);
    m_hit.fromBelow = m_side < 0;
    m_hit.atBorder = from.node != to.node;
    return true;
}

SurfaceCast::CellPlace SurfaceCast::cellIn(const Piece& piece, double t) const {
    const double u = m_u + t * m_du, v = m_v + t * m_dv;
    CellPlace place;
    place.node = piece.node;
    int x = piece.x, z = piece.z, size = piece.size;
    while (size == 0) {
        // The quadrant at the point held to the node.
        const SurfaceNode& node = *place.node;
        const int half = m_state.cells / 2;
        const int right = (u - node.u) * node.inverseCell >= half ? 1 : 0;
        const int below = (v - node.v) * node.inverseCell >= half ? 1 : 0;
        const std::int32_t child = node.child[right | below << 1];
        if (child >= 0) {
            place.node = &m_state.nodes[static_cast<std::size_t>(child)];
        } else if (node.samples == nullptr) {
            place.node = nullptr;
            return place;
        } else {
            x = right * half;
            z = below * half;
            size = half;
        }
    }
    place.x =
        SurfaceIndex::State::cellOf((u - place.node->u) * place.node->inverseCell, x, x + size - 1, place.fx);
    place.z =
        SurfaceIndex::State::cellOf((v - place.node->v) * place.node->inverseCell, z, z + size - 1, place.fz);
    return place;
}

bool SurfaceCast::passNode(const SurfaceNode& node, double t0, double t1) {
    if (!(node.low <= node.high)) {
        m_side = 0;
        return false;
    }
    int side;
    if (skips({node.low, node.high}, t0, t1, side)) {
        const Piece piece{&node, 0, 0, 0};
        if (enter(piece, side, t0)) return true;
        m_last = piece;
        m_side = side;
        return false;
    }
    const int half = m_state.cells / 2;
    const double step = half * node.cell;
    return inQuadrants(node.u + step, node.v + step, t0, t1, [&](unsigned q, double a, double b) {
        if (node.child[q] >= 0) return passNode(m_state.nodes[static_cast<std::size_t>(node.child[q])], a, b);
        if (node.samples != nullptr) {
            return passSquare(node, static_cast<int>(q & 1) * half, static_cast<int>(q >> 1) * half, half, a,
                              b);
        }
        m_side = 0;
        return false;
    });
}

bool SurfaceCast::passSquare(const SurfaceNode& node, int x, int z, int size, double t0, double t1) {
    const Piece piece{&node, x, z, size};
    if (size < TileBlocks::kLeafCells) return passCells(piece, t0, t1);
    int side;
    if (skips(node.blocks->range(x, z, size), t0, t1, side)) {
        if (enter(piece, side, t0)) return true;
        m_last = piece;
        m_side = side;
        return false;
    }
    if (size == TileBlocks::kLeafCells) return passCells(piece, t0, t1);
    const int half = size / 2;
    return inQuadrants(node.u + (x + half) * node.cell, node.v + (z + half) * node.cell, t0, t1,
                       [&](unsigned q, double a, double b) {
                           return passSquare(node, x + static_cast<int>(q & 1) * half,
                                             z + static_cast<int>(q >> 1) * half, half, a, b);
                       });
}

inline double SurfaceCast::aboveAt(const SurfaceNode& node, const CellSamples& cell, int x, int z, double t,
                                   bool& lower) const {
    const double fx = std::clamp((m_u + t * m_du - node.u) * node.inverseCell - x, 0.0, 1.0);
    const double fz = std::clamp((m_v + t * m_dv - node.v) * node.inverseCell - z, 0.0, 1.0);
    lower = isLowerTriangle(fx, fz);
    return yAt(t) - cell.heightAt(fx, fz);
}

/// From cell to cell. The ground's height where the ray leaves one is also the height where it comes to the
/// next.
bool SurfaceCast::passCells(const Piece& piece, double t0, double t1) {
    const SurfaceNode& node = *piece.node;
    double unused;
    int x = SurfaceIndex::State::cellOf((m_u + t0 * m_du - node.u) * node.inverseCell, piece.x,
                                        piece.x + piece.size - 1, unused);
    int z = SurfaceIndex::State::cellOf((m_v + t0 * m_dv - node.v) * node.inverseCell, piece.z,
                                        piece.z + piece.size - 1, unused);
    const int stepX = m_du > 0 ? 1 : -1, stepZ = m_dv > 0 ? 1 : -1;
    const auto leaveX = [&] {
        return m_du != 0 ? (node.u + (x + (m_du > 0 ? 1 : 0)) * node.cell - m_u) * m_inverseU : kHuge;
    };
    const auto leaveZ = [&] {
        return m_dv != 0 ? (node.v + (z + (m_dv > 0 ? 1 : 0)) * node.cell - m_v) * m_inverseV : kHuge;
    };
    double in = t0, above = 0;
    bool first = true;
    for (;;) {
        const CellSamples cell(node.samples, m_state.side, x, z);
        const double tx = leaveX(), tz = leaveZ();
        const double out = std::max(in, std::min({t1, tx, tz}));
        bool lowerIn, lowerOut;
        const double here = aboveAt(node, cell, x, z, in, lowerIn);
        if (first) {
            above = here;
            if (enter(piece, signOf(above), in)) return true;
            first = false;
        }
        double next = aboveAt(node, cell, x, z, out, lowerOut);
        if (!m_state.isHole(node.holes, x, z)) {
            if (above == 0) {
                hitAt(node, x, z, lowerIn, in);
                return true;
            }
            double from = above, a = in, b = out, to = next;
            bool lower = lowerIn;
            if (lowerIn != lowerOut) {
                // Over the diagonal, where both triangles are the same height.
                const double across = m_du + m_dv;
                const double t =
                    std::clamp((node.u + node.v + (x + z + 1) * node.cell - m_u - m_v) / across, in, out);
                if (t >= in && t <= out) {
                    bool either;
                    const double middle = aboveAt(node, cell, x, z, t, either);
                    if (signOf(from) * signOf(middle) <= 0) {
                        b = t;
                        to = middle;
                    } else {
                        from = middle;
                        a = t;
                        lower = lowerOut;
                    }
                }
            }
            if (signOf(from) * signOf(to) <= 0) {
                hitAt(node, x, z, lower, std::clamp(a + (b - a) * (from / (from - to)), a, b));
                m_hit.fromBelow = above < 0;
                return true;
            }
        }
        above = next;
        in = out;
        if (!(out < t1)) break;
        if (tx <= tz) {
            x += stepX;
            if (x < piece.x || x >= piece.x + piece.size) break;
        } else {
            z += stepZ;
            if (z < piece.z || z >= piece.z + piece.size) break;
        }
    }
    m_side = signOf(above);
    m_last = piece;
    return false;
}

void SurfaceCast::hitAt(const SurfaceNode& node, int x, int z, bool lower, double t) {
    const CellSamples cell(node.samples, m_state.side, x, z);
    const CellGradient<double> rise = triangleGradient(cell.h[0], cell.h[1], cell.h[2], cell.h[3], lower);
    const Vec3d up{-rise.x * node.inverseCell / m_layout.spacingX, 1,
                   -rise.z * node.inverseCell / m_layout.spacingZ};
    m_hit.status = RayStatus::Hit;
    m_hit.lowerTriangle = lower;
    m_hit.fromBelow = dot(up, m_ray.direction) > 0;
    m_hit.cellX = x;
    m_hit.cellZ = z;
    m_hit.t = t;
    m_hit.position = m_ray.at(t);
    m_hit.position.x = std::clamp(m_hit.position.x, m_state.ground.minX, m_state.ground.maxX);
    m_hit.position.z = std::clamp(m_hit.position.z, m_state.ground.minZ, m_state.ground.maxZ);
    m_hit.normal = toFloat(normalized(up));
    m_hit.tile = node.key;
}

}  // namespace

SurfaceHit SurfaceIndex::castRay(const Ray& ray, double maxT) const {
    const Vec3d &o = ray.origin, &d = ray.direction;
    const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    SurfaceHit hit;
    if (!isFinite(o) || !isFinite(d) || largest == 0 || !(maxT >= 0)) {
        hit.status = RayStatus::InvalidRay;
        return hit;
    }
    if (m_state == nullptr) return hit;
    if (largest <= kPlainDirection && largest >= 1 / kPlainDirection) {
        return SurfaceCast(*m_state, ray, maxT).cast();
    }
    const int exponent = std::ilogb(largest);
    const Ray plain{o,
                    {std::scalbn(d.x, -exponent), std::scalbn(d.y, -exponent), std::scalbn(d.z, -exponent)}};
    hit = SurfaceCast(*m_state, plain, std::scalbn(maxT, exponent)).cast();
    hit.t = std::scalbn(hit.t, -exponent);
    return std::isfinite(hit.t) ? hit : SurfaceHit{};
}

}  // namespace karst::heightfield
