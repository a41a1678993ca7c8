#include <cmath>

#include "surface_cast.h"

namespace karst::heightfield {
namespace {

/// Held to 0..1.
double held(double value) {
    const double low = value > 0 ? value : 0.0;
    return low < 1 ? low : 1.0;
}

int signOf(double value) {
    return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0);
}

}  // namespace

SurfaceCast::TileRay SurfaceCast::over(const SurfaceNode& node) const {
    const double cell = node.cell(), inverse = node.inverseCell();
    return {(m_u - node.u()) * inverse,
            (m_v - node.v()) * inverse,
            m_du * inverse,
            m_dv * inverse,
            m_du != 0 ? m_inverseU * cell : 0,
            m_dv != 0 ? m_inverseV * cell : 0,
            m_inverseAcross * cell};
}

/// From cell to cell. The ground's height where the ray leaves one, on the edge between them, is also the
/// height where it comes to the next. The first cell is entered, and the last left, where the ray crosses its
/// sides, though the piece may begin and end inside: there the ray is on a known side anyway.
bool SurfaceCast::passCells(const Piece& piece, const TileRay& ray, double t0, double t1) {
    const SurfaceIndex::State::CellPlace first =
        m_state.placeIn(*piece.node, m_u + t0 * m_du, m_v + t0 * m_dv, piece.x, piece.z, piece.size);
    return passCells(piece, ray, first.x, first.z, t0, t1);
}

bool SurfaceCast::passCells(const Piece& piece, const TileRay& ray, int x, int z, double t0, double t1) {
    const SurfaceNode& node = *piece.node;
    const std::ptrdiff_t side = m_state.side;
    const double u = ray.u, v = ray.v, du = ray.du, dv = ray.dv;
    const float* corner = node.samples + z * side + x;
    // The ray above the ground at a point of the cell.
    const auto aboveAt = [&](double t) {
        return yAt(t) - heightIn(corner, side, held(u + t * du - x), held(v + t * dv - z));
    };
    // On a side of the cell: over a line along Z, or along X.
    const auto aboveSide = [&](double t, bool overX, int ahead) {
        const double along = overX ? v + t * dv - z : u + t * du - x;
        const float* edge = corner + (overX ? ahead : ahead * side);
        const double e0 = edge[0], e1 = edge[overX ? side : 1];
        return yAt(t) - (e0 + held(along) * (e1 - e0));
    };

    const int aheadX = du > 0 ? 1 : 0, aheadZ = dv > 0 ? 1 : 0;
    const int stepX = 2 * aheadX - 1, stepZ = 2 * aheadZ - 1;
    // A square of one cell may be a part of it, under a finer tile's missing neighbour.
    const double begin = piece.size > 1 ? m_begin : t0, end = piece.size > 1 ? m_end : t1;
    const double fromX = du != 0 ? (x + 1 - aheadX - u) * ray.inverseU : -kHuge;
    const double fromZ = dv != 0 ? (z + 1 - aheadZ - v) * ray.inverseV : -kHuge;
    // The side by which the ray came into the cell, at `in`.
    bool fromLineX = fromX > fromZ, fromInside = !(std::max(fromX, fromZ) > begin);
    double in = fromInside ? begin : std::max(fromX, fromZ);
    double above = 1;
    bool known = false;  // is `above` that at `in`? Else it only has its sign.
    const auto learn = [&] {
        above = fromInside ? aboveAt(in) : aboveSide(in, fromLineX, 1 - (fromLineX ? aheadX : aheadZ));
        known = true;
    };
    if (m_side <= 0) {
        learn();
        if (enter(piece, signOf(above), t0)) return true;
    }
    for (bool isFirst = true;; isFirst = false) {
        // The next lines it comes to.
        const double tx = du != 0 ? (x + aheadX - u) * ray.inverseU : kHuge;
        const double tz = dv != 0 ? (z + aheadZ - v) * ray.inverseV : kHuge;
        const bool overX = tx <= tz;
        const double reached = overX ? tx : tz;
        const bool last = !(reached < end);
        const double out = std::max(in, last ? end : reached);
        const float highest =
            std::max(std::max(corner[0], corner[1]), std::max(corner[side], corner[side + 1]));
        if (above > 0 && std::min(yAt(in), yAt(out)) > double{highest} + m_slack) {
            above = 1;
            known = false;
        } else {
            if (!known) learn();
            if (isFirst && enter(piece, signOf(above), t0)) return true;
            const double next = last ? aboveAt(out) : aboveSide(out, overX, overX ? aheadX : aheadZ);
            // A flat triangle between the two ends, or two with the diagonal between them.
            const double across = (x + z + 1 - u - v) * ray.inverseAcross;
            double middle = next;
            if (across > in && across < out) {
                const double h10 = corner[1], h01 = corner[side];
                middle = yAt(across) - (h10 + held(v + across * dv - z) * (h01 - h10));
            }
            const bool over = (above > 0) & (middle > 0) & (next > 0),
                       under = (above < 0) & (middle < 0) & (next < 0);
            if (!(over | under) && !m_state.isHole(node, x, z)) {
                return meet(node, x, z, {in, above}, {across, middle}, {out, next});
            }
            above = next;
        }
        in = out;
        if (last || !(reached < t1)) break;
        fromLineX = overX;
        fromInside = false;
        x += overX ? stepX : 0;
        z += overX ? 0 : stepZ;
        corner += overX ? stepX : stepZ * side;
        const auto size = static_cast<unsigned>(piece.size);
        if (static_cast<unsigned>(x - piece.x) >= size || static_cast<unsigned>(z - piece.z) >= size) break;
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
    const bool lower = isLowerTriangle(held((m_u + middle * m_du - node.u()) * node.inverseCell() - x),
                                       held((m_v + middle * m_dv - node.v()) * node.inverseCell() - z));
    hitAt(node, x, z, lower, std::clamp(in.t + (out.t - in.t) * share, in.t, out.t));
    if (in.above != 0) m_hit.fromBelow = in.above < 0;
    return true;
}

}  // namespace karst::heightfield
