#pragma once

#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

    /// `corner` is of the slot's chunk, in cells from the lattice's first.
    void set(std::size_t slot, const std::array<double, 3>& corner,
             const voxel_mesh::CollisionSurface* surface) {
        if (surface != nullptr && !surface->triangles().empty()) {
            const voxel_mesh::LocalBox& box = surface->bounds();
            const std::array<float, 3> low{box.min.x, box.min.y, box.min.z},
                high{box.max.x, box.max.y, box.max.z};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double first = corner[axis] + double{low[axis]},
                             last = corner[axis] + double{high[axis]};
                if (first < least(axis)) m_least[axis].store(first, std::memory_order_relaxed);
                if (last > most(axis)) m_most[axis].store(last, std::memory_order_relaxed);
            }
        }
        m_boxes[slot].store(surface != nullptr ? packed(surface->bounds()) : 0, std::memory_order_release);
    }

    /// 0 where the slot is empty.
    std::uint64_t read(std::size_t slot) const { return m_boxes[slot].load(std::memory_order_acquire); }

    /// Around all surfaces that there ever were, in cells from the lattice's first corner.
    double least(std::size_t axis) const { return m_least[axis].load(std::memory_order_relaxed); }
    double most(std::size_t axis) const { return m_most[axis].load(std::memory_order_relaxed); }

    /// Does the ray from `from` (cells from the chunk's first corner, near it) meet the box between two
    /// places? `inverse` is how far, in the measure of those, it goes for a cell along an axis. Boxes are
    /// wider by `slack` cells.
    static bool meets(std::uint64_t box, const std::array<float, 4>& from,
                      const std::array<float, 4>& inverse, float begin, float end, float slack) {
#if defined(__SSE2__)
        const __m128i words =
            _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&box)), _mm_setzero_si128());
        const auto side = [&](__m128i its, float wider) {
            const __m128 steps = _mm_cvtepi32_ps(_mm_unpacklo_epi16(its, _mm_setzero_si128()));
            const __m128 at = _mm_sub_ps(_mm_mul_ps(steps, _mm_set1_ps(kStep)), _mm_set1_ps(kBelow - wider));
            return _mm_mul_ps(_mm_sub_ps(at, _mm_loadu_ps(from.data())), _mm_loadu_ps(inverse.data()));
        };
        const __m128 low = side(words, -slack), high = side(_mm_srli_si128(words, 6), slack);
        const __m128 first = _mm_min_ps(low, high), last = _mm_max_ps(low, high);
        const __m128 second = _mm_max_ss(_mm_max_ss(first, _mm_shuffle_ps(first, first, 1)),
                                         _mm_max_ss(_mm_movehl_ps(first, first), _mm_set_ss(begin)));
        const __m128 third = _mm_min_ss(_mm_min_ss(last, _mm_shuffle_ps(last, last, 1)),
                                        _mm_min_ss(_mm_movehl_ps(last, last), _mm_set_ss(end)));
        return _mm_comile_ss(second, third) != 0;
#else
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto side = [&](unsigned byte, float wider) {
                const auto steps = static_cast<float>(static_cast<int>(box >> byte & 255));
                return (steps * kStep - (kBelow - wider) - from[axis]) * inverse[axis];
            };
            const float low = side(lowSide(axis), -slack), high = side(highSide(axis), slack);
            begin = std::max(begin, std::min(low, high));
            end = std::min(end, std::max(low, high));
        }
        return begin <= end;
#endif
    }

  private:
    static unsigned lowSide(std::size_t axis) {
        return static_cast<unsigned>(8 * axis);
    }
    static unsigned highSide(std::size_t axis) {
        return static_cast<unsigned>(8 * axis + 24);
    }

    /// A surface reaches out of its chunk by up to one cell.
    static constexpr float kBelow = 2, kStep = 0.15625f;
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
            bits |= place(std::floor((double{low[axis]} + double{kBelow}) / double{kStep})) << lowSide(axis);
            bits |= place(std::ceil((double{high[axis]} + double{kBelow}) / double{kStep})) << highSide(axis);
        }
        return bits;
    }

    static constexpr double kNothing = 1e30;
    std::array<std::atomic<double>, 3> m_least{kNothing, kNothing, kNothing},
        m_most{-kNothing, -kNothing, -kNothing};
    std::unique_ptr<std::atomic<std::uint64_t>[]> m_boxes;
};

}  // namespace karst::physics
