#include "collision_edges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "cube_vertices.h"

namespace karst::voxel_mesh {
namespace {

constexpr std::int32_t kSize = voxel::kChunkSize, kPadding = kFieldPadding;
constexpr std::int32_t kStride = kSize + 2 * kPadding, kLayer = kStride * kStride;

/// Steps to the next sample along x, z and y.
constexpr std::array<std::int32_t, 3> kSteps{1, kStride, kLayer};

/// A quad around a sample edge: the cubes in the order of SurfaceQuad.
struct CubeQuad {
    std::array<std::int32_t, 4> cubes;
};

/// As extractSurface makes it: axis 0, 1, 2 is x, z, y, `lower` the edge's lower sample.
CubeQuad quadAround(const FieldView& field, std::int32_t lower, std::size_t axis) {
    const auto [sx, sz, sy] = kSteps;
    CubeQuad quad;
    switch (axis) {
        case 0:
            quad.cubes = {lower - sy - sz, lower - sz, lower, lower - sy};
            break;
        case 1:
            quad.cubes = {lower - sy - sx, lower - sy, lower, lower - sx};
            break;
        default:
            quad.cubes = {lower - sz - sx, lower - sx, lower, lower - sz};
            break;
    }
    if (field.samples[lower] < 128) std::swap(quad.cubes[1], quad.cubes[3]);
    return quad;
}

/// In the place of an edge: four quads meet at the face, two sheets touching, and each of their edges counts
/// as one to catch on.
constexpr std::uint32_t kTouching = ~std::uint32_t{0};

/// Edges 0 and 1 of a quad are of the triangle 0 1 2, edges 2 and 3 of 0 2 3.
constexpr std::array<std::uint16_t, 4> kEdgeBits{0x0001, 0x0002, 0x0200, 0x0400};
constexpr std::uint16_t kDiagonalBits = 0x0104;

/// Which vertex of all quads is off an edge, in its triangle.
std::uint32_t oppositeOf(std::uint32_t edge) {
    return (edge & ~3u) | (((edge + 1) & 2) ^ 2);
}

const std::uint32_t* verticesOf(std::span<const SurfaceQuad> quads) {
    static_assert(sizeof(SurfaceQuad) == 4 * sizeof(std::uint32_t));
    return quads.data()->vertices.data();
}

}  // namespace

EdgeMarker::EdgeMarker(double activeAngle) : m_activeCosine(static_cast<float>(std::cos(activeAngle))) {}

std::span<const QuadEdges> EdgeMarker::mark(const FieldView& field, const SignRows& rows,
                                            const RawSurface& surface, std::span<const PaddedPoint> points) {
    m_faces.assign(surface.positions.size() * 3, 0);
    m_touching.clear();
    if (findTouching(rows, surface)) {
        pairEdges<true>(surface);
    } else {
        pairEdges<false>(surface);
    }
    findBorders(field, surface);
    const Quads own{surface.quads, points.data(), &m_normals, &m_marks};
    const Quads others{m_borderQuads, m_borderPoints.data(), &m_borderNormals, &m_borderMarks};
    measure(own);
    measure(others);
    markPairs(m_pairs, m_pairCount, own, own);
    markPairs(m_borderPairs, m_borderPairs.size(), own, others);
    for (const std::uint32_t edge : m_touching)
        m_marks[edge >> 2].bits |= kEdgeBits[edge & 3];
    return m_marks;
}

/// The normals of both triangles, and whether the diagonal between them is active.
void EdgeMarker::measure(const Quads& quads) const {
    const std::size_t count = quads.quads.size();
    // Whole blocks of four, the last quad several times.
    quads.normals->resize((count * 2 + 7) & ~std::size_t{7});
    quads.marks->resize((count + 3) & ~std::size_t{3});
    PaddedPoint* normals = quads.normals->data();
    QuadEdges* marks = quads.marks->data();
    for (std::size_t i = 0; i < count; i += 4) {
        std::array<const std::uint32_t*, 4> quad;
        for (std::size_t k = 0; k < 4; ++k)
            quad[k] = quads.quads[std::min(i + k, count - 1)].vertices.data();
        const auto corner = [&](std::size_t vertex) {
            return PointLanes::of(quads.points[quad[0][vertex]].load(), quads.points[quad[1][vertex]].load(),
                                  quads.points[quad[2][vertex]].load(), quads.points[quad[3][vertex]].load());
        };
        const PointLanes a = corner(0), b = corner(1) - a, c = corner(2) - a, d = corner(3) - a;
        const PointLanes first = normalized(cross(b, c)), second = normalized(cross(c, d));
        const std::array<Float4, 4> firsts = first.points(), seconds = second.points();
        for (std::size_t k = 0; k < 4; ++k) {
            normals[2 * (i + k)].store(firsts[k]);
            normals[2 * (i + k) + 1].store(seconds[k]);
        }
        const Int4 active = (dot(first, second) < m_activeCosine) & (dot(first, d) < 0);
        for (std::size_t k = 0; k < 4; ++k)
            marks[i + k].bits = static_cast<std::uint16_t>(active[k] & kDiagonalBits);
    }
}

/// Sets the faces at which sheets touch; false where there are none.
bool EdgeMarker::findTouching(const SignRows& rows, const RawSurface& surface) {
    // Bit x + 1 of a row is sample x; the faces are named by their lowest corner.
    constexpr std::uint64_t kCorners = (std::uint64_t{1} << (kSize + 1)) - 1;
    bool any = false;
    for (int y = -1; y < kSize; ++y) {
        const std::uint64_t *here = rows.layer(y), *above = rows.layer(y + 1);
        const auto touching = [&](int r) {
            const std::uint64_t a = here[r], z = here[r + 1], up = above[r], both = above[r + 1];
            const std::uint64_t alongX = a ^ a >> 1, alongZ = a ^ z, alongY = a ^ up;
            return std::array{alongZ & alongY & ~(a ^ both) & kCorners,
                              alongY & alongX & ~(a ^ up >> 1) & kCorners,
                              alongX & alongZ & ~(a ^ z >> 1) & kCorners};
        };
        std::uint64_t met = 0;
        for (int r = 0; r <= kSize; ++r) {
            const auto [x, z, up] = touching(r);
            met |= x | z | up;
        }
        if (met == 0) continue;
        any = true;
        for (int r = 0; r <= kSize; ++r) {
            const auto [x, z, up] = touching(r);
            addTouching(surface, x, y, r - 1, -2, 0);
            addTouching(surface, z, y, r - 2, -1, 1);
            addTouching(surface, up, y - 1, r - 1, -1, 2);
        }
    }
    return any;
}

/// `row` has a bit for each cube from (x, y, z) on, to whose upper side along `axis` the face belongs.
void EdgeMarker::addTouching(const RawSurface& surface, std::uint64_t row, int y, int z, int x,
                             std::uint32_t axis) {
    for (; row != 0; row &= row - 1) {
        const int cube =
            x + std::countr_zero(row) + kPadding + kStride * (z + kPadding + kStride * (y + kPadding));
        const auto found = std::lower_bound(surface.cubes.begin(), surface.cubes.end(), cube);
        if (found == surface.cubes.end() || *found != cube) continue;
        m_faces[static_cast<std::size_t>(found - surface.cubes.begin()) * 3 + axis] = kTouching;
    }
}

/// Finds the two edges at each face; one that stays alone is left in m_faces.
template <bool kTouch>
void EdgeMarker::pairEdges(const RawSurface& surface) {
    m_pairs.resize(surface.quads.size() * 2 + 4);
    Pair* next = m_pairs.data();
    std::uint32_t edge = 0;
    std::uint32_t* faces = m_faces.data();
    const std::uint16_t* cubes = surface.cubes.data();
    const auto arrive = [&](std::uint32_t face, std::uint32_t own) {
        const std::uint32_t waits = faces[face];
        if (kTouch && waits == kTouching) {
            m_touching.push_back(own);
            return;
        }
        // No branch: no processor foresees which of two comes first.
        const std::uint32_t paired = std::min(waits, 1u);
        *next = {own, waits - 1};
        next += paired;
        faces[face] = (own + 1) & (paired - 1);
    };
    for (const SurfaceQuad& quad : surface.quads) {
        // The first vertex is in the lowest cube, the third in the highest: opposite edges run along the same
        // axis, and the faces are kept at the lower of their two cubes.
        const auto& v = quad.vertices;
        const std::int32_t low = cubes[v[0]];
        const auto axisTo = [&](std::uint32_t vertex) {
            const std::int32_t step = cubes[vertex] - low;
            return static_cast<std::uint32_t>(step > kSteps[0]) +
                   static_cast<std::uint32_t>(step > kSteps[1]);
        };
        const std::uint32_t second = axisTo(v[1]), fourth = axisTo(v[3]);
        arrive(v[0] * 3 + second, edge);
        arrive(v[1] * 3 + fourth, edge + 1);
        arrive(v[3] * 3 + second, edge + 2);
        arrive(v[0] * 3 + fourth, edge + 3);
        edge += 4;
    }
    m_pairCount = static_cast<std::size_t>(next - m_pairs.data());
}

/// Makes the quads beyond the edges that stayed alone.
void EdgeMarker::findBorders(const FieldView& field, const RawSurface& surface) {
    m_borderPairs.clear();
    m_borderQuads.clear();
    m_cubes.clear();
    for (std::size_t vertex = 0; vertex < surface.cubes.size(); ++vertex) {
        const std::uint32_t* faces = &m_faces[vertex * 3];
        if ((faces[0] | faces[1] | faces[2]) == 0) continue;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (faces[axis] != 0 && faces[axis] != kTouching)
                addBorder(field, faces[axis] - 1, surface.cubes[vertex], axis);
        }
    }
    const std::size_t count = m_cubes.size();
    if (count == 0) return;
    while (m_cubes.size() % 8 != 0)
        m_cubes.push_back(m_cubes.back());
    m_positions.resize(m_cubes.size());
    m_gradients.resize(m_cubes.size());
    computeCubeVertices(widestLanes(), field, NormalMethod::CubeGradient, false, m_cubes.data(), nullptr,
                        count, m_positions.data(), m_gradients.data());
    pad(m_positions, m_borderPoints);
}

/// Makes the neighbour's quad at the face between `cube` and the next one along `axis`.
void EdgeMarker::addBorder(const FieldView& field, std::uint32_t edge, std::int32_t cube, std::size_t axis) {
    const std::int32_t next = cube + kSteps[axis];
    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
    const auto crosses = [&](std::int32_t lower, std::size_t along) {
        return (field.samples[lower] >= 128) != (field.samples[lower + kSteps[along]] >= 128);
    };
    const auto owned = [](std::int32_t sample) {
        const auto inside = [](std::int32_t at) { return at >= kPadding && at < kPadding + kSize; };
        return inside(sample % kStride) && inside(sample / kStride % kStride) && inside(sample / kLayer);
    };
    const std::array<std::pair<std::int32_t, std::size_t>, 4> edges{
        std::pair{next, b}, std::pair{next + kSteps[c], b}, std::pair{next, c},
        std::pair{next + kSteps[b], c}};
    for (const auto& [lower, along] : edges) {
        if (!crosses(lower, along) || owned(lower)) continue;
        const CubeQuad quad = quadAround(field, lower, along);
        for (std::uint32_t k = 0; k < 4; ++k) {
            const std::int32_t from = quad.cubes[k], to = quad.cubes[(k + 1) & 3];
            if (std::min(from, to) != cube || std::max(from, to) != next) continue;
            const auto first = static_cast<std::uint32_t>(m_cubes.size());
            m_borderPairs.push_back({edge, first + k});
            m_borderQuads.push_back({{first, first + 1, first + 2, first + 3}});
            for (const std::int32_t each : quad.cubes)
                m_cubes.push_back(static_cast<std::uint16_t>(each));
            return;
        }
    }
}

/// Marks both edges of the first `count` pairs where the ground bends outwards at them by more than the
/// angle.
void EdgeMarker::markPairs(std::vector<Pair>& pairs, std::size_t count, const Quads& own,
                           const Quads& others) const {
    if (count == 0) return;
    pairs.resize((count + 3) & ~std::size_t{3}, pairs[count - 1]);
    for (std::size_t i = count; i < pairs.size(); ++i)
        pairs[i] = pairs[count - 1];
    const std::uint32_t *vertices = verticesOf(own.quads), *otherVertices = verticesOf(others.quads);
    const PaddedPoint *normals = own.normals->data(), *otherNormals = others.normals->data();
    QuadEdges *marks = own.marks->data(), *otherMarks = others.marks->data();
    const auto four = [&](const Pair* p, auto point) {
        return PointLanes::of(point(p[0]), point(p[1]), point(p[2]), point(p[3]));
    };
    for (const Pair *p = pairs.data(), *end = p + pairs.size(); p != end; p += 4) {
        const PointLanes normal = four(p, [&](const Pair& e) { return normals[e.own >> 1].load(); });
        const PointLanes beyond = four(p, [&](const Pair& e) { return otherNormals[e.other >> 1].load(); });
        const PointLanes off = four(p, [&](const Pair& e) {
            return others.points[otherVertices[oppositeOf(e.other)]].load() -
                   own.points[vertices[e.own]].load();
        });
        const Int4 active = (dot(normal, beyond) < m_activeCosine) & (dot(normal, off) < 0);
        for (int k = 0; k < 4; ++k) {
            const auto mask = static_cast<std::uint16_t>(active[k]);
            QuadEdges &at = marks[p[k].own >> 2], &to = otherMarks[p[k].other >> 2];
            at.bits |= static_cast<std::uint16_t>(kEdgeBits[p[k].own & 3] & mask);
            to.bits |= static_cast<std::uint16_t>(kEdgeBits[p[k].other & 3] & mask);
        }
    }
}

}  // namespace karst::voxel_mesh
