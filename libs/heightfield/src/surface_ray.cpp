#include <karst/heightfield/surface_query.h>

#include <bit>
#include <cmath>

#include "catmull_rom.h"
#include "surface_index.h"

namespace karst::heightfield {
namespace {

constexpr double kHuge = 1e300;
/// Directions beyond this, or below its inverse, are scaled first, so that products and inverses stay finite.
constexpr double kPlainDirection = 1e100;

constexpr double kWalkedCells = 10;

/// Part of the surface that a ray passes in one piece: a node with all below it, or (size > 0) a square of
/// cells of its own tile.
struct Piece {
    const SurfaceNode* node = nullptr;
    int x = 0, z = 0, size = 0;
};

/// Held to 0..1.
double held(double value) {
    const double low = value > 0 ? value : 0.0;
    return low < 1 ? low : 1.0;
}

/// Held to 0..high.
double heldTo(double value, double high) {
    const double low = value > 0 ? value : 0.0;
    return low < high ? low : high;
}

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
    bool passNode(const SurfaceNode& top, double t0, double t1);
    bool passQuadrant(const SurfaceNode& node, unsigned q, double t0, double t1);
    bool passQuadrants(const SurfaceNode& node, double t0, double t1);
    bool passSquare(const Piece& piece, double t0, double t1);
    bool passNarrowed(const Piece& top, double t0, double t1);
    bool passCells(const Piece& piece, double t0, double t1);
    struct Sample {
        double t, above;  ///< the ray above the ground
    };
    bool meet(const SurfaceNode& node, int x, int z, Sample in, Sample diagonal, Sample out);
    template <class Visit>
    bool inQuadrants(double midU, double midV, double t0, double t1, Visit visit) const;
    enum class Narrowed { Left, Passed, Ended };
    Narrowed narrow(const Piece& piece, const HeightRange& range, double& t0, double& t1);
    /// Where a piece ends and the ray had left its range before.
    void leave(const Piece& piece) {
        m_side = m_dy < 0 ? -1 : 1;
        m_last = piece;
    }
    bool enter(const Piece& piece, int side, double t) {
        return m_side != 0 && side != 0 && m_side != side && meetGap(piece, t);
    }
    bool meetGap(const Piece& piece, double t);

    struct CellPlace : SurfaceIndex::State::CellPlace {
        const SurfaceNode* node = nullptr;
    };
    CellPlace cellIn(const Piece& piece, double t) const;
    double yAt(double t) const { return m_y + t * m_dy; }
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
    double m_inverseU = kHuge, m_inverseV = kHuge, m_inverseY = kHuge, m_inverseAcross = kHuge;
    double m_begin = 0, m_end = 0;
    double m_speed = 0;   ///< level-0 cells that it crosses in a unit of t
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
    const SurfaceIndex::State::CellPlace place = m_state.placeIn(*node, u, v);
    if (m_state.isHole(*node, place.x, place.z)) return;
    const CellSamples cell(node->samples, m_state.side, place.x, place.z);
    const double height = cell.heightAt(place.fx, place.fz);
    const double t = height == o.y ? 0.0 : (height - o.y) / d.y;
    if (!(t >= 0 && t <= m_maxT && t <= std::numeric_limits<double>::max())) return;
    hitAt(*node, place.x, place.z, isLowerTriangle(place.fx, place.fz), t);
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
        m_inverseY = 1 / m_dy;
        take(low - 2 * m_slack, high + 2 * m_slack, m_y, m_inverseY);
    } else if (!(m_y >= low - m_slack && m_y <= high + m_slack)) {
        return false;
    }
    if (!(begin <= end) || end > std::numeric_limits<double>::max()) return false;
    m_slack += 1e-12 * std::abs(m_dy) * end;
    m_begin = begin;
    m_end = end;
    m_speed = std::abs(m_du) + std::abs(m_dv);
    if (m_du + m_dv != 0) m_inverseAcross = 1 / (m_du + m_dv);
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

/// Narrows the part t0..t1 of the ray in a piece to where it is within a range; the rest lies on a known side
/// of the ground. Passed: nothing is left. Ended: the ray ends where it comes to the piece.
SurfaceCast::Narrowed SurfaceCast::narrow(const Piece& piece, const HeightRange& range, double& t0,
                                          double& t1) {
    const double a = (range.min - m_slack - m_y) * m_inverseY, b = (range.max + m_slack - m_y) * m_inverseY;
    const double begin = std::max(t0, std::min(a, b)), end = std::min(t1, std::max(a, b));
    if (!(begin <= end)) {
        const int side = yAt(t0) > double{range.max} ? 1 : -1;
        if (enter(piece, side, t0)) return Narrowed::Ended;
        m_last = piece;
        m_side = side;
        return Narrowed::Passed;
    }
    if (begin > t0) {
        const int side = m_dy < 0 ? 1 : -1;
        if (enter(piece, side, t0)) return Narrowed::Ended;
        m_last = piece;
        m_side = side;
        t0 = begin;
    }
    t1 = end;
    return Narrowed::Left;
}

/// A ray comes to a piece on another side of its ground than it had: the ground has a gap there, which it
/// meets unless a hole touches it.
bool SurfaceCast::meetGap(const Piece& piece, double t) {
    const CellPlace from = cellIn(m_last, t), to = cellIn(piece, t);
    if (from.node == nullptr || to.node == nullptr) return false;
    if (m_state.isHole(*from.node, from.x, from.z) || m_state.isHole(*to.node, to.x, to.z)) {
        return false;
    }
    hitAt(*to.node, to.x, to.z, isLowerTriangle(to.fx, to.fz), t);
    m_hit.fromBelow = m_side < 0;
    m_hit.atBorder = from.node != to.node;
    return true;
}

SurfaceCast::CellPlace SurfaceCast::cellIn(const Piece& piece, double t) const {
    const double u = m_u + t * m_du, v = m_v + t * m_dv;
    SurfaceIndex::State::Square square{piece.node, piece.x, piece.z, piece.size};
    const int half = m_state.cells / 2;
    while (square.size == 0) {
        // The quadrant at the point held to the node.
        const SurfaceNode& node = *square.node;
        const unsigned q = ((u - node.u()) * node.inverseCell() >= half ? 1u : 0u) |
                           ((v - node.v()) * node.inverseCell() >= half ? 2u : 0u);
        if (node.child[q] >= 0) {
            square.node = &m_state.nodes[static_cast<std::size_t>(node.child[q])];
        } else {
            square = m_state.squareOf(node, q);
            if (square.node == nullptr) return {};
        }
    }
    CellPlace place;
    place.node = square.node;
    static_cast<SurfaceIndex::State::CellPlace&>(place) =
        m_state.placeIn(*square.node, u, v, square.x, square.z, square.size);
    return place;
}

/// Goes down to the least node that holds the ray, narrows it there, and again, then branches.
bool SurfaceCast::passNode(const SurfaceNode& top, double t0, double t1) {
    const double whole = t1;
    const SurfaceNode* node = &top;
    for (;;) {
        if (!(node->low <= node->high)) {
            m_side = 0;
            return false;
        }
        const Narrowed narrowed = narrow({node, 0, 0, 0}, {node->low, node->high}, t0, t1);
        if (narrowed == Narrowed::Ended) return true;
        if (narrowed == Narrowed::Passed) break;
        if (node->leaf) {
            if (passNarrowed({node, 0, 0, m_state.cells}, t0, t1)) return true;
            break;
        }

        // Both ends in sixteenths of a level-0 cell; from the highest bit in which they differ on, they part.
        const double extent = m_state.cells * node->cell() * kSixteenths;
        const auto placeOf = [&](double coordinate, double corner) {
            return static_cast<std::int64_t>(heldTo((coordinate - corner) * kSixteenths, extent - 1));
        };
        const std::int64_t x = placeOf(m_u + t0 * m_du, node->u()), z = placeOf(m_v + t0 * m_dv, node->v());
        const std::int64_t apart =
            (x ^ placeOf(m_u + t1 * m_du, node->u())) | (z ^ placeOf(m_v + t1 * m_dv, node->v()));
        auto half = static_cast<std::int64_t>(extent) / 2;
        if (apart >= half) {
            if (passQuadrants(*node, t0, t1)) return true;
            break;
        }
        unsigned at = 0;
        std::int32_t child = 0;
        for (; apart < half && half > 0; half /= 2) {
            at = ((x & half) != 0 ? 1u : 0u) | ((z & half) != 0 ? 2u : 0u);
            child = node->child[at];
            if (child < 0) break;
            node = &m_state.nodes[static_cast<std::size_t>(child)];
        }
        if (child < 0) {
            if (passQuadrant(*node, at, t0, t1)) return true;
            break;
        }
    }
    // What was narrowed away behind lies on a known side.
    if (t1 < whole) leave({&top, 0, 0, 0});
    return false;
}

bool SurfaceCast::passQuadrant(const SurfaceNode& node, unsigned q, double t0, double t1) {
    if (node.child[q] >= 0) return passNode(m_state.nodes[static_cast<std::size_t>(node.child[q])], t0, t1);
    const SurfaceIndex::State::Square square = m_state.squareOf(node, q);
    if (square.node == nullptr) {
        m_side = 0;
        return false;
    }
    return passSquare({square.node, square.x, square.z, square.size}, t0, t1);
}

bool SurfaceCast::passQuadrants(const SurfaceNode& node, double t0, double t1) {
    const double step = m_state.cells / 2 * node.cell();
    return inQuadrants(node.u() + step, node.v() + step, t0, t1,
                       [&](unsigned q, double a, double b) { return passQuadrant(node, q, a, b); });
}

bool SurfaceCast::passSquare(const Piece& piece, double t0, double t1) {
    if (piece.size < TileBlocks::kLeafCells) return passCells(piece, t0, t1);
    const double whole = t1;
    const Narrowed narrowed =
        narrow(piece, piece.node->ranges[blockIndex(m_state.cells, piece.x, piece.z, piece.size)], t0, t1);
    if (narrowed != Narrowed::Left) return narrowed == Narrowed::Ended;
    if (passNarrowed(piece, t0, t1)) return true;
    if (t1 < whole) leave(piece);
    return false;
}

/// The same as passNode over a tile's blocks, from one to which the ray is narrowed already.
bool SurfaceCast::passNarrowed(const Piece& top, double t0, double t1) {
    const double whole = t1;
    const SurfaceNode& node = *top.node;
    int x = top.x, z = top.z, size = top.size;
    for (;;) {
        // A few cells are sooner walked than looked for.
        if (size <= TileBlocks::kLeafCells || (t1 - t0) * m_speed < kWalkedCells * node.cell()) {
            if (passCells({&node, x, z, size}, t0, t1)) return true;
            break;
        }
        const auto cellOf = [&](double coordinate, double corner, int first) {
            return static_cast<int>(heldTo((coordinate - corner) * node.inverseCell() - first, size - 1));
        };
        const int x0 = cellOf(m_u + t0 * m_du, node.u(), x), z0 = cellOf(m_v + t0 * m_dv, node.v(), z);
        const int apart =
            (x0 ^ cellOf(m_u + t1 * m_du, node.u(), x)) | (z0 ^ cellOf(m_v + t1 * m_dv, node.v(), z));
        const int half = size / 2;
        if (apart >= half) {
            const bool ended =
                inQuadrants(node.u() + (x + half) * node.cell(), node.v() + (z + half) * node.cell(), t0, t1,
                            [&](unsigned q, double a, double b) {
                                return passSquare({&node, x + static_cast<int>(q & 1) * half,
                                                   z + static_cast<int>(q >> 1) * half, half},
                                                  a, b);
                            });
            if (ended) return true;
            break;
        }
        size = std::max(1 << std::bit_width(static_cast<unsigned>(apart)),
                        std::min(half, TileBlocks::kLeafCells));
        x += x0 & -size;
        z += z0 & -size;
        const Narrowed narrowed =
            narrow({&node, x, z, size}, node.ranges[blockIndex(m_state.cells, x, z, size)], t0, t1);
        if (narrowed == Narrowed::Ended) return true;
        if (narrowed == Narrowed::Passed) break;
    }
    if (t1 < whole) leave(top);
    return false;
}

/// Ray above ground at a point of a cell.
double SurfaceCast::aboveAt(const SurfaceNode& node, const CellSamples& cell, int x, int z, double t,
                            bool& lower) const {
    const double fx = held((m_u + t * m_du - node.u()) * node.inverseCell() - x);
    const double fz = held((m_v + t * m_dv - node.v()) * node.inverseCell() - z);
    lower = isLowerTriangle(fx, fz);
    return yAt(t) - cell.heightAt(fx, fz);
}

/// From cell to cell. The ground's height where the ray leaves one, on the edge between them, is also the
/// height where it comes to the next.
bool SurfaceCast::passCells(const Piece& piece, double t0, double t1) {
    const SurfaceNode& node = *piece.node;
    const std::ptrdiff_t side = m_state.side;
    const int lastX = piece.x + piece.size - 1, lastZ = piece.z + piece.size - 1;
    const SurfaceIndex::State::CellPlace first =
        m_state.placeIn(node, m_u + t0 * m_du, m_v + t0 * m_dv, piece.x, piece.z, piece.size);
    int x = first.x, z = first.z;
    double in = t0;
    double above = yAt(t0) - CellSamples(node.samples, side, x, z).heightAt(first.fx, first.fz);
    if (enter(piece, signOf(above), t0)) return true;

    // The ray in the tile's cells, and the next lines it comes to.
    const double u = (m_u - node.u()) * node.inverseCell(), v = (m_v - node.v()) * node.inverseCell();
    const double du = m_du * node.inverseCell(), dv = m_dv * node.inverseCell();
    const double inverseU = m_du != 0 ? m_inverseU * node.cell() : 1;
    const double inverseV = m_dv != 0 ? m_inverseV * node.cell() : 1;
    const double inverseAcross = m_inverseAcross * node.cell();
    const int aheadX = m_du > 0 ? 1 : 0, aheadZ = m_dv > 0 ? 1 : 0;
    const int stepX = 2 * aheadX - 1, stepZ = 2 * aheadZ - 1;
    double lineX = m_du != 0 ? x + aheadX : kHuge, lineZ = m_dv != 0 ? z + aheadZ : kHuge;
    double diagonal = x + z + 1;
    const float* corner = node.samples + z * side + x;
    for (;;) {
        const double tx = (lineX - u) * inverseU, tz = (lineZ - v) * inverseV;
        const bool overX = tx <= tz;
        const double reached = overX ? tx : tz;
        const bool last = !(reached < t1);
        const double out = std::max(in, last ? t1 : reached);
        double next;
        if (last) {
            bool lower;
            next = aboveAt(node, CellSamples(node.samples, side, x, z), x, z, out, lower);
        } else {
            const double along = overX ? v + out * dv - z : u + out * du - x;
            const float* edge = corner + (overX ? aheadX : aheadZ * side);
            const double e0 = edge[0], e1 = edge[overX ? side : 1];
            next = yAt(out) - (e0 + held(along) * (e1 - e0));
        }
        // A flat triangle between the two ends, or two with the diagonal between them.
        const double across = (diagonal - u - v) * inverseAcross;
        double middle = next;
        if (across > in && across < out) {
            const double h10 = corner[1], h01 = corner[side];
            middle = yAt(across) - (h10 + held(v + across * dv - z) * (h01 - h10));
        }
        if (!(above > 0 && middle > 0 && next > 0) && !(above < 0 && middle < 0 && next < 0) &&
            !m_state.isHole(node, x, z)) {
            return meet(node, x, z, {in, above}, {across, middle}, {out, next});
        }
        above = next;
        in = out;
        if (last) break;
        if (overX) {
            x += stepX;
            lineX += stepX;
            diagonal += stepX;
            corner += stepX;
            if (x < piece.x || x > lastX) break;
        } else {
            z += stepZ;
            lineZ += stepZ;
            diagonal += stepZ;
            corner += stepZ * side;
            if (z < piece.z || z > lastZ) break;
        }
    }
    m_side = signOf(above);
    m_last = piece;
    return false;
}

/// The first crossing in a cell: between its ends or on one of them.
bool SurfaceCast::meet(const SurfaceNode& node, int x, int z, Sample in, Sample diagonal, Sample out) {
    if (diagonal.t > in.t && diagonal.t < out.t) {
        if (signOf(in.above) * signOf(diagonal.above) <= 0) {
            out = diagonal;
        } else {
            in = diagonal;
        }
    }
    const double share = in.above == 0 ? 0.0 : in.above / (in.above - out.above);
    const double middle = in.t + (out.t - in.t) * 0.5;
    bool lower;
    (void)aboveAt(node, CellSamples(node.samples, m_state.side, x, z), x, z, middle, lower);
    hitAt(node, x, z, lower, std::clamp(in.t + (out.t - in.t) * share, in.t, out.t));
    if (in.above != 0) m_hit.fromBelow = in.above < 0;
    return true;
}

void SurfaceCast::hitAt(const SurfaceNode& node, int x, int z, bool lower, double t) {
    const CellSamples cell(node.samples, m_state.side, x, z);
    const CellGradient<double> rise = triangleGradient(cell.h[0], cell.h[1], cell.h[2], cell.h[3], lower);
    const Vec3d up{-rise.x * node.inverseCell() / m_layout.spacingX, 1,
                   -rise.z * node.inverseCell() / m_layout.spacingZ};
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
    m_hit.tile = node.keyOf(m_state.cells);
}

}  // namespace

SurfaceHit SurfaceIndex::castRay(const Ray& ray, double maxT) const {
    const Vec3d &o = ray.origin, &d = ray.direction;
    const double largest = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    SurfaceHit hit;
    // 0, or NaN where one of them is not finite.
    const double nothing =
        ((o.x - o.x) + (o.y - o.y)) + ((o.z - o.z) + (d.x - d.x)) + ((d.y - d.y) + (d.z - d.z));
    if (nothing != 0 || largest == 0 || !(maxT >= 0)) {
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
