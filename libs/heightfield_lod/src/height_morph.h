#pragma once

#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield_lod/tile_selection.h>

#include <algorithm>
#include <cstdint>

// The morph of a drawn tile (spec row H16): the CPU reference of the vertex stage. Version 1 patches use it
// on their one grid, tiles on their own samples.

namespace karst::heightfield {

/// A tile as it is drawn. `Fetch` gives the sample at (i, j), 0 .. cells. Detail and edges are relative to
/// the tile's level: 0 .. log2(cells).
template <class Fetch>
class HeightMorph {
  public:
    HeightMorph(const Fetch& fetch, std::uint32_t cells, double detail, const double (&edges)[4])
        : m_fetch(fetch), m_cells(static_cast<int>(cells)) {
        int levels = 0;
        while ((m_cells >> levels) > 1)
            ++levels;
        const double top = levels;
        const double drawn = std::clamp(detail, 0.0, top);
        m_level = static_cast<int>(drawn);
        m_fraction = drawn - m_level;
        for (int side = 0; side < 4; ++side)
            m_edges[side] = std::clamp(edges[side], drawn, top);
    }

    /// Cells between two vertices of the drawn lattice.
    int stride() const { return 1 << m_level; }

    /// What all tiles along a side agree on: a function of the place along it and of the side's detail alone.
    /// `place`: 0 .. cells.
    double edgeHeight(TileSide side, double place) const {
        const double detail = m_edges[side];
        const int level = static_cast<int>(detail);
        const double fraction = detail - level;
        const double fine = edgeLine(side, place, level);
        return fraction > 0 ? fine + fraction * (edgeLine(side, place, level + 1) - fine) : fine;
    }

    /// A vertex of the drawn lattice; i and j are multiples of stride().
    double vertexHeight(int i, int j) const {
        const double own = base(i, j);
        if (m_fraction == 0 || onBorder(i, j)) return own;
        // The middle of the coarser lattice's edge that the vertex lies on: along X, along Z, or the
        // diagonal.
        const int step = stride(), coarse = 2 * step - 1;
        const int di = (i & coarse) != 0 ? step : 0;
        const int dj = (j & coarse) != 0 ? step : 0;
        if (di == 0 && dj == 0) return own;
        const double middle = 0.5 * (base(i + di, j - dj) + base(i - di, j + dj));
        return own + m_fraction * (middle - own);
    }

    double heightAt(double u, double v) const {
        const double end = m_cells;
        u = std::clamp(u, 0.0, end);
        v = std::clamp(v, 0.0, end);
        if (u == 0) return edgeHeight(kSideLowX, v);
        if (u == end) return edgeHeight(kSideHighX, v);
        if (v == 0) return edgeHeight(kSideLowZ, u);
        if (v == end) return edgeHeight(kSideHighZ, u);
        const int step = stride();
        const int i = static_cast<int>(u) & ~(step - 1), j = static_cast<int>(v) & ~(step - 1);
        return cellHeight(vertexHeight(i, j), vertexHeight(i + step, j), vertexHeight(i, j + step),
                          vertexHeight(i + step, j + step), (u - i) / step, (v - j) / step);
    }

  private:
    bool onBorder(int i, int j) const { return i == 0 || j == 0 || i == m_cells || j == m_cells; }

    /// A vertex before it slides. Coarse vertices on a border lie on its edge's line, not on their samples.
    double base(int i, int j) const {
        if (i == 0) return edgeHeight(kSideLowX, j);
        if (i == m_cells) return edgeHeight(kSideHighX, j);
        if (j == 0) return edgeHeight(kSideLowZ, i);
        if (j == m_cells) return edgeHeight(kSideHighZ, i);
        return m_fetch(i, j);
    }

    double onSide(TileSide side, int place) const {
        const int across = side == kSideHighX || side == kSideHighZ ? m_cells : 0;
        return side <= kSideHighX ? m_fetch(across, place) : m_fetch(place, across);
    }

    double edgeLine(TileSide side, double place, int level) const {
        const int step = 1 << level;
        const int first = static_cast<int>(place) & ~(step - 1);
        const double low = onSide(side, first);
        const double along = (place - first) / step;
        return along > 0 ? low + along * (onSide(side, first + step) - low) : low;
    }

    const Fetch& m_fetch;
    int m_cells;
    int m_level = 0;
    double m_fraction = 0;
    double m_edges[4] = {};
};

}  // namespace karst::heightfield
