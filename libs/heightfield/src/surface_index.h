#pragma once

#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield/surface_query.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "catmull_rom.h"
#include "double_pair.h"
#include "surface_cover.h"

namespace karst::heightfield {

/// Ranges of a tile's samples over blocks of cells: of 4 x 4 cells (of all, where there are fewer), then of
/// blocks of twice the size, up to the whole tile. Held in 8 bits between the tile's lowest and highest
/// sample, rounded outwards: one tile's fit in few cache lines, which is what rays wait for.
class TileBlocks {
  public:
    static constexpr int kLeafCells = 4;

    struct Range {
        std::uint8_t low, high;
    };

    /// `samples`: of sample (0, 0), rows `side` apart.
    TileBlocks(const float* samples, std::ptrdiff_t side, int cells);

    /// Reads the numbers of a TileBlocks that lives on.
    class View {
      public:
        View(const double* words, int cells)
            : m_words(words),
              m_ranges(reinterpret_cast<const std::uint8_t*>(words + kHeadWords)),
              m_shift(std::countr_zero(static_cast<unsigned>(cells))) {}

        /// Of the block of 2^level cells a side, 1 <= level, that is the x-th and z-th of its size.
        Range at(int level, int x, int z) const {
            const std::uint8_t* range = m_ranges + 2 * blockIndex(m_shift - level, x, z);
            return {range[0], range[1]};
        }
        void prefetch(int level, int x, int z) const {
            __builtin_prefetch(m_ranges + 2 * blockIndex(m_shift - level, x, z));
        }
        void prefetch() const { __builtin_prefetch(m_words); }
        double heightOf(std::uint8_t value) const { return m_words[0] + value * m_words[1]; }
        double step() const { return m_words[1]; }
        /// The ranges of a level, row by row.
        const Range* rangesOf(int level) const {
            return reinterpret_cast<const Range*>(m_ranges + 2 * blockIndex(m_shift - level, 0, 0));
        }

      private:
        const double* m_words;
        const std::uint8_t* m_ranges;
        int m_shift;
    };
    const double* words() const { return m_words.data(); }
    std::size_t memoryBytes() const { return sizeof *this + m_words.capacity() * sizeof(double); }

  private:
    static constexpr std::size_t kHeadWords = 2;

    /// The levels with 2^shift = 1, 2, 4 ... blocks a side follow each other, each row by row.
    static std::size_t blockIndex(int shift, int x, int z) {
        const std::uint32_t before = 0x55555555u & ((std::uint32_t{1} << 2 * shift) - 1);  // 1 + 4 + 16 ...
        return before + (static_cast<std::uint32_t>(z) << shift) + static_cast<std::uint32_t>(x);
    }

    /// The height of 0, the step to 1, then the ranges.
    PagedVector<double> m_words;
};

/// log2 of a block's side.
inline int blockLevel(int size) {
    return std::countr_zero(static_cast<unsigned>(size));
}

inline TileBlocks::Range unite(TileBlocks::Range a, TileBlocks::Range b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// A square of the quadtree: a resident tile, or a place above or between such. One cache line: rays over a
/// wide surface wait for memory more than for anything else.
struct alignas(64) SurfaceNode {
    /// Of the finest surface in the square; low > high where there is none.
    float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
    std::int32_t child[4] = {-1, -1, -1, -1};  ///< as TileKey::child
    const float* samples = nullptr;            ///< of sample (0, 0); null: no tile
    const double* blocks = nullptr;            ///< TileBlocks'; null where children cover the tile
    std::int32_t placeU = 0, placeV = 0;       ///< of the corner, in sixteenths of a level-0 cell
    float cellSide = 1, cellsPerSide = 1;      ///< of a cell, in level-0 cells, and its inverse
    std::int32_t owner = -1;  ///< the nearest node with a tile upwards, itself included; -1: none
    std::int8_t level = 0;
    bool leaf = false;   ///< a tile without any child
    bool holed = false;  ///< the tile has holes

    double u() const { return placeU * (1.0 / kSixteenths); }
    double v() const { return placeV * (1.0 / kSixteenths); }
    double cell() const { return double{cellSide}; }
    double inverseCell() const { return double{cellsPerSide}; }
    TileKey keyOf(int cells) const {
        const double side = cell() * cells;
        return {level, static_cast<std::uint32_t>(u() / side), static_cast<std::uint32_t>(v() / side)};
    }
};
static_assert(sizeof(SurfaceNode) == 64);

/// A cell's corners.
struct CellSamples {
    double h[4];  ///< h00, h10, h01, h11

    /// `corner`: of the cell.
    CellSamples(const float* corner, std::ptrdiff_t side)
        : h{corner[0], corner[1], corner[side], corner[side + 1]} {}
    CellSamples(const float* samples, std::ptrdiff_t side, int x, int z)
        : CellSamples(samples + z * side + x, side) {}
};

/// fx and fz in 0..1.
inline double heightIn(const float* corner, std::ptrdiff_t side, double fx, double fz) {
    return heightIn(corner, side, DoublePair(fx, fz));
}

struct SurfaceIndex::State {
    State(const Surface& from, const SurfaceIndex::State* previous, const Externals& externals);

    Surface surface;
    Rect ground;
    double lastU = 0, lastV = 0;              ///< of the ground, in level-0 samples
    int cells = 0;                            ///< a side of a tile
    std::ptrdiff_t side = 0;                  ///< samples a side
    std::vector<SurfaceNode> nodes;           ///< parents before children; the first is the root
    std::vector<const std::uint64_t*> holes;  ///< of each node's tile; null: none

    /// One entry a tile, in the order of surface.tiles(); null where never needed.
    std::vector<std::shared_ptr<const TileBlocks>> blocks;
    std::size_t built = 0;

    SurfaceCover cover;
    double coverScale = 0;  ///< squares per level-0 cell
    /// Of each square of a level-0 tile, the leaf that it lies in; -1: none. Empty where the cover's squares
    /// are larger than tiles.
    std::vector<std::int32_t> coverLeaves;
    /// Highest heights in the cover's least squares; infinite where no leaf holds the square. Empty as above.
    std::vector<float> coverHighs;
    int coverTileLevel = 0;  ///< the cover's level of such squares
    int coverTileColumns = 0;

    // The collision level: a window of its tiles, row-major.
    struct CollisionTile {
        const float* samples = nullptr;
        const std::uint64_t* holes = nullptr;
    };
    DoublePair groundMin, groundMax, origin, spacing;
    DoublePair last;                                  ///< lastU, lastV
    DoublePair collisionScale;                        ///< cells of the level per level-0 cell
    DoublePair lastCell;                              ///< the ground's last at the level
    int collisionShift = 0;                           ///< log2(cells)
    int windowX = 0, windowZ = 0;                     ///< first tile
    std::uint32_t windowColumns = 0, windowRows = 0;  ///< 0: too wide for a window, go through the tree
    std::vector<CollisionTile> window;

    /// The cell of the collision level at a point, and the place in it.
    struct CollisionPlace {
        const float* corner = nullptr;  ///< null: no height there
        DoublePair place;
    };
    CollisionPlace collisionPlaceAt(DoublePair at) const;  // in a window
    double heightInTree(double x, double z) const;

    /// A point in level-0 samples; false outside the ground and where it is not finite.
    bool locate(double x, double z, double& u, double& v) const {
        if (!ground.contains(x, z)) return false;
        const TileLayout& layout = surface.layout();
        u = std::clamp((x - layout.originX) / layout.spacingX, 0.0, lastU);
        v = std::clamp((z - layout.originZ) / layout.spacingZ, 0.0, lastV);
        return true;
    }
    bool isHole(const std::uint64_t* bits, int x, int z) const {
        if (bits == nullptr) return false;
        const auto bit =
            static_cast<std::size_t>(z) * static_cast<std::size_t>(cells) + static_cast<std::size_t>(x);
        return (bits[bit >> 6] >> (bit & 63) & 1u) != 0;
    }
    bool isHole(const SurfaceNode& node, int x, int z) const {
        return node.holed && isHole(holes[static_cast<std::size_t>(&node - nodes.data())], x, z);
    }
    /// A square of cells of a node's own tile.
    struct Square {
        const SurfaceNode* node = nullptr;  ///< null: no tile there
        int x = 0, z = 0, size = 0;         ///< a power of two at a multiple of itself
    };
    /// What a node's quadrant without a child shows: part of its owner, or, where that is many levels up, one
    /// cell of it.
    Square squareOf(const SurfaceNode& node, unsigned quadrant) const {
        if (node.owner < 0) return {};
        const SurfaceNode& owner = nodes[static_cast<std::size_t>(node.owner)];
        const double half = node.cell() * (cells / 2);
        const double u = node.u() + (quadrant & 1) * half - owner.u(),
                     v = node.v() + (quadrant >> 1) * half - owner.v();
        return {&owner, static_cast<int>(u * owner.inverseCell()), static_cast<int>(v * owner.inverseCell()),
                std::max(static_cast<int>(half * owner.inverseCell()), 1)};
    }

    /// The cell of a node at a point, held to first..last, and the place in it.
    struct CellPlace {
        int x = 0, z = 0;
        double fx = 0, fz = 0;
    };
    CellPlace placeIn(const SurfaceNode& node, double u, double v, int firstX, int firstZ, int size) const {
        CellPlace place;
        const auto along = [&](double at, double end, double corner, int first, int& cell, double& fraction) {
            // The ground's far border belongs to its last cell.
            const double inside = (std::min(at, end - kInside) - corner) * node.inverseCell();
            cell = std::clamp(static_cast<int>(std::clamp(inside, 0.0, 1e9)), first, first + size - 1);
            fraction = std::clamp((at - corner) * node.inverseCell() - cell, 0.0, 1.0);
        };
        along(u, lastU, node.u(), firstX, place.x, place.fx);
        along(v, lastV, node.v(), firstZ, place.z, place.fz);
        return place;
    }
    CellPlace placeIn(const SurfaceNode& node, double u, double v) const {
        return placeIn(node, u, v, 0, 0, cells);
    }
    /// The finest node with a tile at a point of `from`'s square, of no finer level than `level`; null where
    /// there is none.
    const SurfaceNode* leafAt(const SurfaceNode* from, double u, double v,
                              std::int32_t level = std::numeric_limits<std::int32_t>::min()) const;
    /// Of the whole surface.
    const SurfaceNode* finestAt(double u, double v) const {
        return leafAt(nodes.data(), std::min(u, lastU - kInside), std::min(v, lastV - kInside));
    }
    /// Less than the finest cell's side, 1/16.
    static constexpr double kInside = 1.0 / 64;

  private:
    std::vector<std::size_t> makeNodes();  // each tile's node
    void makeBlocks(const std::vector<std::size_t>& nodeOf, const State* previous,
                    const Externals& externals);
    void makeRanges();
    void makeCover();
    void coverQuadrant(const SurfaceNode& node, unsigned q);
    void makeWindow(const std::vector<std::size_t>& nodeOf);
};

}  // namespace karst::heightfield
