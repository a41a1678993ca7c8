#pragma once

// The boxes that queries of a collision surface walk.

#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel_mesh {

/// The boxes of up to 8 things, member by member, so that all are tested at once: counted in steps of the
/// surface's box and rounded outwards. Absent things have boxes that lie the wrong way round.
struct BoxSet {
    static constexpr std::uint32_t kWidth = 8;
    std::array<std::array<std::uint8_t, kWidth>, 3> min{}, max{};
};

/// A tree of boxes over pairs of triangles, 2 p and 2 p + 1, mostly those of one quad, in an order in which
/// those near each other in space are near each other in the order. A set of level 0 holds 8 pairs, one of
/// level n 8 sets of level n - 1.
struct CollisionSurface::Blocks {
    /// 8^7 sets of pairs are more than 2^32 triangles would take.
    static constexpr std::size_t kMaxLevels = 10;
    /// Sets that a walk may have to remember.
    static constexpr std::size_t kMaxPending = kMaxLevels * BoxSet::kWidth;

    Blocks(const Data& data, LocalBox& bounds);

    /// More than what the rounding of boxes loses, steps.
    static constexpr float kRounding = 1e-3f;

    /// Steps are at least so fine that a ray's slack is far less than 255 of them, so that it never meets the
    /// box of an absent thing.
    static constexpr float kLeastExtent = 1e-2f;

    std::uint32_t levels = 0;                        ///< 0: no triangles
    std::array<std::uint32_t, kMaxLevels> starts{};  ///< of each level's sets
    std::array<float, 3> base{}, step{}, scale{};    ///< of the boxes, and 1 / step
    std::vector<BoxSet> sets;                        ///< level by level, the root last
    std::vector<std::uint32_t> order;                ///< of pairs

    const BoxSet& set(std::uint32_t level, std::uint32_t index) const { return sets[starts[level] + index]; }
    /// How many sets or pairs are in a set, 1 to 8.
    std::uint32_t childrenOf(std::uint32_t level, std::uint32_t index) const {
        const std::size_t all = level == 0 ? order.size() : starts[level] - starts[level - 1];
        return static_cast<std::uint32_t>(
            std::min<std::size_t>(all - std::size_t{index} * BoxSet::kWidth, BoxSet::kWidth));
    }
};

}  // namespace karst::voxel_mesh
