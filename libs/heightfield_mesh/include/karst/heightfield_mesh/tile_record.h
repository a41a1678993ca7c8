#pragma once

#include <karst/heightfield_lod/tile_selection.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::heightfield {

/// A place near the eye that a frame's records are relative to, so that what is near it is drawn exactly
/// anywhere in the world (spec row HX3): a point of the lattice of level -4, the finest that any pyramid has,
/// and a height that f32 holds.
struct TileAnchor {
    std::int64_t x = 0, z = 0;  ///< in cells of level -4 from the layout's origin
    float height = 0;
};

/// The anchor nearest to a point of the terrain's local space; the pyramid's nearest where that is outside.
TileAnchor tileAnchor(const TileLayout& layout, const Vec3d& eye);
/// In local space.
Vec3d anchorPosition(const TileLayout& layout, const TileAnchor& anchor);

/// Where four tiles, or two and the side of a larger one, meet: the level whose gradient all of them take
/// there. Indices of NodeCorners: bit 0 the high X end, bit 1 the high Z end.
struct NodeCorners {
    float detail[4] = {};

    bool operator==(const NodeCorners&) const = default;
};

/// Gives each corner the coarsest detail of the edges that end there, as far as every tile at the corner
/// holds that lattice. (Tiles of 2 cells whose levels differ by two have none in common.) Keeps its memory.
/// Threads: one at a time.
class CornerReconciler {
  public:
    /// `nodes`: one selection of a layout, edges reconciled. Valid until the next call.
    std::span<const NodeCorners> reconcile(const TileLayout& layout, std::span<const TileNode> nodes);

  private:
    struct Slot {
        std::uint64_t key = 0;
        float detail = 0;  // the coarsest of the edges
        float most = 0;    // the coarsest that all tiles hold
    };
    Slot& slotAt(std::uint64_t key);

    std::vector<Slot> m_table;  // open addressing
    std::vector<NodeCorners> m_corners;
};

/// What the vertex stage reads of one drawn tile (spec row H19), as the GPU's instance attributes.
struct TileRecord {
    std::int32_t x = 0, z = 0;  ///< sample (0, 0), in cells of level -4 from the anchor
    /// Bits 0..15 the pool's layer, 16..20 level + 4, 21..23 log2(tileCells), 24: not all cells are ground.
    std::uint32_t bits = 0;
    float detail = 0;  ///< of the lattice drawn, less the tile's level: 0 .. log2(tileCells)
    float error = 0;   ///< of drawing at that detail, world units
    /// Corners' details less the level in steps of 2^-16, 24 bits each, from the lowest bit of the first
    /// word.
    std::uint32_t corners[3] = {};
    float edges[4] = {};  ///< details along the sides, less the level

    std::uint32_t layer() const { return bits & 0xffffu; }
    std::int32_t level() const { return static_cast<std::int32_t>(bits >> 16 & 31u) - 4; }
    std::uint32_t tileLevels() const { return bits >> 21 & 7u; }
    bool hasGaps() const { return (bits >> 24 & 1u) != 0; }
    /// 0..3 as in NodeCorners.
    double cornerDetail(std::uint32_t corner) const {
        const std::uint32_t word = corner * 24 / 32, shift = corner * 24 % 32;
        std::uint64_t steps = corners[word];
        if (shift != 0 && word < 2) steps |= std::uint64_t{corners[word + 1]} << 32;
        return static_cast<double>(steps >> shift & 0xffffffu) / 65536;
    }
    /// log2 of the stride at which the lattice is drawn.
    std::uint32_t strideLevel() const { return static_cast<std::uint32_t>(detail); }
};
static_assert(sizeof(TileRecord) == 48);

/// `layer` below 65536 (asserted). The tile is the node's.
TileRecord makeTileRecord(const TileLayout& layout, const HeightTile& tile, const TileNode& node,
                          const NodeCorners& corners, const TileAnchor& anchor, std::uint32_t layer);

/// Error of drawing a tile at a detail: between the table's entries in proportion.
double tileErrorAt(const HeightTile& tile, double detail);
/// The coarsest detail, level .. level + tileLevels, whose error is at most `error`; the tile's level where
/// none is.
float coarsestDetail(const HeightTile& tile, std::uint32_t tileLevels, double error);

}  // namespace karst::heightfield
