#include <karst/voxel_mesh/collision_ray.h>
#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "collision_blocks.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_mesh {
namespace {

constexpr std::uint32_t kWidth = BoxSet::kWidth;

/// The watertight test of Woop, Benthin, Wald (2013), in double: the ray is turned into the third axis by a
/// shear, and a point on an edge is told by the same sum for both triangles that share it, so that no ray
/// slips through between them. Two triangles at a time.
class ShearedRay {
  public:
    ShearedRay(const CollisionRay& ray, const std::array<double, 3>& origin)
        : m_ray(ray), m_origin{origin[ray.axisX], origin[ray.axisY], origin[ray.axisZ]} {}

    /// A bit for each of the two that is met at 0 <= t <= maxT.
    unsigned meets(const Vec3f* vertices, const CollisionTriangle& first, const CollisionTriangle& second,
                   double maxT, std::array<double, 2>& t) const {
#if defined(__SSE2__)
        const __m128d ox = _mm_set1_pd(m_origin[0]), oy = _mm_set1_pd(m_origin[1]),
                      oz = _mm_set1_pd(m_origin[2]);
        const __m128d shearX = _mm_set1_pd(m_ray.shearX), shearY = _mm_set1_pd(m_ray.shearY);
        __m128d x[3], y[3], z[3];
        for (std::size_t i = 0; i < 3; ++i) {
            const float* a = &vertices[first.vertices[i]].x;
            const float* b = &vertices[second.vertices[i]].x;
            const auto load = [&](std::size_t axis) {
                return _mm_cvtps_pd(_mm_unpacklo_ps(_mm_load_ss(a + axis), _mm_load_ss(b + axis)));
            };
            z[i] = _mm_sub_pd(load(m_ray.axisZ), oz);
            x[i] = _mm_sub_pd(_mm_sub_pd(load(m_ray.axisX), ox), _mm_mul_pd(shearX, z[i]));
            y[i] = _mm_sub_pd(_mm_sub_pd(load(m_ray.axisY), oy), _mm_mul_pd(shearY, z[i]));
        }
        const auto side = [&](std::size_t i, std::size_t k) {
            return _mm_sub_pd(_mm_mul_pd(x[i], y[k]), _mm_mul_pd(y[i], x[k]));
        };
        const __m128d u = side(2, 1), v = side(0, 2), w = side(1, 0), zero = _mm_setzero_pd();
        const __m128d below = _mm_cmplt_pd(_mm_min_pd(_mm_min_pd(u, v), w), zero),
                      above = _mm_cmpgt_pd(_mm_max_pd(_mm_max_pd(u, v), w), zero);
        unsigned mask = ~static_cast<unsigned>(_mm_movemask_pd(_mm_and_pd(below, above))) & 3;
        if (mask == 0) return 0;
        const __m128d sum = _mm_add_pd(_mm_add_pd(u, v), w);
        const __m128d depth =
            _mm_add_pd(_mm_add_pd(_mm_mul_pd(u, z[0]), _mm_mul_pd(v, z[1])), _mm_mul_pd(w, z[2]));
        const __m128d at = _mm_mul_pd(_mm_div_pd(depth, sum), _mm_set1_pd(m_ray.scale));
        const __m128d kept =
            _mm_and_pd(_mm_and_pd(_mm_cmpge_pd(at, zero), _mm_cmple_pd(at, _mm_set1_pd(maxT))),
                       _mm_cmpneq_pd(sum, zero));
        _mm_storeu_pd(t.data(), at);
        return mask & static_cast<unsigned>(_mm_movemask_pd(kept));
#else
        return (meets(vertices, first, maxT, t[0]) ? 1u : 0u) |
               (meets(vertices, second, maxT, t[1]) ? 2u : 0u);
#endif
    }

  private:
#if !defined(__SSE2__)
    bool meets(const Vec3f* vertices, const CollisionTriangle& triangle, double maxT, double& t) const {
        std::array<double, 3> x, y, z;
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec3f& p = vertices[triangle.vertices[i]];
            const std::array<float, 3> at{p.x, p.y, p.z};
            z[i] = double{at[m_ray.axisZ]} - m_origin[2];
            x[i] = double{at[m_ray.axisX]} - m_origin[0] - m_ray.shearX * z[i];
            y[i] = double{at[m_ray.axisY]} - m_origin[1] - m_ray.shearY * z[i];
        }
        const double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2],
                     w = x[1] * y[0] - y[1] * x[0];
        if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
        const double sum = u + v + w;
        if (sum == 0) return false;
        const double at = (u * z[0] + v * z[1] + w * z[2]) / sum * m_ray.scale;
        if (!(at >= 0 && at <= maxT)) return false;
        t = at;
        return true;
    }
#endif

    const CollisionRay& m_ray;
    std::array<double, 3> m_origin;
};

/// How many bricks are looked at together.
constexpr std::size_t kAhead = 2;
/// Far above what rounding does to a box test near the chunk.
constexpr double kBoxSlack = 1e-3;

/// A ray against the boxes of a set.
class SetRay {
  public:
    /// The boxes count from `base` in `step`s of which `scale` make 1.
    SetRay(const std::array<float, 3>& near, const std::array<float, 3>& inverse,
           const std::array<float, 3>& base, const std::array<float, 3>& step,
           const std::array<float, 3>& scale) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            m_backwards[axis] = std::signbit(inverse[axis]);
            const float slack = std::copysign(static_cast<float>(kBoxSlack), inverse[axis]);
            m_inverse[axis] = wide(inverse[axis] * step[axis]);
            m_near[axis] = wide((near[axis] - base[axis] + slack) * scale[axis]);
            m_far[axis] = wide((near[axis] - base[axis] - slack) * scale[axis]);
        }
    }

    /// Which boxes it meets before `reach`, a bit each. The sides are taken by the ray's direction, not by
    /// their order.
    unsigned meets(const BoxSet& set, float reach) const {
#if defined(__SSE2__)
        __m128 first0 = _mm_setzero_ps(), first1 = first0, last0 = _mm_set1_ps(reach), last1 = last0;
        const __m128i zero = _mm_setzero_si128();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto load = [&](const std::array<std::uint8_t, kWidth>& bytes) {
                return _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes.data())),
                                         zero);
            };
            const __m128 scale = m_inverse[axis].lanes, near = m_near[axis].lanes, far = m_far[axis].lanes;
            const auto reached = [&](__m128i words, __m128 from) {
                return _mm_mul_ps(_mm_sub_ps(_mm_cvtepi32_ps(words), from), scale);
            };
            const __m128i from = load((m_backwards[axis] ? set.max : set.min)[axis]),
                          to = load((m_backwards[axis] ? set.min : set.max)[axis]);
            first0 = _mm_max_ps(first0, reached(_mm_unpacklo_epi16(from, zero), near));
            first1 = _mm_max_ps(first1, reached(_mm_unpackhi_epi16(from, zero), near));
            last0 = _mm_min_ps(last0, reached(_mm_unpacklo_epi16(to, zero), far));
            last1 = _mm_min_ps(last1, reached(_mm_unpackhi_epi16(to, zero), far));
        }
        return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(first0, last0))) |
               static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(first1, last1))) << 4;
#else
        unsigned mask = 0;
        for (std::size_t child = 0; child < kWidth; ++child) {
            float first = 0, last = reach;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto& near = (m_backwards[axis] ? set.max : set.min)[axis];
                const auto& far = (m_backwards[axis] ? set.min : set.max)[axis];
                const auto from = static_cast<float>(near[child]), to = static_cast<float>(far[child]);
                first = std::max(first, (from - m_near[axis]) * m_inverse[axis]);
                last = std::min(last, (to - m_far[axis]) * m_inverse[axis]);
            }
            mask |= static_cast<unsigned>(first <= last) << child;
        }
        return mask;
#endif
    }

  private:
#if defined(__SSE2__)
    /// In all lanes.
    struct Wide {
        __m128 lanes;
    };
    static Wide wide(float value) {
        return {_mm_set1_ps(value)};
    }
    std::array<Wide, 3> m_inverse, m_near, m_far;
#else
    static float wide(float value) {
        return value;
    }
    std::array<float, 3> m_inverse, m_near, m_far;
#endif
    std::array<bool, 3> m_backwards;
};

}  // namespace

CollisionRay::CollisionRay(Vec3d along) : direction{along.x, along.y, along.z} {
    const auto& d = direction;
    const std::array<double, 3> size{std::abs(d[0]), std::abs(d[1]), std::abs(d[2])};
    axisZ = size[0] > size[1] ? (size[0] > size[2] ? 0 : 2) : (size[1] > size[2] ? 1 : 2);
    axisX = (axisZ + 1) % 3;
    axisY = (axisZ + 2) % 3;
    shearX = d[axisX] / d[axisZ];
    shearY = d[axisY] / d[axisZ];
    scale = 1 / d[axisZ];
    fastest = size[axisZ];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Finite, so that what lies at a border is not lost.
        constexpr double kMost = std::numeric_limits<double>::max();
        inverse[axis] = d[axis] == 0 ? 0 : std::clamp(1 / d[axis], -kMost, kMost);
        const double cells = std::min(std::abs(inverse[axis]) * fastest, 1e9);
        cellInverse[axis] = static_cast<float>(std::copysign(d[axis] == 0 ? 1e9 : cells, d[axis]));
    }
}

bool CollisionSurface::castRay(Vec3d origin, Vec3d direction, double maxT, Hit& hit) const {
    return castRay(CollisionRay(direction), origin, maxT, hit);
}

bool CollisionSurface::castRay(const CollisionRay& ray, Vec3d origin, double maxT, Hit& hit) const {
    const Blocks& blocks = this->blocks();
    if (blocks.groupCount == 0 || !(ray.fastest > 0)) return false;
    // To where the ray enters the surface's box; floats are fine enough from there.
    double begin = 0, end = maxT;
    const std::array<double, 3> from{origin.x, origin.y, origin.z};
    const std::array<float, 3> low{m_bounds.min.x, m_bounds.min.y, m_bounds.min.z},
        high{m_bounds.max.x, m_bounds.max.y, m_bounds.max.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double least = double{low[axis]} - kBoxSlack, most = double{high[axis]} + kBoxSlack;
        if (ray.direction[axis] == 0) {
            if (from[axis] < least || from[axis] > most) return false;
            continue;
        }
        const double a = (least - from[axis]) * ray.inverse[axis],
                     b = (most - from[axis]) * ray.inverse[axis];
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    }
    if (!(begin <= end && begin <= std::numeric_limits<double>::max())) return false;
    // The box tests count in cells along the fastest axis.
    std::array<float, 3> near;
    for (std::size_t axis = 0; axis < 3; ++axis)
        near[axis] = static_cast<float>(from[axis] + begin * ray.direction[axis]);
    const SetRay setRay(near, ray.cellInverse, blocks.base, blocks.step, blocks.scale);
    const ShearedRay sheared(ray, from);
    double best = std::min(end + kBoxSlack / ray.fastest, std::min(maxT, std::numeric_limits<double>::max()));
    auto reach = static_cast<float>((end + kBoxSlack / ray.fastest - begin) * ray.fastest) +
                 static_cast<float>(kBoxSlack);
    bool found = false;
    const CollisionTriangle* triangles = m_data.triangles.data();
    const auto count = static_cast<std::uint32_t>(m_data.triangles.size());
    const auto test = [&](std::uint32_t i) {
        const bool alone = i + 1 >= count;
        std::array<double, 2> at;
        unsigned mask =
            sheared.meets(m_data.vertices.data(), triangles[i], triangles[alone ? i : i + 1], best, at);
        if (alone) mask &= 1;
        for (unsigned k = 0; k < 2; ++k) {
            if ((mask >> k & 1) == 0) continue;
            // Of triangles met in the same place, the first.
            if (found && (at[k] > hit.t || (at[k] == hit.t && i + k > hit.triangle))) continue;
            found = true;
            hit = {at[k], i + k};
            best = at[k];
            reach = static_cast<float>((best - begin) * ray.fastest) + static_cast<float>(2 * kBoxSlack);
        }
    };
    // Memory is what a ray waits for: what is going to be looked at is asked for together.
    std::array<std::uint32_t, 64> candidates;
    std::size_t waiting = 0;
    const auto testCandidates = [&] {
        for (std::size_t k = 0; k < waiting; ++k) {
            const CollisionTriangle& triangle = triangles[candidates[k]];
            __builtin_prefetch(&m_data.vertices[triangle.vertices[0]]);
            __builtin_prefetch(&m_data.vertices[triangle.vertices[2]]);
        }
        for (std::size_t k = 0; k < waiting; ++k) {
            const std::uint32_t last = std::min(candidates[k] + blocks.groupSize, count);
            for (std::uint32_t i = candidates[k]; i < last; i += 2)
                test(i);
        }
        waiting = 0;
    };
    const auto gatherFrom = [&](const Blocks::Brick& brick) {
        for (const BoxSet& set : blocks.setsOf(brick)) {
            if (waiting > candidates.size() - kWidth) testCandidates();
            for (unsigned mask = setRay.meets(set, reach); mask != 0; mask &= mask - 1) {
                const std::uint32_t first =
                    set.groups[static_cast<std::size_t>(std::countr_zero(mask))] * blocks.groupSize;
                __builtin_prefetch(&triangles[first]);
                candidates[waiting++] = first;
            }
        }
    };
    // From brick to brick (Amanatides, Woo 1987).
    std::uint32_t brick = 0;
    std::array<std::uint32_t, 3> stride, left;  // to the next along an axis, and how many there are
    std::array<float, 3> leave, cross;          // where the ray leaves the brick, and how long it is in one
    std::array<float, 3> cellAt, cellSpeed;     // counted in cells of a brick
    std::array<std::int32_t, 3> corner, cellStride;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const unsigned shift = blocks.shift[axis];
        const float at = (near[axis] - blocks.base[axis]) * blocks.scale[axis];
        const auto place = static_cast<std::uint32_t>(std::min(255.0f, std::max(0.0f, at))) >> shift;
        brick += place * Blocks::kStrides[axis];
        const bool up = ray.direction[axis] > 0;
        stride[axis] = up ? Blocks::kStrides[axis] : 0 - Blocks::kStrides[axis];
        left[axis] = up ? (255u >> shift) - place : place;
        cellAt[axis] = at / static_cast<float>(1u << (shift - 2));
        corner[axis] = static_cast<std::int32_t>(place * 4);
        cellStride[axis] = up ? 4 : -4;
        if (ray.direction[axis] == 0) {
            cellSpeed[axis] = 0;
            leave[axis] = cross[axis] = std::numeric_limits<float>::infinity();
            continue;
        }
        const float inverse = ray.cellInverse[axis] * blocks.step[axis];
        cross[axis] = static_cast<float>(1u << shift) * std::abs(inverse);
        cellSpeed[axis] = static_cast<float>(ray.direction[axis] / ray.fastest) * blocks.scale[axis] /
                          static_cast<float>(1u << (shift - 2));
        leave[axis] = (static_cast<float>((place + (up ? 1 : 0)) << shift) - at) * inverse;
    }
    // The cells of a brick that the ray is near between two places, by way of a third.
    const auto cellsBetween = [&](float enter, float exit) {
        const auto cellOf = [&](float t, std::size_t axis) {
            const auto cell = static_cast<std::int32_t>(cellAt[axis] + t * cellSpeed[axis]) - corner[axis];
            return static_cast<std::uint32_t>(std::min(3, std::max(0, cell)));
        };
        const float middle = 0.5f * (enter + exit);
        std::array<std::uint32_t, 3> lowA, highA, lowB, highB;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::uint32_t a = cellOf(enter, axis), b = cellOf(middle, axis), c = cellOf(exit, axis);
            lowA[axis] = std::min(a, b);
            highA[axis] = std::max(a, b);
            lowB[axis] = std::min(b, c);
            highB[axis] = std::max(b, c);
        }
        return Blocks::cellsOf(lowA, highA) | Blocks::cellsOf(lowB, highB);
    };
    float enter = 0;
    for (;;) {
        std::array<const Blocks::Brick*, kAhead> next;
        std::size_t ahead = 0;
        bool last = false;
        while (ahead < kAhead && !last) {
            std::size_t axis = leave[1] < leave[0] ? 1 : 0;
            if (leave[2] < leave[axis]) axis = 2;
            const float exit = leave[axis];
            if (blocks.isFilled(brick)) {
                const Blocks::Brick& its = blocks.brick(brick);
                if ((cellsBetween(enter, std::min(exit, reach)) & its.cells) != 0) {
                    for (const BoxSet& set : blocks.setsOf(its))
                        __builtin_prefetch(&set);
                    next[ahead++] = &its;
                }
            }
            last = left[axis] == 0 || exit > reach;
            --left[axis];
            leave[axis] += cross[axis];
            corner[axis] += cellStride[axis];
            brick += stride[axis];
            enter = exit;
        }
        for (std::size_t k = 0; k < ahead; ++k)
            gatherFrom(*next[k]);
        testCandidates();
        if (last || enter > reach) return found;
    }
}

}  // namespace karst::voxel_mesh
