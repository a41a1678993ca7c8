#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/surface.h>

#include <cstdint>
#include <memory>
#include <span>

namespace karst::heightfield {

/// Sides of a lattice cell on screen are at most this long, in CSS pixels, where finer tiles are resident.
inline constexpr double kMaxCellPixels = 32;

/// Where a terrain is looked at from, in the terrain's local space.
struct TileView {
    Vec3d eye;
    /// Logical (CSS) pixels that a world unit covers at distance 1: viewport height / (2 tan(vertical field
    /// of view / 2)).
    double projectionScale = 1000;
    /// Largest error on screen, in CSS pixels; above 0.
    double tolerance = 1;
    /// Ground within `targetRadius` of (focusX, focusZ) is pinned to the finest stored level; the pin fades
    /// over one more radius. 0: no pin.
    double focusX = 0, focusZ = 0;
    double targetRadius = 0;
};

/// Refuses by name a view whose tolerance or projection scale is not above 0, whose radius is negative, or
/// with a number that is not finite.
Result<void> validate(const TileView& view);

/// Sides of a tile, as indices of TileNode::edges.
enum TileSide : std::uint32_t { kSideLowX, kSideHighX, kSideLowZ, kSideHighZ };

/// A tile that is drawn, and how. Detail is a level with a fraction: at 2.25 the tile's lattice at stride 2^2
/// is drawn, a quarter of the way morphed to stride 2^3. Never below the tile's level nor above level +
/// tileLevels(). Details are multiples of 2^-16, so that a level taken from one is exact in f32.
struct TileNode {
    TileKey key;
    float detail = 0;
    float edges[4] = {};  ///< detail along each side: the coarsest of what meets there

    bool operator==(const TileNode&) const = default;
};

/// A tile that should be loaded (or synthesised) for a view.
struct WantedTile {
    TileKey key;
    bool prefetch = false;  ///< not needed yet, but within half a level
};

struct TileSelection {
    std::span<const TileNode> nodes;     ///< covers the ground exactly once
    std::span<const WantedTile> wanted;  ///< not resident; coarsest first
    std::span<const TileKey>
        used;  ///< resident tiles that the selection walked through or drew, for eviction
};

/// Chooses the tiles of a surface for a view (spec rows H11 - H16). Every direction around the eye is
/// covered, so turning the camera changes nothing. Keeps its memory: once warm it allocates nothing. Threads:
/// one at a time.
///
/// A tile asks for the coarsest detail whose error, between table entries in proportion, is within the view's
/// tolerance at the nearest point of its footprint and bounds, with cells of at most kMaxCellPixels and the
/// target disk's pin. (A 32nd of the tolerance, at most, goes to a part of the cell's size that is added to
/// each entry, so that the detail moves evenly over level parts of a table.) A tile that asks for less than
/// its level splits, where its children are resident; edge neighbours are within one level of each other.
///
/// With all tiles resident, error tables and bounds of parents that hold their children's, and tileCells of 4
/// or more, heights drawn on the ground move evenly with the view: nothing jumps where tiles switch. (Tiles
/// of 2 cells have a single level of their own, so an edge may jump by the error of one level.) Loading, and
/// losing, tiles changes what is drawn at once.
class TileSelector {
  public:
    explicit TileSelector(const Externals& externals = {});
    ~TileSelector();
    TileSelector(TileSelector&&) noexcept;
    TileSelector& operator=(TileSelector&&) noexcept;

    /// The result is valid until the next call of select(). An empty surface, or one without all its roots,
    /// selects nothing and wants the missing roots. `detailLevels`: how many levels below 0 may be
    /// synthesised (0..4). The view must be valid. Nodes come depth first, root by root.
    TileSelection select(const Surface& surface, const TileView& view, std::uint32_t detailLevels = 0);

    /// The same tiles as the last select(), drawn coarser where `coarsest` (one detail a node, in the order
    /// of its nodes) says so, with all edges reconciled again (spec row H15). Up to a tile's coarsest level;
    /// beside smaller tiles one level less. The nodes are valid until the next call of either, those of
    /// select() stay as they are.
    TileSelection coarsen(std::span<const float> coarsest);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Height that a node draws at a point of its footprint: the reference of the vertex stage's morph (spec row
/// H16). (u, v): 0 .. tileCells, in the tile's own cells. `tile` is the resident tile of node.key.
///
/// With k + f = detail - level (k whole, 0 <= f < 1) the node draws vertices (i, j) at multiples of s = 2^k
/// and two triangles a cell (height_triangle.h). Vertices never leave their x and z. With e + g = edges[side]
/// - level, edge(t) = lerp(line_e(t), line_e+1(t), g), where line_n joins the side's samples at multiples of
/// 2^n.
///   base(i, j) = edge(j or i) on a side, else the sample; corners are samples either way.
///   On a side, and where i and j are multiples of 2 s, a vertex is at base(i, j).
///   Else it is at lerp(base(i, j), (base(a) + base(b)) / 2, f), with a and b the ends of the coarser
///   lattice's edge that it halves: (i -+ s, j) where only i / s is odd, (i, j -+ s) where only j / s is, and
///   on the diagonal (i + s, j - s), (i - s, j + s) where both are.
/// Both tiles at a side evaluate the same edge(t) from the same samples.
double sampleNodeHeight(const HeightTile& tile, const TileLayout& layout, const TileNode& node, double u,
                        double v);

}  // namespace karst::heightfield
