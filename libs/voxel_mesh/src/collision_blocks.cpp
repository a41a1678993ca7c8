#include "collision_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_mesh {
namespace {

constexpr std::uint32_t kWidth = BoxSet::kWidth;

constexpr SmallBox kNoBox{{255, 255, 255, 255}, {0, 0, 0, 0}};

#if defined(__SSE2__)

/// Grows by points, all axes at once.
class PointBox {
  public:
    void add(const Vec3f& p) {
        const __m128 v = _mm_movelh_ps(
            _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&p.x))), _mm_load_ss(&p.z));
        m_min = _mm_min_ps(m_min, v);
        m_max = _mm_max_ps(m_max, v);
    }
    LocalBox box() const {
        alignas(16) std::array<float, 4> low, high;
        _mm_store_ps(low.data(), m_min);
        _mm_store_ps(high.data(), m_max);
        return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    }
    SmallBox rounded(const std::array<float, 4>& base, const std::array<float, 4>& scale) const {
        const __m128 from = _mm_loadu_ps(base.data()), by = _mm_loadu_ps(scale.data());
        const __m128i low = _mm_cvttps_epi32(_mm_mul_ps(_mm_sub_ps(m_min, from), by)),
                      high = _mm_cvttps_epi32(
                          _mm_add_ps(_mm_mul_ps(_mm_sub_ps(m_max, from), by), _mm_set1_ps(kAlmostOne)));
        const __m128i words = _mm_packs_epi32(low, high);
        SmallBox box;
        _mm_storel_epi64(reinterpret_cast<__m128i*>(&box), _mm_packus_epi16(words, words));
        return box;
    }

  private:
    static constexpr float kAlmostOne = 0.9999f;
    __m128 m_min = _mm_set1_ps(std::numeric_limits<float>::max());
    __m128 m_max = _mm_set1_ps(std::numeric_limits<float>::lowest());
};

/// Puts 8 boxes into a set.
void gather(const SmallBox* boxes, BoxSet& set) {
    // Two boxes a register, then bytes of the same member side by side, in three rounds.
    __m128i r[4];
    for (std::size_t i = 0; i < 4; ++i) {
        const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(boxes + i)),
                      b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(boxes + i + 4));
        r[i] = _mm_unpacklo_epi8(a, b);
    }
    const __m128i evenLow = _mm_unpacklo_epi8(r[0], r[2]), evenHigh = _mm_unpackhi_epi8(r[0], r[2]),
                  oddLow = _mm_unpacklo_epi8(r[1], r[3]), oddHigh = _mm_unpackhi_epi8(r[1], r[3]);
    const __m128i minXY = _mm_unpacklo_epi8(evenLow, oddLow), minZ = _mm_unpackhi_epi8(evenLow, oddLow),
                  maxXY = _mm_unpacklo_epi8(evenHigh, oddHigh), maxZ = _mm_unpackhi_epi8(evenHigh, oddHigh);
    const auto store = [](std::array<std::uint8_t, kWidth>& to, __m128i from) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to.data()), from);
    };
    store(set.min[0], minXY);
    store(set.min[1], _mm_unpackhi_epi64(minXY, minXY));
    store(set.min[2], minZ);
    store(set.max[0], maxXY);
    store(set.max[1], _mm_unpackhi_epi64(maxXY, maxXY));
    store(set.max[2], maxZ);
}

#else

class PointBox {
  public:
    void add(const Vec3f& p) {
        m_min = {std::min(m_min.x, p.x), std::min(m_min.y, p.y), std::min(m_min.z, p.z)};
        m_max = {std::max(m_max.x, p.x), std::max(m_max.y, p.y), std::max(m_max.z, p.z)};
    }
    LocalBox box() const { return {m_min, m_max}; }
    SmallBox rounded(const std::array<float, 4>& base, const std::array<float, 4>& scale) const {
        const auto place = [&](float at, std::size_t axis, float up) {
            return static_cast<std::uint8_t>(std::clamp((at - base[axis]) * scale[axis] + up, 0.0f, 255.0f));
        };
        return {
            {place(m_min.x, 0, 0), place(m_min.y, 1, 0), place(m_min.z, 2, 0), 0},
            {place(m_max.x, 0, kAlmostOne), place(m_max.y, 1, kAlmostOne), place(m_max.z, 2, kAlmostOne), 0}};
    }

  private:
    static constexpr float kAlmostOne = 0.9999f;
    static constexpr float kMost = std::numeric_limits<float>::max();
    Vec3f m_min{kMost, kMost, kMost}, m_max{-kMost, -kMost, -kMost};
};

/// Puts 8 boxes into a set.
void gather(const SmallBox* boxes, BoxSet& set) {
    for (std::size_t i = 0; i < kWidth; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            set.min[axis][i] = boxes[i].min[axis];
            set.max[axis][i] = boxes[i].max[axis];
        }
    }
}

#endif

/// The least side of a brick, cells: below it, the groups that lie in several cost more than they save.
constexpr float kLeastBrick = 2.5f;
/// How often a group is in bricks, on an average.
constexpr std::size_t kMostOfGroup = 8;

}  // namespace

/// The cells that a box is near, counted over all bricks.
struct CollisionSurface::Blocks::CellRange {
    std::array<std::uint32_t, 3> low, high;

    std::size_t brickCount() const {
        std::size_t all = 1;
        for (std::size_t axis = 0; axis < 3; ++axis)
            all *= (high[axis] >> 2) - (low[axis] >> 2) + 1;
        return all;
    }
    /// Calls `visit` with each brick and its cells.
    template <class Visit>
    void visit(Visit&& visit) const {
        const auto brickAt = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
            std::array<std::uint32_t, 3> first, last;
            const std::array<std::uint32_t, 3> at{x, y, z};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                first[axis] = at[axis] == low[axis] >> 2 ? low[axis] & 3 : 0;
                last[axis] = at[axis] == high[axis] >> 2 ? high[axis] & 3 : 3;
            }
            visit(indexOf(x, y, z), cellsOf(first, last));
        };
        for (std::uint32_t y = low[1] >> 2; y <= high[1] >> 2; ++y) {
            for (std::uint32_t z = low[2] >> 2; z <= high[2] >> 2; ++z) {
                for (std::uint32_t x = low[0] >> 2; x <= high[0] >> 2; ++x)
                    brickAt(x, y, z);
            }
        }
    }
};

CollisionSurface::Blocks::CellRange CollisionSurface::Blocks::cellsNear(const SmallBox& box) const {
    CellRange range;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        range.low[axis] = firstCell(axis, box.min[axis]);
        range.high[axis] = std::uint32_t{box.max[axis]} >> (shift[axis] - 2u);
    }
    return range;
}

/// Not finer than is worth walking.
void CollisionSurface::Blocks::chooseBricks() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        shift[axis] = kLeastShift;
        while (shift[axis] < kMostShift && step[axis] * static_cast<float>(1 << shift[axis]) < kLeastBrick)
            ++shift[axis];
    }
}

/// False, with nothing done, where bricks are so fine that groups lie in too many.
bool CollisionSurface::Blocks::fillBricks(std::span<const SmallBox> boxes) {
    std::array<std::uint64_t, kBricks> cells{};
    std::array<std::uint32_t, kBricks> next{};
    const std::size_t most = kMostOfGroup * boxes.size() + kBricks;
    std::size_t entries = 0;
    for (const SmallBox& box : boxes) {
        const CellRange near = cellsNear(box);
        entries += near.brickCount();
        // Two bricks along a side are always few enough.
        if (entries > most) return false;
        near.visit([&](std::uint32_t brick, std::uint64_t its) {
            ++next[brick];
            cells[brick] |= its;
        });
    }
    std::uint32_t setCount = 0;
    for (std::uint32_t brick = 0; brick < kBricks; ++brick) {
        if (brick % 64 == 0) filledBefore[brick / 64] = static_cast<std::uint16_t>(bricks.size());
        if (next[brick] == 0) continue;
        const std::uint32_t its = (next[brick] + kWidth - 1) / kWidth;
        filled[brick / 64] |= std::uint64_t{1} << (brick % 64);
        bricks.push_back({cells[brick], setCount, its});
        next[brick] = setCount * kWidth;
        setCount += its;
    }
    sets.resize(setCount);
    const auto sorted = std::make_unique_for_overwrite<SmallBox[]>(sets.size() * kWidth);
    for (const Brick& brick : bricks)
        std::fill_n(&sorted[(brick.firstSet + brick.setCount - 1) * kWidth], kWidth, kNoBox);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        cellsNear(boxes[i]).visit([&](std::uint32_t brick, std::uint64_t) {
            const std::uint32_t place = next[brick]++;
            sorted[place] = boxes[i];
            sets[place / kWidth].groups[place % kWidth] = static_cast<std::uint16_t>(i);
        });
    }
    for (std::size_t i = 0; i < sets.size(); ++i)
        gather(&sorted[i * kWidth], sets[i]);
    return true;
}

LocalBox boxAround(std::span<const Vec3f> points) {
    PointBox whole;
    for (const Vec3f& point : points)
        whole.add(point);
    return whole.box();
}

CollisionSurface::Blocks::Blocks(const Data& data, const LocalBox& bounds) {
    const std::size_t triangles = data.triangles.size();
    if (triangles == 0) return;
    while ((triangles + groupSize - 1) / groupSize > kMaxGroups)
        groupSize *= 2;
    const std::size_t count = (triangles + groupSize - 1) / groupSize;
    groupCount = static_cast<std::uint32_t>(count);
    base = {bounds.min.x, bounds.min.y, bounds.min.z};
    const std::array<float, 3> most{bounds.max.x, bounds.max.y, bounds.max.z};
    std::array<float, 4> from{}, by{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        step[axis] = std::max(most[axis] - base[axis], kLeastExtent) / 255;
        from[axis] = base[axis];
        by[axis] = scale[axis] = 1 / step[axis];
    }

    const auto own = std::make_unique_for_overwrite<SmallBox[]>(count);
    const Vec3f* vertices = data.vertices.data();
    const auto addTriangle = [vertices](PointBox& points, const CollisionTriangle& triangle) {
        for (const std::uint16_t vertex : triangle.vertices)
            points.add(vertices[vertex]);
    };
    const CollisionTriangle *next = data.triangles.data(), *last = next + triangles;
    const std::size_t size = groupSize;
    for (std::size_t group = 0; group < count; ++group) {
        PointBox points;
        addTriangle(points, *next);
        const CollisionTriangle* end = next + std::min(size, static_cast<std::size_t>(last - next));
        while (++next != end) {
            // Mostly the rest of a quad.
            if (next->vertices[0] == next[-1].vertices[0] && next->vertices[1] == next[-1].vertices[2]) {
                points.add(vertices[next->vertices[2]]);
            } else {
                addTriangle(points, *next);
            }
        }
        own[group] = points.rounded(from, by);
    }
    chooseBricks();
    while (!fillBricks({own.get(), count})) {
        for (std::uint8_t& each : shift)
            each = std::min<std::uint8_t>(each + 1, kMostShift);
    }
}

}  // namespace karst::voxel_mesh
