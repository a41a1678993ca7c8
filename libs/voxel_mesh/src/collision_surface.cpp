#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "collision_blocks.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_mesh {
namespace {

std::array<float, 3> asArray(Vec3f v) {
    return {v.x, v.y, v.z};
}

/// A box in the steps of the blocks.
struct StepBox {
    std::array<std::uint8_t, 3> low, high;

    /// A bit for each of the set's boxes that it meets, and perhaps for absent ones.
    unsigned meets(const BoxSet& set) const {
#if defined(__SSE2__)
        const auto load = [](const std::array<std::uint8_t, BoxSet::kWidth>& bytes) {
            return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes.data()));
        };
        __m128i all = _mm_set1_epi8(-1);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const __m128i least = load(set.min[axis]), most = load(set.max[axis]);
            const __m128i from = _mm_set1_epi8(static_cast<char>(low[axis])),
                          to = _mm_set1_epi8(static_cast<char>(high[axis]));
            all = _mm_and_si128(all, _mm_cmpeq_epi8(_mm_min_epu8(least, to), least));
            all = _mm_and_si128(all, _mm_cmpeq_epi8(_mm_max_epu8(most, from), most));
        }
        return static_cast<unsigned>(_mm_movemask_epi8(all)) & 255;
#else
        unsigned mask = 0;
        for (std::size_t child = 0; child < BoxSet::kWidth; ++child) {
            unsigned all = 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                all &= static_cast<unsigned>(set.min[axis][child] <= high[axis]);
                all &= static_cast<unsigned>(set.max[axis][child] >= low[axis]);
            }
            mask |= all << child;
        }
        return mask;
#endif
    }
};

}  // namespace

CollisionSurface::CollisionSurface(Data data)
    : m_data(std::move(data)), m_bounds(m_data.triangles.empty() ? LocalBox{} : boxAround(m_data.vertices)) {}

CollisionSurface::~CollisionSurface() {
    delete m_blocks.load(std::memory_order_acquire);
}

/// Of several threads that come at once the first gives its own to all.
const CollisionSurface::Blocks& CollisionSurface::buildBlocks() const {
    auto fresh = std::make_unique<const Blocks>(m_data, m_bounds);
    const Blocks* built = nullptr;
    if (m_blocks.compare_exchange_strong(built, fresh.get(), std::memory_order_acq_rel))
        return *fresh.release();
    return *built;
}

std::size_t CollisionSurface::memoryBytes() const {
    const Blocks* built = m_blocks.load(std::memory_order_acquire);
    return sizeof(CollisionSurface) + (built != nullptr ? sizeof(Blocks) + built->memoryBytes() : 0) +
           m_data.vertices.capacity() * sizeof(Vec3f) +
           m_data.triangles.capacity() * sizeof(CollisionTriangle);
}

void CollisionSurface::trianglesInBox(const LocalBox& box,
                                      FunctionRef<void(std::uint32_t triangle)> visit) const {
    const Blocks& blocks = this->blocks();
    if (blocks.groupCount == 0) return;
    const std::array<float, 3> low = asArray(box.min), high = asArray(box.max);
    const std::array<float, 3> least = asArray(m_bounds.min), most = asArray(m_bounds.max);
    StepBox steps;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(low[axis] <= most[axis] && high[axis] >= least[axis])) return;
        const auto place = [&](float at, float slack) {
            return static_cast<std::uint8_t>(
                std::clamp((at - blocks.base[axis]) * blocks.scale[axis] + slack, 0.0f, 255.0f));
        };
        steps.low[axis] = place(low[axis], -Blocks::kRounding);
        steps.high[axis] = place(high[axis], Blocks::kRounding);
    }
    const auto meets = [&](std::uint32_t i) {
        const CollisionTriangle& t = m_data.triangles[i];
        const std::array<float, 3> a = asArray(m_data.vertices[t.vertices[0]]),
                                   b = asArray(m_data.vertices[t.vertices[1]]),
                                   c = asArray(m_data.vertices[t.vertices[2]]);
        bool all = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            all = all && std::min(std::min(a[axis], b[axis]), c[axis]) <= high[axis] &&
                  std::max(std::max(a[axis], b[axis]), c[axis]) >= low[axis];
        }
        return all;
    };
    const auto count = static_cast<std::uint32_t>(m_data.triangles.size());
    // Few are gathered and put in order; where there are many, looking at each is no slower.
    std::array<std::uint32_t, 256> found;
    std::size_t gathered = 0;
    const auto gather = [&](std::uint32_t i) {
        if (i >= count || !meets(i)) return;
        if (gathered < found.size()) found[gathered] = i;
        ++gathered;
    };
    std::array<std::uint32_t, 3> first, last;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = std::uint32_t{steps.low[axis]} >> blocks.shift[axis];
        last[axis] = std::uint32_t{steps.high[axis]} >> blocks.shift[axis];
    }
    for (std::uint32_t y = first[1]; y <= last[1]; ++y) {
        for (std::uint32_t z = first[2]; z <= last[2]; ++z) {
            for (std::uint32_t x = first[0]; x <= last[0]; ++x) {
                const std::uint32_t brick = Blocks::indexOf(x, y, z);
                if (!blocks.isFilled(brick)) continue;
                for (const BoxSet& set : blocks.setsOf(blocks.brick(brick))) {
                    for (unsigned mask = steps.meets(set); mask != 0; mask &= mask - 1) {
                        const std::uint32_t group =
                            set.groups[static_cast<std::size_t>(std::countr_zero(mask))];
                        for (std::uint32_t i = 0; i < blocks.groupSize; ++i)
                            gather(group * blocks.groupSize + i);
                    }
                }
            }
        }
    }
    if (gathered <= found.size()) {
        // Those of several bricks came as often.
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(gathered);
        std::sort(found.begin(), end);
        std::for_each(found.begin(), std::unique(found.begin(), end), visit);
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (meets(i)) visit(i);
    }
}

}  // namespace karst::voxel_mesh
