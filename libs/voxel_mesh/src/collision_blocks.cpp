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

/// A box in steps; the fourth of each is not looked at.
struct SmallBox {
    std::array<std::uint8_t, 4> min, max;
};
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

/// Puts 8 boxes into a set and returns the one around all.
SmallBox gather(const SmallBox* boxes, BoxSet& set) {
    // Two boxes a register, then bytes of the same member side by side, in three rounds.
    __m128i r[4];
    __m128i low = _mm_set1_epi8(-1), high = _mm_setzero_si128();
    for (std::size_t i = 0; i < 4; ++i) {
        const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(boxes + i)),
                      b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(boxes + i + 4));
        low = _mm_min_epu8(low, _mm_min_epu8(a, b));
        high = _mm_max_epu8(high, _mm_max_epu8(a, b));
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
    SmallBox box, upper;
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&box), low);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&upper), high);
    box.max = upper.max;
    return box;
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

/// Puts 8 boxes into a set and returns the one around all.
SmallBox gather(const SmallBox* boxes, BoxSet& set) {
    SmallBox box = kNoBox;
    for (std::size_t i = 0; i < kWidth; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            set.min[axis][i] = boxes[i].min[axis];
            set.max[axis][i] = boxes[i].max[axis];
            box.min[axis] = std::min(box.min[axis], boxes[i].min[axis]);
            box.max[axis] = std::max(box.max[axis], boxes[i].max[axis]);
        }
    }
    return box;
}

#endif

/// The upper five bits of a byte, bit i at bit 3 i.
constexpr std::array<std::uint16_t, 256> kSpread = [] {
    std::array<std::uint16_t, 256> spread{};
    for (unsigned i = 0; i < spread.size(); ++i) {
        for (unsigned bit = 0; bit < 5; ++bit)
            spread[i] = static_cast<std::uint16_t>(spread[i] | (i >> (bit + 3) & 1u) << (3 * bit));
    }
    return spread;
}();

/// The place of a box's middle along a Morton curve, 15 bits.
std::uint32_t keyOf(const SmallBox& box) {
    std::uint32_t low, high;
    std::memcpy(&low, box.min.data(), sizeof(low));
    std::memcpy(&high, box.max.data(), sizeof(high));
    // The mean of each byte.
    const std::uint32_t middle = (low | high) - ((low ^ high) >> 1 & 0x7f7f7f7fu);
    return static_cast<std::uint32_t>(kSpread[middle >> 8 & 255] | kSpread[middle & 255] << 1 |
                                      kSpread[middle >> 16 & 255] << 2);
}

/// Those of one key in their own order.
std::unique_ptr<std::uint16_t[]> sortedByKey(std::span<const std::uint16_t> keys) {
    constexpr std::uint32_t kLow = 128, kHigh = 256;
    std::array<std::uint32_t, kLow + 1> lowStarts{};
    std::array<std::uint32_t, kHigh + 1> highStarts{};
    for (const std::uint16_t key : keys) {
        ++lowStarts[key % kLow + 1];
        ++highStarts[key / kLow + 1];
    }
    for (std::size_t i = 1; i < kLow; ++i)
        lowStarts[i] += lowStarts[i - 1];
    for (std::size_t i = 1; i < kHigh; ++i)
        highStarts[i] += highStarts[i - 1];
    const auto byLow = std::make_unique_for_overwrite<std::uint16_t[]>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        byLow[lowStarts[keys[i] % kLow]++] = static_cast<std::uint16_t>(i);
    auto order = std::make_unique_for_overwrite<std::uint16_t[]>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        order[highStarts[keys[byLow[i]] / kLow]++] = byLow[i];
    return order;
}

}  // namespace

CollisionSurface::Blocks::Blocks(const Data& data, LocalBox& bounds) {
    const std::size_t triangles = data.triangles.size();
    if (triangles == 0) return;
    while ((triangles + groupSize - 1) / groupSize > kMaxGroups)
        groupSize *= 2;
    const std::size_t count = (triangles + groupSize - 1) / groupSize;
    groupCount = static_cast<std::uint32_t>(count);
    PointBox whole;
    for (const Vec3f& vertex : data.vertices)
        whole.add(vertex);
    bounds = whole.box();
    base = {bounds.min.x, bounds.min.y, bounds.min.z};
    const std::array<float, 3> most{bounds.max.x, bounds.max.y, bounds.max.z};
    std::array<float, 4> from{}, by{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        step[axis] = std::max(most[axis] - base[axis], kLeastExtent) / 255;
        from[axis] = base[axis];
        by[axis] = scale[axis] = 1 / step[axis];
    }

    // Whole sets of boxes.
    constexpr std::size_t kAfter = kWidth - 1;
    const auto own = std::make_unique_for_overwrite<SmallBox[]>(count),
               boxes = std::make_unique_for_overwrite<SmallBox[]>(count + kAfter);
    const auto keys = std::make_unique_for_overwrite<std::uint16_t[]>(count);
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
        keys[group] = static_cast<std::uint16_t>(keyOf(own[group]));
    }
    const std::unique_ptr<std::uint16_t[]> order = sortedByKey({keys.get(), count});
    for (std::size_t i = 0; i < count; ++i)
        boxes[i] = own[order[i]];

    sets.reserve(count / 7 + kMaxLevels);
    for (std::size_t left = count;;) {
        std::fill_n(boxes.get() + left, (0 - left) % kWidth, kNoBox);
        const std::size_t above = (left + kWidth - 1) / kWidth;
        starts[levels++] = static_cast<std::uint32_t>(sets.size());
        for (std::size_t i = 0; i < above; ++i)
            boxes[i] = gather(&boxes[i * kWidth], sets.emplace_back());
        if (above == 1) break;
        left = above;
    }
    for (std::size_t i = 0; i < count; ++i)
        sets[i / kWidth].groups[i % kWidth] = order[i];
}

}  // namespace karst::voxel_mesh
