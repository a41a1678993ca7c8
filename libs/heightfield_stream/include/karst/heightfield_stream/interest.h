#pragma once

#include <karst/heightfield_lod/tile_selection.h>

#include <variant>

namespace karst::heightfield {

/// Ground that must be solid: all tiles of the collision level, and their ancestors, that come within
/// `radius` of (x, z), in the terrain's local space. Radius 0: the tiles at that point.
struct CollisionInterest {
    double x = 0, z = 0;
    double radius = 0;
};

/// What a streamer is asked to have resident: a camera's view, or a region to stand on. Collision interests
/// come before views, whatever their order.
using Interest = std::variant<TileView, CollisionInterest>;

/// Refuses by name a region whose radius is negative, or with a number that is not finite.
Result<void> validate(const CollisionInterest& interest);

/// Whichever of the two it is.
Result<void> validate(const Interest& interest);

/// Does a rectangle come within the interest's radius?
bool reaches(const CollisionInterest& interest, const Rect& rect);

}  // namespace karst::heightfield
