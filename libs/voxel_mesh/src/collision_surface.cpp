#include <karst/voxel_mesh/collision_surface.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

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

/// A tree of boxes over the triangles in the order in which they are: a node of level 0 holds 8 runs of 8
/// triangles, one of level n 8 nodes of level n - 1.
struct CollisionSurface::Blocks {
    struct Level {
        std::vector<Node> nodes;
    };
    std::vector<Level> levels;

    template <class Mask, class Triangles>
    void visit(std::size_t level, std::uint32_t node, std::uint32_t triangleCount, const Mask& maskOf,
               const Triangles& triangles) const {
        unsigned mask = maskOf(levels[level].nodes[node]);
        for (; mask != 0; mask &= mask - 1) {
            const std::uint32_t child = node * kWidth + static_cast<std::uint32_t>(std::countr_zero(mask));
            if (level == 0) {
                triangles(child * kWidth, std::min((child + 1) * kWidth, triangleCount));
            } else {
                visit(level - 1, child, triangleCount, maskOf, triangles);
            }
        }
    }
};

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
        std::vector<Node> nodes((count + kWidth * kWidth - 1) / (kWidth * kWidth));
        PointBox whole;
        for (const Vec3f& vertex : m_data.vertices)
            whole.add(vertex);
        for (std::uint32_t run = 0; run * kWidth < count; ++run) {
            PointBox points;
            for (std::uint32_t i = run * kWidth; i < std::min((run + 1) * kWidth, count); ++i) {
                for (const std::uint16_t vertex : m_data.triangles[i].vertices)
                    points.add(m_data.vertices[vertex]);
            }
            const Box box = points.box();
            nodes[run / kWidth].add(run % kWidth, box.min, box.max);
        }
        const Box box = whole.box();
        m_bounds = {{box.min[0], box.min[1], box.min[2]}, {box.max[0], box.max[1], box.max[2]}};
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
    std::size_t bytes = sizeof(CollisionSurface) + sizeof(Blocks) +
                        m_data.vertices.capacity() * sizeof(Vec3f) +
                        m_data.triangles.capacity() * sizeof(CollisionTriangle);
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
    const auto triangles = [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i < end; ++i) {
            const Box own = boxOf(*this, i);
            bool meets = true;
            for (std::size_t axis = 0; axis < 3; ++axis)
                meets = meets && own.min[axis] <= high[axis] && own.max[axis] >= low[axis];
            if (meets) visit(i);
        }
    };
    m_blocks->visit(m_blocks->levels.size() - 1, 0, static_cast<std::uint32_t>(m_data.triangles.size()),
                    maskOf, triangles);
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
    const auto maskOf = [&](const Node& node) {
        constexpr auto slack = static_cast<float>(kBoxSlack);
        unsigned mask = 0;
        for (std::size_t child = 0; child < kWidth; ++child) {
            float enter = 0, leave = reach;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const float a = (node.min[axis][child] - slack - near[axis]) * inverse[axis];
                const float b = (node.max[axis][child] + slack - near[axis]) * inverse[axis];
                enter = std::max(enter, std::min(a, b));
                leave = std::min(leave, std::max(a, b));
            }
            mask |= static_cast<unsigned>(enter <= leave) << child;
        }
        return mask;
    };
    const auto triangles = [&](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t i = first; i < last; ++i) {
            const CollisionTriangle& t = m_data.triangles[i];
            double at;
            if (!sheared.meets({m_data.vertices[t.vertices[0]], m_data.vertices[t.vertices[1]],
                                m_data.vertices[t.vertices[2]]},
                               std::min(best, limit), at)) {
                continue;
            }
            if (found && at >= hit.t) continue;
            found = true;
            hit = {at, i};
            best = at;
            reach = static_cast<float>((best - begin) * fastest) + static_cast<float>(2 * kBoxSlack);
        }
    };
    m_blocks->visit(m_blocks->levels.size() - 1, 0, static_cast<std::uint32_t>(m_data.triangles.size()),
                    maskOf, triangles);
    return found;
}

}  // namespace karst::voxel_mesh
