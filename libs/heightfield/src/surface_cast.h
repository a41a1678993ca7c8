#pragma once

#include <bit>
#include <cstdlib>

#include "surface_index.h"

namespace karst::heightfield {

/// One ray over a surface's index, from its first node to the cell that it meets. Its steps are in files of
/// their own: surface_ray.cpp (the ray over the samples, and what a hit says), surface_ray_walk.cpp (nodes
/// and blocks), surface_ray_cells.cpp (cells).
///
/// What the walk skips lies clearly on one side of the ground, and where a cell is entered and left follows
/// from the ray, the range of all heights and the cell: blocks only decide what is skipped.
class SurfaceCast {
  public:
    SurfaceCast(const SurfaceIndex::State& state, const Ray& ray, double maxT)
        : m_state(state), m_layout(state.surface.layout()), m_ray(ray), m_maxT(maxT) {}

    /// In steps, between which other rays may take theirs: what the next one reads is on its way by then.
    void begin();
    void narrow();
    const SurfaceHit& finish();

  private:
    /// Part of the surface that a ray passes in one piece: a node with all below it, or (size > 0) a square
    /// of cells of its own tile.
    struct Piece {
        const SurfaceNode* node = nullptr;
        int x = 0, z = 0, size = 0;
    };
    struct Sample {
        double t, above;  ///< the ray above the ground
    };
    /// The ray over the cells of one tile.
    struct TileRay {
        double u, v, du, dv;
        double inverseU, inverseV, inverseAcross;  ///< 1 / du, ...; 0 where there is none
    };
    /// The cells of a tile where a part of the ray begins and ends.
    struct Cells {
        int x0, z0, x1, z1;
        int extent() const { return std::max(std::abs(x1 - x0), std::abs(z1 - z0)); }
        /// At which they lie in the same or in neighbouring blocks.
        int level() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(extent()))); }
    };
    /// A least block of cells, and where the ray comes to it.
    struct LeafBlock {
        int x, z;
        double t;
    };
    struct CellPlace : SurfaceIndex::State::CellPlace {
        const SurfaceNode* node = nullptr;
    };
    enum class Narrowed { Left, Passed, Ended };

    void vertical();
    bool clip();
    void approach();
    void passTree();
    void comeToSquare(double t);
    void leaveSquare();
    Piece leafPiece() const { return {m_leaf, 0, 0, m_state.cells}; }

    // These are true where the ray ends.
    bool passNode(const SurfaceNode& top, double t0, double t1);
    bool passQuadrant(const SurfaceNode& node, unsigned q, double t0, double t1);
    bool passQuadrants(const SurfaceNode& node, double t0, double t1);
    bool passSquare(const Piece& piece, double t0, double t1);
    bool passNarrowed(const Piece& top, double t0, double t1);
    bool passBlocks(const Piece& top, const TileRay& ray, double t0, double t1);
    bool passAbove(const Piece& top, const TileRay& ray, LeafBlock block, double t1);
    bool passCells(const Piece& piece, const TileRay& ray, double t0, double t1);
    bool passCells(const Piece& piece, const TileRay& ray, int x, int z, double t0, double t1);
    bool meet(const SurfaceNode& node, int x, int z, Sample in, Sample diagonal, Sample out);

    template <class Visit>
    bool inQuadrants(double midU, double midV, double t0, double t1, Visit visit) const;
    Narrowed narrow(const Piece& piece, double low, double high, double& t0, double& t1);
    Narrowed narrow(const Piece& piece, const Cells& cells, int level, double& t0, double& t1);
    bool isDiving() const;
    bool skipBlocks(const Piece& top, const TileRay& ray, LeafBlock& block, double t1) const;
    Narrowed narrowBlocks(const Piece& top, const TileRay& ray, double& t0, double& t1);
    static Cells cellsOf(const Piece& piece, const TileRay& ray, double t0, double t1);
    /// Where a piece ends and the ray had left its range before.
    void leave(const Piece& piece) {
        m_side = m_dy < 0 ? -1 : 1;
        m_last = piece;
    }
    bool enter(const Piece& piece, int side, double t) {
        return m_side != 0 && side != 0 && m_side != side && meetGap(piece, t);
    }
    bool meetGap(const Piece& piece, double t);

    TileRay over(const SurfaceNode& node) const;
    CellPlace cellIn(const Piece& piece, double t) const;
    double yAt(double t) const { return m_y + t * m_dy; }
    void hitAt(const SurfaceNode& node, int x, int z, bool lower, double t);

    static constexpr double kHuge = 1e300;
    static constexpr int kLeafLevel = std::countr_zero(unsigned{TileBlocks::kLeafCells});

    /// Held to 0..high.
    static double heldTo(double value, double high) {
        const double low = value > 0 ? value : 0.0;
        return low < high ? low : high;
    }

    const SurfaceIndex::State& m_state;
    const TileLayout& m_layout;
    const Ray m_ray;
    double m_maxT;
    SurfaceHit m_hit;

    // The ray over level-0 samples.
    double m_u = 0, m_v = 0, m_y = 0, m_du = 0, m_dv = 0, m_dy = 0;
    double m_inverseU = kHuge, m_inverseV = kHuge, m_inverseY = kHuge, m_inverseAcross = kHuge;
    double m_begin = 0, m_end = 0;
    double m_slack = 0;   ///< more than any rounding of a height along the ray
    unsigned m_flip = 0;  ///< quadrants in the ray's order

    /// Where begin() and narrow() left off: at the end (null), or at a block of this leaf.
    const SurfaceNode* m_leaf = nullptr;
    TileRay m_tileRay{};
    LeafBlock m_block{};
    int m_squareX = 0, m_squareZ = 0;  ///< of the cover
    double m_squareEnd = 0, m_t1 = 0;
    bool m_overX = false;  ///< the side at m_squareEnd

    Piece m_last;
    int m_side = 0;  ///< of the ground where the ray left m_last: 1 above, -1 below, 0 not known
};

}  // namespace karst::heightfield
