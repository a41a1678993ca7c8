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

    /// In cells from the chunk's first corner, rounded outwards.
    struct Box {
        std::array<double, 3> min, max;
    };
    /// False where the slot is empty.
    bool read(std::size_t slot, Box& box) const {
        const std::uint64_t bits = m_boxes[slot].load(std::memory_order_acquire);
        if (bits == 0) return false;
        for (unsigned axis = 0; axis < 3; ++axis) {
            box.min[axis] = static_cast<double>(static_cast<int>(bits >> 8 * axis & 255)) * kStep - kBelow;
            box.max[axis] =
                static_cast<double>(static_cast<int>(bits >> (8 * axis + 24) & 255)) * kStep - kBelow;
        }
        return true;
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
        for (unsigned axis = 0; axis < 3; ++axis) {
            const auto place = [](double steps) {
                return static_cast<std::uint64_t>(std::clamp(steps, 0.0, 255.0));
            };
            bits |= place(std::floor((double{low[axis]} + kBelow) / kStep)) << 8 * axis;
            bits |= place(std::ceil((double{high[axis]} + kBelow) / kStep)) << (8 * axis + 24);
        }
        return bits;
    }

    std::unique_ptr<std::atomic<std::uint64_t>[]> m_boxes;
};

}  // namespace karst::physics
