#pragma once

#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace karst::physics {

/// The boxes of the surfaces in the slots of a lattice, eight to a cache line, so that a ray that passes a
/// chunk by needs not look at its surface. A reader may see the box of before a change with the surface of
/// after it, or the other way round: what it then leaves out one of the two would not have met either.
class SlotBounds {
  public:
    explicit SlotBounds(std::size_t count) : m_boxes(std::make_unique<std::atomic<std::uint64_t>[]>(count)) {
        for (std::size_t i = 0; i < count; ++i)
            m_boxes[i].store(0, std::memory_order_relaxed);
    }

    void set(std::size_t slot, const voxel_mesh::CollisionSurface* surface) {
        m_boxes[slot].store(surface != nullptr ? packed(surface->bounds()) : 0, std::memory_order_release);
    }

    /// 0 where the slot is empty.
    std::uint64_t read(std::size_t slot) const { return m_boxes[slot].load(std::memory_order_acquire); }

    /// A side of a box, in cells from the chunk's first corner, rounded outwards.
    static unsigned lowSide(std::size_t axis) { return static_cast<unsigned>(8 * axis); }
    static unsigned highSide(std::size_t axis) { return static_cast<unsigned>(8 * axis + 24); }
    static double sideOf(std::uint64_t box, unsigned side) {
        return static_cast<double>(static_cast<int>(box >> side & 255)) * kStep - kBelow;
    }

  private:
    /// A surface reaches out of its chunk by up to one cell.
    static constexpr double kBelow = 2, kStep = 0.15625;
    static_assert(255 * kStep - kBelow > voxel::kChunkSize + 2);
    static constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;

    static std::uint64_t packed(const voxel_mesh::LocalBox& box) {
        const std::array<float, 3> low{box.min.x, box.min.y, box.min.z},
            high{box.max.x, box.max.y, box.max.z};
        std::uint64_t bits = kPresent;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto place = [](double steps) {
                return static_cast<std::uint64_t>(std::clamp(steps, 0.0, 255.0));
            };
            bits |= place(std::floor((double{low[axis]} + kBelow) / kStep)) << lowSide(axis);
            bits |= place(std::ceil((double{high[axis]} + kBelow) / kStep)) << highSide(axis);
        }
        return bits;
    }

    std::unique_ptr<std::atomic<std::uint64_t>[]> m_boxes;
};

}  // namespace karst::physics
