#pragma once

#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield/surface_query.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "catmull_rom.h"

namespace karst::heightfield {

/// Ranges of a tile's samples over blocks of cells: of 4 x 4 cells (of all, where there are fewer), then of
/// blocks of twice the size, up to the whole tile.
class TileBlocks {
  public:
    static constexpr int kLeafCells = 4;

    /// `samples`: of sample (0, 0), rows `side` apart.
    TileBlocks(const float* samples, std::ptrdiff_t side, int cells);

    /// What a block's range is read from, by blockIndex.
    const HeightRange* ranges() const { return m_ranges.data(); }
    std::size_t memoryBytes() const { return sizeof *this + m_ranges.capacity() * sizeof(HeightRange); }

  private:
    std::vector<HeightRange> m_ranges;
};

/// Of a square block of `size` cells at a multiple of it, a power of two, at least min(kLeafCells, cells).
/// The levels with n = 1, 2, 4 ... blocks a side follow each other: (n * n - 1) / 3 blocks come before n's.
inline std::size_t blockIndex(int cells, int x, int z, int size) {
    const int shift = std::countr_zero(static_cast<unsigned>(size));
    const int n = cells >> shift;
    return static_cast<std::size_t>((n * n - 1) / 3 + (z >> shift) * n + (x >> shift));
}

/// A square of the quadtree: a resident tile, or a place above or between such. One cache line: rays over a
/// wide surface wait for memory more than for anything else.
struct alignas(64) SurfaceNode {
    /// Of the finest surface in the square; low > high where there is none.
    float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
    std::int32_t child[4] = {-1, -1, -1, -1};  ///< as TileKey::child
    const float* samples = nullptr;            ///< of sample (0, 0); null: no tile
    const HeightRange* ranges = nullptr;       ///< TileBlocks'; null where children cover the tile
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

    CellSamples(const float* samples, std::ptrdiff_t side, int x, int z) {
        const float* p = samples + z * side + x;
        h[0] = p[0];
        h[1] = p[1];
        h[2] = p[side];
        h[3] = p[side + 1];
    }
    double heightAt(double fx, double fz) const { return cellHeight(h[0], h[1], h[2], h[3], fx, fz); }
};

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

    // The collision level: a window of its tiles, row-major.
    struct CollisionTile {
        const float* samples = nullptr;
        const std::uint64_t* holes = nullptr;
    };
    double collisionScale = 1;              ///< cells of the level per level-0 cell
    int collisionShift = 0;                 ///< log2(cells)
    int lastCellX = 0, lastCellZ = 0;       ///< the ground's last
    int windowX = 0, windowZ = 0;           ///< first tile
    int windowColumns = 0, windowRows = 0;  ///< 0: too wide for a window, go through the tree
    std::vector<CollisionTile> window;

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
    void makeWindow(const std::vector<std::size_t>& nodeOf);
};

}  // namespace karst::heightfield
