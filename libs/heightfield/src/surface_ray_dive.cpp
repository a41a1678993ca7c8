#include <algorithm>
#include <cmath>

#include "surface_cast.h"

// The most frequent way of a ray: it comes from above, and what it meets first is all that counts. Loops have
// no branch but their end, since which of two lines a ray crosses first no processor foresees.

namespace karst::heightfield {
namespace {

/// The lines that a ray crosses along one axis, `size` cells apart.
struct Lines {
    double next, apart;
    int step;

    Lines(int square, int size, double at, double speed, double inverse) {
        const int ahead = speed > 0 ? 1 : 0;
        next = speed != 0 ? ((square + ahead) * size - at) * inverse : 1e300;
        apart = speed != 0 ? size * std::abs(inverse) : 0;
        step = 2 * ahead - 1;
    }
    void cross(bool now, int& square) {
        square += now ? step : 0;
        next += now ? apart : 0.0;
    }
};

}  // namespace

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
        if (level >= before || (level == 0 && isDiving())) break;
        before = level;
        const auto& [x0, z0, x1, z1] = squares;
        const HeightRange &a = cover.at(level, x0, z0), &b = cover.at(level, x1, z0),
                          &c = cover.at(level, x0, z1), &d = cover.at(level, x1, z1);
        const float low = std::min(std::min(a.min, b.min), std::min(c.min, d.min));
        const float high = std::max(std::max(a.max, b.max), std::max(c.max, d.max));
        if (!(low <= high) || narrow(all, double{low}, double{high}, t0, t1) != Narrowed::Left) return;
    }
    if (isDiving() && !m_state.coverHighs.empty()) {
        m_t1 = t1;
        m_squareX = squares.x0;
        m_squareZ = squares.z0;
        comeToSquare(t0);
    } else {
        passTree();
    }
}

/// The whole ray, from the root down.
void SurfaceCast::passTree() {
    m_leaf = nullptr;
    m_last = {};
    m_side = 0;
    passNode(m_state.nodes.front(), m_begin, m_end);
}

/// From a square of the cover to which the ray comes at t, goes on to the first that it does not pass above.
/// Where that is not in a leaf, the ray is cast to its end here.
void SurfaceCast::comeToSquare(double t) {
    const SurfaceCover& cover = m_state.cover;
    const int columns = cover.columns(), rows = cover.rows(), size = 1 << cover.shift();
    int x = m_squareX, z = m_squareZ, beforeX = x, beforeZ = z;
    Lines linesX(x, size, m_u, m_du, m_inverseU), linesZ(z, size, m_v, m_dv, m_inverseV);
    m_leaf = nullptr;
    for (;;) {
        const double out = std::min(linesX.next, linesZ.next);
        const float high =
            m_state.coverHighs[static_cast<std::size_t>(z) * static_cast<std::size_t>(columns) +
                               static_cast<std::size_t>(x)];
        if (!(yAt(std::min(out, m_t1)) > double{high} + m_slack)) break;
        if (!(out < m_t1)) return;
        const bool overX = linesX.next <= linesZ.next;
        beforeX = x;
        beforeZ = z;
        linesX.cross(overX, x);
        linesZ.cross(!overX, z);
        t = std::max(t, out);
        if (static_cast<unsigned>(x) >= static_cast<unsigned>(columns) ||
            static_cast<unsigned>(z) >= static_cast<unsigned>(rows)) {
            return;
        }
    }
    const auto leafIn = [&](int squareX, int squareZ) {
        const int shift = m_state.coverTileLevel;
        return m_state.coverLeaves[static_cast<std::size_t>((squareZ >> shift) * m_state.coverTileColumns +
                                                            (squareX >> shift))];
    };
    const auto nodeOf = [&](std::int32_t leaf) { return &m_state.nodes[static_cast<std::size_t>(leaf)]; };
    if (x != m_squareX || z != m_squareZ) m_last = {nodeOf(leafIn(beforeX, beforeZ)), 0, 0, m_state.cells};
    const std::int32_t leaf = leafIn(x, z);
    if (leaf < 0) {
        passTree();
        return;
    }
    m_squareX = x;
    m_squareZ = z;
    m_squareEnd = std::max(t, std::min(std::min(linesX.next, linesZ.next), m_t1));
    m_overX = linesX.next <= linesZ.next;
    m_leaf = nodeOf(leaf);
    m_tileRay = over(*m_leaf);
    const Cells cells = cellsOf(leafPiece(), m_tileRay, t, m_squareEnd);
    m_block = {cells.x0 >> kLeafLevel, cells.z0 >> kLeafLevel, t};
    const TileBlocks::View blocks(m_leaf->blocks, m_state.cells);
    blocks.prefetch();
    blocks.prefetch(kLeafLevel, m_block.x, m_block.z);
    blocks.prefetch(kLeafLevel, cells.x1 >> kLeafLevel, cells.z1 >> kLeafLevel);
    // A guess: most are met near the middle of what is left.
    const float* row =
        m_leaf->samples + ((cells.z0 + cells.z1) / 2 - 1) * m_state.side + (cells.x0 + cells.x1) / 2;
    for (int i = 0; i < 4; ++i, row += m_state.side)
        __builtin_prefetch(row);
}

/// Leaves the square without a hit.
void SurfaceCast::leaveSquare() {
    m_last = leafPiece();
    m_leaf = nullptr;
    if (!(m_squareEnd < m_t1)) return;
    if (m_side <= 0) {
        passTree();
        return;
    }
    m_squareX += m_overX ? (m_du > 0 ? 1 : -1) : 0;
    m_squareZ += m_overX ? 0 : (m_dv > 0 ? 1 : -1);
    if (static_cast<unsigned>(m_squareX) < static_cast<unsigned>(m_state.cover.columns()) &&
        static_cast<unsigned>(m_squareZ) < static_cast<unsigned>(m_state.cover.rows())) {
        comeToSquare(m_squareEnd);
    }
}

/// Goes on to the first block that the ray does not pass above.
void SurfaceCast::narrow() {
    while (m_leaf != nullptr) {
        if (skipBlocks(leafPiece(), m_tileRay, m_block, m_squareEnd)) {
            const float* corner =
                m_leaf->samples + (m_block.z << kLeafLevel) * m_state.side + (m_block.x << kLeafLevel);
            for (int z = 0; z <= TileBlocks::kLeafCells; ++z, corner += m_state.side)
                __builtin_prefetch(corner);
            return;
        }
        leaveSquare();
    }
}

const SurfaceHit& SurfaceCast::finish() {
    while (m_leaf != nullptr && !passAbove(leafPiece(), m_tileRay, m_block, m_squareEnd)) {
        leaveSquare();
        narrow();
    }
    return m_hit;
}

/// The ray descends, and was above the ground until here.
bool SurfaceCast::isDiving() const {
    return m_side > 0 && m_dy < 0 && m_state.cells >= TileBlocks::kLeafCells;
}

/// Goes on to the first block that the ray does not pass above; false where it comes to t1 before.
bool SurfaceCast::skipBlocks(const Piece& top, const TileRay& ray, LeafBlock& block, double t1) const {
    const TileBlocks::View blocks(top.node->blocks, m_state.cells);
    const TileBlocks::Range* ranges = blocks.rangesOf(kLeafLevel);
    const int rowShift = blockLevel(m_state.cells) - kLeafLevel;
    // The ray's height in steps of the tile's ranges.
    const double inverse = blocks.step() > 0 ? 1 / blocks.step() : 0;
    const double height = (m_y - m_slack - blocks.heightOf(0)) * inverse, rise = m_dy * inverse;
    const int firstX = top.x >> kLeafLevel, firstZ = top.z >> kLeafLevel;
    const auto count = static_cast<unsigned>(top.size >> kLeafLevel);
    int x = block.x, z = block.z;
    double t = block.t;
    Lines linesX(x, TileBlocks::kLeafCells, ray.u, ray.du, ray.inverseU);
    Lines linesZ(z, TileBlocks::kLeafCells, ray.v, ray.dv, ray.inverseV);
    for (;;) {
        const double out = std::min(linesX.next, linesZ.next);
        if (!(height + std::min(out, t1) * rise > ranges[(z << rowShift) + x].high)) break;
        const bool overX = linesX.next <= linesZ.next;
        linesX.cross(overX, x);
        linesZ.cross(!overX, z);
        t = out;
        if (!(out < t1) || static_cast<unsigned>(x - firstX) >= count ||
            static_cast<unsigned>(z - firstZ) >= count) {
            return false;
        }
    }
    block = {x, z, std::max(t, block.t)};
    return true;
}

/// From a block that skipBlocks found.
bool SurfaceCast::passAbove(const Piece& top, const TileRay& ray, LeafBlock block, double t1) {
    const std::ptrdiff_t side = m_state.side;
    do {
        const int firstX = block.x << kLeafLevel, firstZ = block.z << kLeafLevel;
        const auto cellAt = [](double at, int first) {
            const double inside = at - first;
            return first + static_cast<int>(std::min(std::max(inside, 0.0), TileBlocks::kLeafCells - 1.0));
        };
        int x = cellAt(ray.u + block.t * ray.du, firstX), z = cellAt(ray.v + block.t * ray.dv, firstZ);
        Lines linesX(x, 1, ray.u, ray.du, ray.inverseU), linesZ(z, 1, ray.v, ray.dv, ray.inverseV);
        for (;;) {
            const float* corner = top.node->samples + z * side + x;
            const float highest =
                std::max(std::max(corner[0], corner[1]), std::max(corner[side], corner[side + 1]));
            const double out = std::min(linesX.next, linesZ.next);
            if (!(yAt(std::min(out, m_end)) > double{highest} + m_slack))
                return passCells(top, ray, x, z, block.t, t1);
            block.t = std::max(block.t, out);
            if (!(out < t1)) {
                m_side = 1;
                m_last = top;
                return false;
            }
            const bool overX = linesX.next <= linesZ.next;
            linesX.cross(overX, x);
            linesZ.cross(!overX, z);
            if (((x ^ firstX) | (z ^ firstZ)) & ~(TileBlocks::kLeafCells - 1)) break;
        }
        block.x = x >> kLeafLevel;
        block.z = z >> kLeafLevel;
        const auto size = static_cast<unsigned>(top.size);
        if (static_cast<unsigned>(x - top.x) >= size || static_cast<unsigned>(z - top.z) >= size) break;
    } while (skipBlocks(top, ray, block, t1));
    m_side = 1;
    m_last = top;
    return false;
}

}  // namespace karst::heightfield
