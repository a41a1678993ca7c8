#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_mesh {
namespace {

constexpr std::uint32_t kWidth = 8;

/// The boxes of 8 children, member by member, so that all are tested at once. Absent children have empty
/// boxes.
struct Node {
    std::array<std::array<float, kWidth>, 3> min, max;
    Node() {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            min[axis].fill(std::numeric_limits<float>::max());
            max[axis].fill(std::numeric_limits<float>::lowest());
        }
    }
    void add(std::size_t child, const std::array<float, 3>& low, const std::array<float, 3>& high) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            min[axis][child] = std::min(min[axis][child], low[axis]);
            max[axis][child] = std::max(max[axis][child], high[axis]);
        }
    }
};

std::array<float, 3> asArray(Vec3f v) {
    return {v.x, v.y, v.z};
}

struct Box {
    std::array<float, 3> min, max;
};

Box boxOf(const CollisionSurface& surface, std::uint32_t triangle) {
    const CollisionTriangle& t = surface.triangles()[triangle];
    Box box{asArray(surface.vertices()[t.vertices[0]]), asArray(surface.vertices()[t.vertices[0]])};
    for (std::size_t i = 1; i < 3; ++i) {
        const std::array<float, 3> v = asArray(surface.vertices()[t.vertices[i]]);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.min[axis] = std::min(box.min[axis], v[axis]);
            box.max[axis] = std::max(box.max[axis], v[axis]);
        }
    }
    return box;
}

}  // namespace

/// A tree of boxes over the triangles in an order in which those near each other in space are near each other
/// in the order: a node of level 0 holds 8 runs of 8 triangles, one of level n 8 nodes of level n - 1.
struct CollisionSurface::Blocks {
    struct Level {
        std::vector<Node> nodes;
    };
    std::vector<Level> levels;
    std::vector<std::uint32_t> order;  ///< of triangles
    /// The boxes of the triangles of each run, rounded outwards to steps of the surface's box.
    struct Run {
        std::array<std::array<std::uint8_t, kWidth>, 3> min, max;
    };
    std::vector<Run> runs;
    std::array<float, 3> base, step;

    template <class Mask, class Triangles>
    void visit(std::size_t level, std::uint32_t node, const Mask& maskOf, const Triangles& triangles) const {
        unsigned mask = maskOf(levels[level].nodes[node]);
        for (; mask != 0; mask &= mask - 1) {
            const std::uint32_t child = node * kWidth + static_cast<std::uint32_t>(std::countr_zero(mask));
            if (level == 0) {
                triangles(run(child));
            } else if (child < levels[level - 1].nodes.size()) {  // a boundless box meets absent ones too
                visit(level - 1, child, maskOf, triangles);
            }
        }
    }
    std::span<const std::uint32_t> run(std::uint32_t child) const {
        const std::size_t first = std::min(std::size_t{child} * kWidth, order.size());
        return std::span(order).subspan(first, std::min<std::size_t>(kWidth, order.size() - first));
    }
};

namespace {

/// Bit i of a coordinate at bit 3 i.
constexpr std::array<std::uint16_t, 32> kSpread = [] {
    std::array<std::uint16_t, 32> spread{};
    for (unsigned i = 0; i < spread.size(); ++i) {
        for (unsigned bit = 0; bit < 5; ++bit)
            spread[i] = static_cast<std::uint16_t>(spread[i] | (i >> bit & 1u) << (3 * bit));
    }
    return spread;
}();

/// The triangles along a Morton curve over the cells of their middles; those of one cell in their own order.
std::vector<std::uint32_t> ordered(const CollisionSurface::Data& data) {
    const std::size_t count = data.triangles.size();
    std::vector<std::uint16_t> keys(count);
    std::array<std::uint32_t, 257> lowStarts{}, highStarts{};
    for (std::size_t i = 0; i < count; ++i) {
        const CollisionTriangle& t = data.triangles[i];
        const Vec3f &a = data.vertices[t.vertices[0]], &b = data.vertices[t.vertices[1]],
                    &c = data.vertices[t.vertices[2]];
        const auto spread = [](float sum) {
            return unsigned{kSpread[static_cast<std::size_t>(std::clamp(sum * (1.0f / 3), 0.0f, 31.0f))]};
        };
        const unsigned key =
            spread(a.x + b.x + c.x) | spread(a.z + b.z + c.z) << 1 | spread(a.y + b.y + c.y) << 2;
        keys[i] = static_cast<std::uint16_t>(key);
        ++lowStarts[(key & 255) + 1];
        ++highStarts[(key >> 8) + 1];
    }
    for (std::size_t i = 1; i < lowStarts.size(); ++i) {
        lowStarts[i] += lowStarts[i - 1];
        highStarts[i] += highStarts[i - 1];
    }
    std::vector<std::uint32_t> byLow(count), order(count);
    for (std::uint32_t i = 0; i < count; ++i)
        byLow[lowStarts[keys[i] & 255u]++] = i;
    for (const std::uint32_t i : byLow)
        order[highStarts[keys[i] >> 8]++] = i;
    return order;
}

}  // namespace

namespace {

/// Grows by points, all axes at once.
#if defined(__SSE2__)
class PointBox {
  public:
    void add(const Vec3f& p) {
        const __m128 v = _mm_movelh_ps(
            _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&p.x))), _mm_load_ss(&p.z));
        m_min = _mm_min_ps(m_min, v);
        m_max = _mm_max_ps(m_max, v);
    }
    Box box() const {
        alignas(16) std::array<float, 4> low, high;
        _mm_store_ps(low.data(), m_min);
        _mm_store_ps(high.data(), m_max);
        return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    }

  private:
    __m128 m_min = _mm_set1_ps(std::numeric_limits<float>::max());
    __m128 m_max = _mm_set1_ps(std::numeric_limits<float>::lowest());
};
#else
class PointBox {
  public:
    void add(const Vec3f& p) {
        const std::array<float, 3> v = asArray(p);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            m_box.min[axis] = std::min(m_box.min[axis], v[axis]);
            m_box.max[axis] = std::max(m_box.max[axis], v[axis]);
        }
    }
    Box box() const { return m_box; }

  private:
    static constexpr float kMost = std::numeric_limits<float>::max();
    Box m_box{{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}};
};
#endif

}  // namespace

CollisionSurface::CollisionSurface(Data data) : m_data(std::move(data)) {
    auto blocks = std::make_unique<Blocks>();
    const auto count = static_cast<std::uint32_t>(m_data.triangles.size());
    if (count > 0) {
        blocks->order = ordered(m_data);
        std::vector<Node> nodes((count + kWidth * kWidth - 1) / (kWidth * kWidth));
        PointBox whole;
        for (const Vec3f& vertex : m_data.vertices)
            whole.add(vertex);
        const Box box = whole.box();
        m_bounds = {{box.min[0], box.min[1], box.min[2]}, {box.max[0], box.max[1], box.max[2]}};
        blocks->base = box.min;
        std::array<float, 3> scale;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            blocks->step[axis] = std::max(box.max[axis] - box.min[axis], 1e-3f) / 255;
            scale[axis] = 1 / blocks->step[axis];
        }
        blocks->runs.resize((count + kWidth - 1) / kWidth);
        for (std::uint32_t at = 0; at < count; ++at) {
            PointBox points;
            for (const std::uint16_t vertex : m_data.triangles[blocks->order[at]].vertices)
                points.add(m_data.vertices[vertex]);
            const Box own = points.box();
            const std::uint32_t run = at / kWidth;
            nodes[run / kWidth].add(run % kWidth, own.min, own.max);
            Blocks::Run& rounded = blocks->runs[run];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const float low = (own.min[axis] - box.min[axis]) * scale[axis],
                            high = (own.max[axis] - box.min[axis]) * scale[axis];
                rounded.min[axis][at % kWidth] = static_cast<std::uint8_t>(std::min(low, 255.0f));
                // To the next step up; what that loses by rounding is far below the slack of rays.
                rounded.max[axis][at % kWidth] = static_cast<std::uint8_t>(std::min(high + 0.9999f, 255.0f));
            }
        }
        while (true) {
            std::vector<Node> above((nodes.size() + kWidth - 1) / kWidth);
            const bool isRoot = nodes.size() == 1;
            for (std::size_t i = 0; i < nodes.size() && !isRoot; ++i) {
                std::array<float, 3> low, high;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    low[axis] = *std::min_element(nodes[i].min[axis].begin(), nodes[i].min[axis].end());
                    high[axis] = *std::max_element(nodes[i].max[axis].begin(), nodes[i].max[axis].end());
                }
                above[i / kWidth].add(i % kWidth, low, high);
            }
            blocks->levels.push_back({std::move(nodes)});
            if (isRoot) break;
            nodes = std::move(above);
        }
    }
    m_blocks = std::move(blocks);
}

CollisionSurface::~CollisionSurface() = default;

std::size_t CollisionSurface::memoryBytes() const {
    std::size_t bytes =
        sizeof(CollisionSurface) + sizeof(Blocks) + m_blocks->order.capacity() * sizeof(std::uint32_t) +
        m_data.vertices.capacity() * sizeof(Vec3f) + m_data.triangles.capacity() * sizeof(CollisionTriangle);
    for (const Blocks::Level& level : m_blocks->levels)
        bytes += sizeof(level) + level.nodes.capacity() * sizeof(Node);
    return bytes;
}

void CollisionSurface::trianglesInBox(const LocalBox& box,
                                      FunctionRef<void(std::uint32_t triangle)> visit) const {
    if (m_blocks->levels.empty()) return;
    const std::array<float, 3> low = asArray(box.min), high = asArray(box.max);
    const auto maskOf = [&](const Node& node) {
        unsigned mask = 0;
        for (std::size_t child = 0; child < kWidth; ++child) {
            unsigned meets = 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                meets &= static_cast<unsigned>(node.min[axis][child] <= high[axis]);
                meets &= static_cast<unsigned>(node.max[axis][child] >= low[axis]);
            }
            mask |= meets << child;
        }
        return mask;
    };
    const auto meets = [&](std::uint32_t triangle) {
        const Box own = boxOf(*this, triangle);
        bool all = true;
        for (std::size_t axis = 0; axis < 3; ++axis)
            all = all && own.min[axis] <= high[axis] && own.max[axis] >= low[axis];
        return all;
    };
    // Few are gathered and put in order; where there are many, looking at each is no slower.
    std::array<std::uint32_t, 256> found;
    std::size_t count = 0;
    const auto gather = [&](std::span<const std::uint32_t> run) {
        for (const std::uint32_t i : run) {
            if (!meets(i)) continue;
            if (count < found.size()) found[count] = i;
            ++count;
        }
    };
    m_blocks->visit(m_blocks->levels.size() - 1, 0, maskOf, gather);
    if (count <= found.size()) {
        std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::size_t i = 0; i < count; ++i)
            visit(found[i]);
        return;
    }
    const auto all = static_cast<std::uint32_t>(m_data.triangles.size());
    for (std::uint32_t i = 0; i < all; ++i) {
        if (meets(i)) visit(i);
    }
}

namespace {

/// The watertight test of Woop, Benthin, Wald (2013), in double: the ray is turned into the third axis by a
/// shear, and a point on an edge is told by the same sum for both triangles that share it, so that no ray
/// slips through between them.
class ShearedRay {
  public:
    ShearedRay(Vec3d origin, Vec3d direction) : m_origin{origin.x, origin.y, origin.z} {
        const std::array<double, 3> d{direction.x, direction.y, direction.z};
        m_z = std::abs(d[0]) > std::abs(d[1]) ? (std::abs(d[0]) > std::abs(d[2]) ? 0 : 2)
                                              : (std::abs(d[1]) > std::abs(d[2]) ? 1 : 2);
        m_x = (m_z + 1) % 3;
        m_y = (m_z + 2) % 3;
        m_shearX = d[m_x] / d[m_z];
        m_shearY = d[m_y] / d[m_z];
        m_scale = 1 / d[m_z];
    }

    bool meets(const std::array<Vec3f, 3>& triangle, double maxT, double& t) const {
        std::array<double, 3> x, y, z;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::array<float, 3> v = asArray(triangle[i]);
            z[i] = double{v[m_z]} - m_origin[m_z];
            x[i] = double{v[m_x]} - m_origin[m_x] - m_shearX * z[i];
            y[i] = double{v[m_y]} - m_origin[m_y] - m_shearY * z[i];
        }
        const double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2],
                     w = x[1] * y[0] - y[1] * x[0];
        if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
        const double sum = u + v + w;
        if (sum == 0) return false;
        const double at = (u * z[0] + v * z[1] + w * z[2]) / sum * m_scale;
        if (!(at >= 0 && at <= maxT)) return false;
        t = at;
        return true;
    }

  private:
    std::array<double, 3> m_origin;
    std::size_t m_x, m_y, m_z;
    double m_shearX, m_shearY, m_scale;
};

/// Far above what rounding does to a box test near the chunk.
constexpr double kBoxSlack = 1e-3;

/// 8 children of each of the 11 levels that 2^32 triangles would take.
constexpr std::size_t kMaxPending = 96;

/// A ray against the boxes of a node's children.
class NodeRay {
  public:
    /// The boxes count from `base` in `step`s.
    NodeRay(const std::array<float, 3>& near, const std::array<float, 3>& inverse,
            const std::array<float, 3>& base, const std::array<float, 3>& step) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            m_backwards[axis] = std::signbit(inverse[axis]);
            const float slack = std::copysign(static_cast<float>(kBoxSlack), inverse[axis]);
            m_inverse[axis] = inverse[axis] * step[axis];
            m_near[axis] = (near[axis] - base[axis] + slack) / step[axis];
            m_far[axis] = (near[axis] - base[axis] - slack) / step[axis];
        }
    }

    /// Which boxes it meets before `reach`, a bit each, and where it enters them. The sides are taken by the
    /// ray's direction, not by their order, so that the box of an absent child is met by none.
#if defined(__SSE2__)
    template <class Boxes>
    unsigned meets(const Boxes& node, float reach, std::array<float, kWidth>& enter) const {
        unsigned mask = 0;
        for (std::size_t half = 0; half < kWidth; half += 4) {
            __m128 first = _mm_setzero_ps(), last = _mm_set1_ps(reach);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto* near = (m_backwards[axis] ? node.max : node.min)[axis].data() + half;
                const auto* far = (m_backwards[axis] ? node.min : node.max)[axis].data() + half;
                const __m128 scale = _mm_set1_ps(m_inverse[axis]);
                first =
                    _mm_max_ps(first, _mm_mul_ps(_mm_sub_ps(load(near), _mm_set1_ps(m_near[axis])), scale));
                last = _mm_min_ps(last, _mm_mul_ps(_mm_sub_ps(load(far), _mm_set1_ps(m_far[axis])), scale));
            }
            _mm_storeu_ps(&enter[half], first);
            mask |= static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(first, last))) << half;
        }
        return mask;
    }
#else
    template <class Boxes>
    unsigned meets(const Boxes& node, float reach, std::array<float, kWidth>& enter) const {
        unsigned mask = 0;
        for (std::size_t child = 0; child < kWidth; ++child) {
            float first = 0, last = reach;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto& near = (m_backwards[axis] ? node.max : node.min)[axis];
                const auto& far = (m_backwards[axis] ? node.min : node.max)[axis];
                const auto from = static_cast<float>(near[child]), to = static_cast<float>(far[child]);
                first = std::max(first, (from - m_near[axis]) * m_inverse[axis]);
                last = std::min(last, (to - m_far[axis]) * m_inverse[axis]);
            }
            enter[child] = first;
            mask |= static_cast<unsigned>(first <= last) << child;
        }
        return mask;
    }
#endif

  private:
#if defined(__SSE2__)
    static __m128 load(const float* values) {
        return _mm_loadu_ps(values);
    }
    static __m128 load(const std::uint8_t* values) {
        std::int32_t four;
        std::memcpy(&four, values, sizeof(four));
        const __m128i zero = _mm_setzero_si128();
        return _mm_cvtepi32_ps(_mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero), zero));
    }
#endif
    std::array<float, 3> m_inverse, m_near, m_far;
    std::array<bool, 3> m_backwards;
};

}  // namespace

bool CollisionSurface::castRay(Vec3d origin, Vec3d direction, double maxT, Hit& hit) const {
    if (m_blocks->levels.empty()) return false;
    // To where the ray enters the surface's box; floats are fine enough from there.
    double begin = 0, end = maxT;
    const std::array<double, 3> from{origin.x, origin.y, origin.z},
        speed{direction.x, direction.y, direction.z};
    const std::array<float, 3> low = asArray(m_bounds.min), high = asArray(m_bounds.max);
    double fastest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double least = double{low[axis]} - kBoxSlack, most = double{high[axis]} + kBoxSlack;
        fastest = std::max(fastest, std::abs(speed[axis]));
        if (speed[axis] == 0) {
            if (from[axis] < least || from[axis] > most) return false;
            continue;
        }
        const double a = (least - from[axis]) / speed[axis], b = (most - from[axis]) / speed[axis];
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    }
    if (!(begin <= end) || !(fastest > 0)) return false;
    // The box tests count in cells along the fastest axis.
    std::array<float, 3> near, inverse;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        near[axis] = static_cast<float>(from[axis] + begin * speed[axis]);
        const double share = speed[axis] / fastest;
        inverse[axis] = static_cast<float>(std::abs(share) > 1e-9 ? 1 / share : std::copysign(1e9, share));
    }
    double best = end + kBoxSlack / fastest;
    auto reach = static_cast<float>((best - begin) * fastest) + static_cast<float>(kBoxSlack);
    const double limit = std::min(maxT, std::numeric_limits<double>::max());
    bool found = false;
    const ShearedRay sheared(origin, direction);
    const auto test = [&](std::uint32_t i) {
        const CollisionTriangle& t = m_data.triangles[i];
        double at;
        if (!sheared.meets({m_data.vertices[t.vertices[0]], m_data.vertices[t.vertices[1]],
                            m_data.vertices[t.vertices[2]]},
                           std::min(best, limit), at)) {
            return;
        }
        // Of triangles met in the same place, the first.
        if (found && (at > hit.t || (at == hit.t && i > hit.triangle))) return;
        found = true;
        hit = {at, i};
        best = at;
        reach = static_cast<float>((best - begin) * fastest) + static_cast<float>(2 * kBoxSlack);
    };
    // Nearest first, so that what lies behind a hit is never looked at.
    struct Pending {
        std::uint32_t level, node;
        float enter;
    };
    std::array<Pending, kMaxPending> pending;
    std::size_t count = 0;
    const NodeRay nodeRay(near, inverse, {0, 0, 0}, {1, 1, 1});
    const NodeRay runRay(near, inverse, m_blocks->base, m_blocks->step);
    pending[count++] = {static_cast<std::uint32_t>(m_blocks->levels.size()), 0, 0};
    while (count > 0) {
        const Pending next = pending[--count];
        if (next.enter > reach) continue;
        alignas(16) std::array<float, kWidth> enter;
        if (next.level == 0) {
            const std::span<const std::uint32_t> run = m_blocks->run(next.node);
            unsigned mask = runRay.meets(m_blocks->runs[next.node], reach, enter);
            for (mask &= (1u << run.size()) - 1; mask != 0; mask &= mask - 1)
                test(run[static_cast<std::size_t>(std::countr_zero(mask))]);
            continue;
        }
        unsigned mask = nodeRay.meets(m_blocks->levels[next.level - 1].nodes[next.node], reach, enter);
        const std::size_t first = count;
        for (; mask != 0; mask &= mask - 1) {
            const auto child = static_cast<std::uint32_t>(std::countr_zero(mask));
            // The farthest lies lowest.
            std::size_t place = count++;
            for (; place > first && pending[place - 1].enter < enter[child]; --place)
                pending[place] = pending[place - 1];
            pending[place] = {next.level - 1, next.node * kWidth + child, enter[child]};
        }
    }
    return found;
}

}  // namespace karst::voxel_mesh
