#pragma once

// The boxes that queries of a collision surface walk.

#include <karst/voxel_mesh/collision_surface.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel_mesh {

/// A box in steps; the fourth of each is not looked at.
struct SmallBox {
    std::array<std::uint8_t, 4> min, max;
};

/// The boxes of up to 8 things, member by member, so that all are tested at once: counted in steps of the
/// surface's box and rounded outwards. Absent things have boxes that lie the wrong way round. One cache line:
/// rays over many chunks wait for memory.
struct alignas(64) BoxSet {
    static constexpr std::uint32_t kWidth = 8;
    std::array<std::array<std::uint8_t, kWidth>, 3> min{}, max{};
    std::array<std::uint16_t, kWidth> groups{};  ///< of triangles
};

static_assert(sizeof(BoxSet) == 64);

/// Boxes around groups of triangles that follow each other, mostly the two of a quad, in a lattice of bricks
/// of a few cells. A group is in each brick that its box comes near, so that a walk through the lattice needs
/// to look at nothing beyond the bricks on its way.
struct alignas(64) CollisionSurface::Blocks {
    static constexpr std::size_t kMaxGroups = 1 << 16;
    /// Bricks along a side, and steps along the side of the smallest.
    static constexpr std::uint32_t kSide = 8, kBricks = kSide * kSide * kSide, kLeastShift = 5,
                                   kMostShift = 8;

    Blocks(const Data& data, LocalBox& bounds);

    /// More than what the rounding of boxes loses, steps.
    static constexpr float kRounding = 1e-3f;

    /// Steps are at least so fine that a ray's slack is far less than 255 of them, so that it never meets the
    /// box of an absent thing.
    static constexpr float kLeastExtent = 1e-2f;

    /// Between the indices of bricks that follow each other along an axis.
    static constexpr std::array<std::uint32_t, 3> kStrides{1, kSide* kSide, kSide};
    static std::uint32_t indexOf(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return x * kStrides[0] + y * kStrides[1] + z * kStrides[2];
    }
    bool isFilled(std::uint32_t brick) const { return (filled[brick / 64] >> (brick % 64) & 1) != 0; }
    std::span<const BoxSet> setsOf(std::uint32_t brick) const {
        return {sets.data() + starts[brick], sets.data() + starts[brick + 1]};
    }
    /// The first brick along an axis that has what starts at a step. One step lower than it need be: where a
    /// ray between two bricks was put into the lower one, it still meets all that starts at the border.
    std::uint32_t firstBrick(std::size_t axis, std::uint8_t begin) const {
        return (begin - (begin != 0 ? 1u : 0u)) >> shift[axis];
    }

    std::array<std::uint64_t, kBricks / 64> filled{};  ///< a bit for each brick that has a group: one line
    std::array<float, 3> base{}, step{}, scale{};      ///< of the boxes, and 1 / step
    std::array<std::uint8_t, 3> shift{};               ///< a brick is 2^shift steps
    std::uint32_t groupSize = 2, groupCount = 0;       ///< 2: up to 131072 triangles; 0 groups: none
    std::vector<BoxSet> sets;                          ///< brick by brick
    std::array<std::uint32_t, kBricks + 1> starts{};   ///< of each brick's sets

  private:
    struct BrickRange;
    BrickRange bricksOf(const SmallBox& box) const;
    void chooseBricks(std::span<const SmallBox> boxes);
    void fillBricks(std::span<const SmallBox> boxes);
};

}  // namespace karst::voxel_mesh
