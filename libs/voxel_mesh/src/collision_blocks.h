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
/// surface's box and rounded outwards. Absent things have boxes that lie the wrong way round. One cache line:
/// rays over many chunks wait for memory more than for anything else.
struct alignas(64) BoxSet {
    static constexpr std::uint32_t kWidth = 8;
    std::array<std::array<std::uint8_t, kWidth>, 3> min{}, max{};
    std::array<std::uint16_t, kWidth> groups{};  ///< of triangles, in a set of level 0
};

static_assert(sizeof(BoxSet) == 64);

/// A tree of boxes over groups of triangles that follow each other, mostly the two of a quad, in an order in
/// which those near each other in space are near each other in the order. A set of level 0 holds 8 groups,
/// one of level n 8 sets of level n - 1.
struct CollisionSurface::Blocks {
    static constexpr std::size_t kMaxGroups = 1 << 16, kMaxLevels = 6;
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
    std::uint32_t groupSize = 2, groupCount = 0;     ///< 2: up to 131072 triangles
    std::vector<BoxSet> sets;                        ///< level by level, the root last

    const BoxSet& set(std::uint32_t level, std::uint32_t index) const { return sets[starts[level] + index]; }
    /// How many sets or groups are in a set, 1 to 8.
    std::uint32_t childrenOf(std::uint32_t level, std::uint32_t index) const {
        const std::size_t all = level == 0 ? groupCount : starts[level] - starts[level - 1];
        return static_cast<std::uint32_t>(
            std::min<std::size_t>(all - std::size_t{index} * BoxSet::kWidth, BoxSet::kWidth));
    }
};

}  // namespace karst::voxel_mesh
