#pragma once

#include <karst/base/rect.h>
#include <karst/base/result.h>

#include <cstdint>

namespace karst::heightfield {

/// Square root nodes that cover a rect from its low corner; the last row or column may reach past the far
/// edge.
struct RootGrid {
    double size = 0;  ///< side of one root square, world units
    std::uint32_t countX = 0, countZ = 0;

    bool operator==(const RootGrid&) const = default;
};

struct RootGridOptions {
    /// No root smaller than this is made by the rule below. World units, > 0.
    double minNodeSize = 32;
    /// Nodes of the pool; the rule makes at most a quarter as many roots.
    std::uint32_t maxNodes = 512;
    /// Side of the roots where the caller states it; 0 leaves it to the rule.
    double rootSize = 0;
};

/// Roots for any rect, of ground or of water (spec rows N14, N15).
///
/// A square rect is one root. An oblong one takes the largest measure that both sides divide into, while that
/// is at least minNodeSize and the grid holds at most a quarter of the pool: 800 x 600 gives twelve squares
/// of 200. Else the root is the shorter side, or the longer side over that quarter if larger, and the grid
/// covers the rect: 210 x 170 gives two of 170. Sides are compared to one part in 10^9.
///
/// Errors: a rect that is empty or not finite, a minNodeSize or rootSize that is negative or not finite, a
/// pool of no node, a stated rootSize whose squares do not fit the pool (names the size, the squares and the
/// pool).
Result<RootGrid> makeRootGrid(const Rect& rect, const RootGridOptions& options);

}  // namespace karst::heightfield
