#include <bit>
#include <cmath>

#include "surface_cast.h"

namespace karst::heightfield {
namespace {

/// A ray over more cells than this goes from block to block before its cells are walked.
constexpr int kWalkedCells = 12;
constexpr int kBlockLevel = 3;

}  // namespace

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
SurfaceCast::Narrowed SurfaceCast::narrow(const Piece& piece, double low, double high, double& t0,
                                          double& t1) {
    const double a = (low - m_slack - m_y) * m_inverseY, b = (high + m_slack - m_y) * m_inverseY;
    const double begin = std::max(t0, std::min(a, b)), end = std::min(t1, std::max(a, b));
    if (!(begin <= end)) {
        const int side = yAt(t0) > high ? 1 : -1;
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

/// Goes down to the least node that holds the ray, narrows it there, and again, then branches.
bool SurfaceCast::passNode(const SurfaceNode& top, double t0, double t1) {
    const double whole = t1;
    const SurfaceNode* node = &top;
    for (;;) {
        if (!(node->low <= node->high)) {
            m_side = 0;
            return false;
        }
        const Narrowed narrowed = narrow({node, 0, 0, 0}, double{node->low}, double{node->high}, t0, t1);
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
    if (piece.size < TileBlocks::kLeafCells) return passCells(piece, over(*piece.node), t0, t1);
    const double whole = t1;
    const TileBlocks::View blocks(piece.node->blocks, m_state.cells);
    const TileBlocks::Range range =
        blocks.at(blockLevel(piece.size), piece.x / piece.size, piece.z / piece.size);
    const Narrowed narrowed = narrow(piece, blocks.heightOf(range.low), blocks.heightOf(range.high), t0, t1);
    if (narrowed != Narrowed::Left) return narrowed == Narrowed::Ended;
    if (passNarrowed(piece, t0, t1)) return true;
    if (t1 < whole) leave(piece);
    return false;
}

/// Narrows the ray to what up to 2 x 2 blocks around it hold, and to ever smaller ones, as long as that
/// helps.
SurfaceCast::Narrowed SurfaceCast::narrowBlocks(const Piece& top, const TileRay& ray, double& t0,
                                                double& t1) {
    int before = blockLevel(top.size);
    for (;;) {
        const Cells cells = cellsOf(top, ray, t0, t1);
        const int level = std::max(cells.level(), kLeafLevel);
        if (level >= before) return Narrowed::Left;
        before = level;
        const Narrowed narrowed = narrow(top, cells, level, t0, t1);
        if (narrowed != Narrowed::Left) return narrowed;
    }
}

/// A square to whose range the ray is narrowed already.
bool SurfaceCast::passNarrowed(const Piece& top, double t0, double t1) {
    const double whole = t1;
    const TileRay ray = over(*top.node);
    if (isDiving() && top.size >= TileBlocks::kLeafCells) {
        const Cells cells = cellsOf(top, ray, t0, t1);
        LeafBlock block{cells.x0 >> kLeafLevel, cells.z0 >> kLeafLevel, t0};
        if (skipBlocks(top, ray, block, t1)) return passAbove(top, ray, block, t1);
        m_last = top;
        return false;
    }
    const Narrowed narrowed = narrowBlocks(top, ray, t0, t1);
    if (narrowed == Narrowed::Ended) return true;
    if (narrowed == Narrowed::Left) {
        const bool far = cellsOf(top, ray, t0, t1).extent() > kWalkedCells;
        if (far ? passBlocks(top, ray, t0, t1) : passCells(top, ray, t0, t1)) return true;
    }
    if (t1 < whole) leave(top);
    return false;
}

/// A long part of the ray, from block to block.
bool SurfaceCast::passBlocks(const Piece& top, const TileRay& ray, double t0, double t1) {
    const Cells all = cellsOf(top, ray, t0, t1);
    const int aheadX = ray.du > 0 ? 1 : 0, aheadZ = ray.dv > 0 ? 1 : 0;
    int x = all.x0 >> kBlockLevel, z = all.z0 >> kBlockLevel;
    const int endX = all.x1 >> kBlockLevel, endZ = all.z1 >> kBlockLevel;
    constexpr int kSize = 1 << kBlockLevel;
    for (double t = t0;;) {
        const double tx = ray.du != 0 ? ((x + aheadX) * kSize - ray.u) * ray.inverseU : kHuge;
        const double tz = ray.dv != 0 ? ((z + aheadZ) * kSize - ray.v) * ray.inverseV : kHuge;
        const bool overX = tx <= tz, last = x == endX && z == endZ;
        const double out = std::max(t, last ? t1 : std::min(overX ? tx : tz, t1));
        double a = t, b = out;
        const Cells block{x * kSize, z * kSize, x * kSize, z * kSize};
        Narrowed narrowed = narrow(top, block, kBlockLevel, a, b);
        if (narrowed == Narrowed::Left) {
            const Cells cells = cellsOf(top, ray, a, b);
            if (cells.level() <= kLeafLevel) narrowed = narrow(top, cells, kLeafLevel, a, b);
            if (narrowed == Narrowed::Left && passCells(top, ray, a, b)) return true;
        }
        if (narrowed == Narrowed::Ended) return true;
        if (b < out) leave(top);
        if (last) return false;
        t = out;
        // Rounding must not lead past the end.
        const bool stepX = z == endZ || (x != endX && overX);
        x += stepX ? 2 * aheadX - 1 : 0;
        z += stepX ? 0 : 2 * aheadZ - 1;
    }
}

SurfaceCast::Cells SurfaceCast::cellsOf(const Piece& piece, const TileRay& ray, double t0, double t1) {
    const auto along = [](double at, int first, int size) {
        return first + static_cast<int>(heldTo(at - first, size - 1));
    };
    return {along(ray.u + t0 * ray.du, piece.x, piece.size), along(ray.v + t0 * ray.dv, piece.z, piece.size),
            along(ray.u + t1 * ray.du, piece.x, piece.size), along(ray.v + t1 * ray.dv, piece.z, piece.size)};
}

/// Over the blocks of a level around two cells, at most one apart.
SurfaceCast::Narrowed SurfaceCast::narrow(const Piece& piece, const Cells& cells, int level, double& t0,
                                          double& t1) {
    const TileBlocks::View blocks(piece.node->blocks, m_state.cells);
    const int x0 = cells.x0 >> level, z0 = cells.z0 >> level, x1 = cells.x1 >> level, z1 = cells.z1 >> level;
    const TileBlocks::Range range = unite(unite(blocks.at(level, x0, z0), blocks.at(level, x1, z0)),
                                          unite(blocks.at(level, x0, z1), blocks.at(level, x1, z1)));
    return narrow(piece, blocks.heightOf(range.low), blocks.heightOf(range.high), t0, t1);
}

}  // namespace karst::heightfield
