#include <bit>
#include <cmath>

#include "surface_cast.h"

namespace karst::heightfield {
namespace {

/// A ray over more cells than this goes from block to block before its cells are walked.
constexpr int kWalkedCells = 12;
constexpr int kBlockLevel = 3;
constexpr int kLeafLevel = std::countr_zero(unsigned{TileBlocks::kLeafCells});

/// Held to 0..high.
double heldTo(double value, double high) {
    const double low = value > 0 ? value : 0.0;
    return low < high ? low : high;
}

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
inline SurfaceCast::Narrowed SurfaceCast::narrow(const Piece& piece, double low, double high, double& t0,
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
    const Narrowed narrowed = narrowBlocks(top, ray, t0, t1);
    if (narrowed == Narrowed::Ended) return true;
    if (narrowed == Narrowed::Left) {
        const bool far = cellsOf(top, ray, t0, t1).extent() > kWalkedCells;
        if (far ? passBlocks(top, ray, t0, t1) : passCells(top, ray, t0, t1)) return true;
    }
    if (t1 < whole) leave(top);
    return false;
}

/// Narrows the whole ray to what up to 2 x 2 squares of the cover around it hold, and to ever smaller ones,
/// as long as that helps. What is left mostly lies in one leaf, which is gone through in steps; if it does
/// not, the ray is cast to its end here.
void SurfaceCast::approach() {
    const SurfaceCover& cover = m_state.cover;
    const Piece all{&m_state.nodes.front(), 0, 0, 0};
    double t0 = m_begin, t1 = m_end;
    const double scale = m_state.coverScale;
    const auto squareAt = [&](double at, int count) {
        return static_cast<int>(heldTo(at * scale, count - 1));
    };
    Cells squares;
    for (int before = cover.levels();;) {
        squares = {squareAt(m_u + t0 * m_du, cover.columns()), squareAt(m_v + t0 * m_dv, cover.rows()),
                   squareAt(m_u + t1 * m_du, cover.columns()), squareAt(m_v + t1 * m_dv, cover.rows())};
        const int level = squares.level();
        if (level >= before) break;
        before = level;
        const auto& [x0, z0, x1, z1] = squares;
        const HeightRange &a = cover.at(level, x0, z0), &b = cover.at(level, x1, z0),
                          &c = cover.at(level, x0, z1), &d = cover.at(level, x1, z1);
        const float low = std::min(std::min(a.min, b.min), std::min(c.min, d.min));
        const float high = std::max(std::max(a.max, b.max), std::max(c.max, d.max));
        if (!(low <= high) || narrow(all, double{low}, double{high}, t0, t1) != Narrowed::Left) return;
    }
    if (!m_state.coverLeaves.empty()) {
        const int shift = m_state.coverTileLevel, columns = m_state.coverTileColumns;
        const auto leafIn = [&](int x, int z) {
            return m_state.coverLeaves[static_cast<std::size_t>((z >> shift) * columns + (x >> shift))];
        };
        const std::int32_t leaf = leafIn(squares.x0, squares.z0);
        if (leaf >= 0 && leaf == leafIn(squares.x1, squares.z1)) {
            m_leaf = &m_state.nodes[static_cast<std::size_t>(leaf)];
            m_t0 = t0;
            m_t1 = t1;
            m_tileRay = over(*m_leaf);
            const Cells cells = cellsOf({m_leaf, 0, 0, m_state.cells}, m_tileRay, t0, t1);
            const TileBlocks::View blocks(m_leaf->blocks, m_state.cells);
            blocks.prefetch();
            for (const int level : {kLeafLevel, kLeafLevel + 1}) {
                if (level > blockLevel(m_state.cells)) break;
                blocks.prefetch(level, cells.x0 >> level, cells.z0 >> level);
                blocks.prefetch(level, cells.x1 >> level, cells.z1 >> level);
            }
            return;
        }
    }
    passNode(m_state.nodes.front(), t0, t1);
}

/// Within the leaf's blocks.
void SurfaceCast::narrow() {
    if (m_leaf == nullptr) return;
    const Piece piece{m_leaf, 0, 0, m_state.cells};
    if (narrowBlocks(piece, m_tileRay, m_t0, m_t1) != Narrowed::Left) {
        m_leaf = nullptr;
        return;
    }
    const Cells cells = cellsOf(piece, m_tileRay, m_t0, m_t1);
    if (cells.extent() > kWalkedCells) return;
    const auto [x0, x1] = std::minmax(cells.x0, cells.x1);
    const auto [z0, z1] = std::minmax(cells.z0, cells.z1);
    for (int z = z0; z <= z1 + 1; ++z) {
        const float* row = m_leaf->samples + z * m_state.side;
        __builtin_prefetch(row + x0);
        __builtin_prefetch(row + x1 + 1);
    }
}

const SurfaceHit& SurfaceCast::finish() {
    if (m_leaf != nullptr) {
        const Piece piece{m_leaf, 0, 0, m_state.cells};
        if (cellsOf(piece, m_tileRay, m_t0, m_t1).extent() > kWalkedCells) {
            passBlocks(piece, m_tileRay, m_t0, m_t1);
        } else {
            passCells(piece, m_tileRay, m_t0, m_t1);
        }
    }
    return m_hit;
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
