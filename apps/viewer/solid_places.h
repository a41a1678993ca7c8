#pragma once

#include <karst/base/math.h>

#include <cstddef>
#include <span>
#include <vector>

namespace karst::viewer {

/// A round piece of ground that must be solid: for who walks, and for bodies.
struct SolidPlace {
    WorldPosition center;
    double radius = 0;  ///< world units over the ground
};

/// What of a body counts for where the ground must be solid.
struct GroundedBody {
    WorldPosition position;
    double radius = 0;  ///< around the whole of it
    bool awake = false;
};

/// Places around bodies, one for each square of a lattice of `size` in which any are, with room to move
/// beyond it. At most `most`: squares in which something moves come first, then those near `around`; bodies
/// in the others are left without. The same bodies give the same places, in whatever order they come, and
/// these stay where they are as long as the bodies stay in their squares.
std::vector<SolidPlace> placesOfBodies(std::span<const GroundedBody> bodies, double size, std::size_t most,
                                       WorldPosition around);

}  // namespace karst::viewer
