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

/// Around points; none are in a box that lies the wrong way round.
LocalBox boxAround(std::span<const Vec3f> points);

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

    Blocks(const Data& data, const LocalBox& bounds);

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
    struct Brick {
        std::uint64_t cells = 0;  ///< of 4 x 4 x 4, those that a group comes near: bit (y * 4 + z) * 4 + x
        std::uint32_t firstSet = 0, setCount = 0;
    };
    /// Of one that is filled.
    const Brick& brick(std::uint32_t index) const {
        std::uint64_t before = filled[index / 64] & ((std::uint64_t{1} << (index % 64)) - 1);
        before -= before >> 1 & 0x5555555555555555u;
        before = (before & 0x3333333333333333u) + (before >> 2 & 0x3333333333333333u);
        before = (before + (before >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return bricks[filledBefore[index / 64] + (before * 0x0101010101010101u >> 56)];
    }
    std::span<const BoxSet> setsOf(const Brick& brick) const {
        return {sets.data() + brick.firstSet, brick.setCount};
    }
    /// The cells of a brick from low to high along each axis.
    static std::uint64_t cellsOf(const std::array<std::uint32_t, 3>& low,
                                 const std::array<std::uint32_t, 3>& high) {
        // From low to 3, and from 0 to high.
        constexpr std::array<std::uint64_t, 4> kFromX{~std::uint64_t{0}, 0xeeeeeeeeeeeeeeeeu,
                                                      0xccccccccccccccccu, 0x8888888888888888u},
            kToX{0x1111111111111111u, 0x3333333333333333u, 0x7777777777777777u, ~std::uint64_t{0}},
            kFromZ{~std::uint64_t{0}, 0xfff0fff0fff0fff0u, 0xff00ff00ff00ff00u, 0xf000f000f000f000u},
            kToZ{0x000f000f000f000fu, 0x00ff00ff00ff00ffu, 0x0fff0fff0fff0fffu, ~std::uint64_t{0}};
        return kFromX[low[0]] & kToX[high[0]] & kFromZ[low[2]] & kToZ[high[2]] &
               ~std::uint64_t{0} << (16 * low[1]) & ~std::uint64_t{0} >> (48 - 16 * high[1]);
    }
    /// The first cell, a quarter of a brick, along an axis that has what starts at a step. One step lower
    /// than it need be: where a ray between two cells was put into the lower one, it still meets all that
    /// starts at the border.
    std::uint32_t firstCell(std::size_t axis, std::uint8_t begin) const {
        return (begin - (begin != 0 ? 1u : 0u)) >> (shift[axis] - 2u);
    }
    /// Without the struct itself.
    std::size_t memoryBytes() const {
        return bricks.capacity() * sizeof(Brick) + sets.capacity() * sizeof(BoxSet);
    }

    std::array<std::uint64_t, kBricks / 64> filled{};  ///< a bit for each brick that has a group: one line
    std::array<float, 3> base{}, step{}, scale{};      ///< of the boxes, and 1 / step
    std::array<std::uint8_t, 3> shift{};               ///< a brick is 2^shift steps
    std::uint32_t groupSize = 2, groupCount = 0;       ///< 2: up to 131072 triangles; 0 groups: none
    std::array<std::uint16_t, kBricks / 64> filledBefore{};  ///< how many are in the words before
    std::vector<Brick> bricks;                               ///< those that are filled
    std::vector<BoxSet> sets;                                ///< brick by brick

  private:
    struct CellRange;
    CellRange cellsNear(const SmallBox& box) const;
    void chooseBricks();
    bool fillBricks(std::span<const SmallBox> boxes);
};

}  // namespace karst::voxel_mesh
