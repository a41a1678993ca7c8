#pragma once

#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield/surface_query.h>

#include <algorithm>
#include <vector>

namespace karst::heightfield {

/// Ranges of a tile's samples over blocks of cells: of 4 x 4 cells (of all, where there are fewer), then of
/// blocks of twice the size, up to the whole tile.
class TileBlocks {
  public:
    static constexpr int kLeafCells = 4;

    /// `samples`: of sample (0, 0), rows `side` apart.
    TileBlocks(const float* samples, std::ptrdiff_t side, int cells);

    /// Of a square block of `size` cells, a power of two, at least min(kLeafCells, cells), at a multiple of
    /// it.
    const HeightRange& range(int x, int z, int size) const {
        const int n = m_cells / size;
        // The levels with n = 1, 2, 4 ... blocks a side follow each other: (n * n - 1) / 3 come before n's.
        return m_ranges[static_cast<std::size_t>((n * n - 1) / 3 + z / size * n + x / size)];
    }
    std::size_t memoryBytes() const { return sizeof *this + m_ranges.capacity() * sizeof(HeightRange); }

  private:
    int m_cells;
    std::vector<HeightRange> m_ranges;
};

/// A square of the quadtree: a resident tile, or a place above or between such.
struct SurfaceNode {
    /// Of the finest surface in the square; low > high where there is none.
    float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
    std::int32_t child[4] = {-1, -1, -1, -1};  ///< as TileKey::child
    const float* samples = nullptr;            ///< of sample (0, 0); null: no tile
    const std::uint64_t* holes = nullptr;      ///< null: none
    const TileBlocks* blocks = nullptr;        ///< null where children cover the tile
    double u = 0, v = 0;                       ///< of the corner, in level-0 samples
    double cell = 1, inverseCell = 1;          ///< a cell's side in level-0 samples
    TileKey key;
};

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
    double lastU = 0, lastV = 0;     ///< of the ground, in level-0 samples
    int cells = 0;                   ///< a side of a tile
    std::ptrdiff_t side = 0;         ///< samples a side
    std::vector<SurfaceNode> nodes;  ///< parents before children; the first is the root

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
    bool isHole(const std::uint64_t* holes, int x, int z) const {
        if (holes == nullptr) return false;
        const auto bit =
            static_cast<std::size_t>(z) * static_cast<std::size_t>(cells) + static_cast<std::size_t>(x);
        return (holes[bit >> 6] >> (bit & 63) & 1u) != 0;
    }
    /// The cell at a coordinate, and the place in it; the far border belongs to the last cell.
    static int cellOf(double coordinate, int first, int last, double& fraction) {
        const int cell = std::clamp(static_cast<int>(std::clamp(coordinate, 0.0, 1e9)), first, last);
        fraction = std::clamp(coordinate - cell, 0.0, 1.0);
        return cell;
    }
    /// The finest node with a tile at a point of `from`'s square, of no finer level than `level`; null where
    /// there is none.
    const SurfaceNode* leafAt(const SurfaceNode* from, double u, double v,
                              std::int32_t level = std::numeric_limits<std::int32_t>::min()) const;
    /// Of the whole surface. The ground's far border belongs to the last cells, which are 1/16 wide at least.
    const SurfaceNode* finestAt(double u, double v) const {
        return leafAt(nodes.data(), std::min(u, lastU - kInside), std::min(v, lastV - kInside));
    }
    static constexpr double kInside = 1.0 / 64;

  private:
    std::vector<std::size_t> makeNodes();  // each tile's node
    void makeBlocks(const std::vector<std::size_t>& nodeOf, const State* previous,
                    const Externals& externals);
    void makeRanges();
    void makeWindow(const std::vector<std::size_t>& nodeOf);
};

}  // namespace karst::heightfield
