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

/// Refuses by name a view whose tolerance is not above 0, whose radius is negative, or with a number that is
/// not finite.
Result<void> validate(const TileView& view);

/// Sides of a tile, as indices of TileNode::edges.
enum TileSide : std::uint32_t { kSideLowX, kSideHighX, kSideLowZ, kSideHighZ };

/// A tile that is drawn, and how. Detail is a level with a fraction: at 2.25 the tile's lattice at stride 2^2
/// is drawn, a quarter of the way morphed to stride 2^3. Never below the tile's level nor above level +
/// tileLevels().
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
class TileSelector {
  public:
    explicit TileSelector(const Externals& externals = {});
    ~TileSelector();
    TileSelector(TileSelector&&) noexcept;
    TileSelector& operator=(TileSelector&&) noexcept;

    /// The result is valid until the next call. An empty surface, or one without all its roots, selects
    /// nothing and wants the missing roots. `detailLevels`: how many levels below 0 may be synthesised
    /// (0..4). The view must be valid.
    TileSelection select(const Surface& surface, const TileView& view, std::uint32_t detailLevels = 0);

    /// The same tiles as the last select(), drawn coarser where `coarsest` (one detail a node, in the order
    /// of its nodes) says so, with all edges reconciled again (spec row H15).
    TileSelection coarsen(std::span<const float> coarsest);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Height that a node draws at a point of its footprint: the reference of the vertex stage's morph (spec row
/// H16). (u, v): 0 .. tileCells, in the tile's own cells. `tile` is the resident tile of node.key.
double sampleNodeHeight(const HeightTile& tile, const TileLayout& layout, const TileNode& node, double u,
                        double v);

}  // namespace karst::heightfield
