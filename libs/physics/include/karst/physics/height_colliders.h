#pragma once

#include <karst/heightfield/surface.h>
#include <karst/physics/terrain_shape.h>

#include <cstdint>
#include <memory>
#include <span>

namespace karst::physics {

/// Around what the ground must be solid: a player, a vehicle, a pile of bodies.
struct HeightColliderAnchor {
    WorldPosition position;
    double radius = 0;  ///< world units, measured over the ground; finite, not negative
};

struct HeightColliderUpdate {
    std::uint32_t set = 0;      ///< slots that got a tile, new or of a new revision
    std::uint32_t cleared = 0;  ///< slots whose tile left every anchor, or is not resident any more
    std::uint32_t kept = 0;     ///< slots whose tile is the same object as before
    std::uint32_t missing = 0;  ///< tiles that an anchor wants and that are not resident yet
};

/// Keeps the height tiles of a terrain shape in step with a streamed surface: the tiles of the surface's
/// collision level that come within an anchor's radius are in the shape, others are not. A tile that the
/// surface still holds as the same object is not touched, so a crater replaces just the tiles that it
/// changed. Threads: one at a time, the one that may set the shape's slots. Source: spec row H29.
class HeightColliders {
  public:
    /// The shape's definition must have the heights, level and origin of the surfaces that come; see
    /// shapeDefinitionFor.
    explicit HeightColliders(std::shared_ptr<TerrainShape> shape) : m_shape(std::move(shape)) {}

    /// InvalidArgument, with nothing changed, where an anchor's numbers are not finite or the surface is of
    /// another layout or collision level than the shape. An empty surface empties the shape's tiles.
    Result<HeightColliderUpdate> update(const heightfield::Surface& surface,
                                        std::span<const HeightColliderAnchor> anchors);

    const std::shared_ptr<TerrainShape>& shape() const { return m_shape; }

  private:
    std::shared_ptr<TerrainShape> m_shape;
    std::vector<heightfield::TileKey> m_present;  ///< sorted
};

/// A definition whose height lattice is that of a surface, all of its tiles: the origin is the terrain's
/// zero.
TerrainShapeDefinition shapeDefinitionFor(const heightfield::Surface& surface,
                                          WorldPosition heightOrigin = {});

}  // namespace karst::physics
