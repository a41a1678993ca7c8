#include "collision_edges.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cube_vertices.h"

namespace karst::voxel_mesh {
namespace {

/// Steps to the next sample along x, z and y.
std::array<std::int32_t, 3> stepsOf(const FieldView& field) {
    const std::int32_t s = field.stride();
    return {1, s, s * s};
}

/// A quad around a sample edge: the cubes in the order of SurfaceQuad.
struct CubeQuad {
    std::array<std::int32_t, 4> cubes;
};

/// As extractSurface makes it: axis 0, 1, 2 is x, z, y, `lower` the edge's lower sample.
CubeQuad quadAround(const FieldView& field, std::int32_t lower, std::size_t axis) {
    const auto [sx, sz, sy] = stepsOf(field);
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

Vec3f normalOf(Vec3f a, Vec3f b, Vec3f c) {
    const Vec3f n = cross(b - a, c - a);
    const float square = dot(n, n);
    return square > 0 ? n * (1 / std::sqrt(square)) : n;
}

/// In the place of an edge: both sides of the face, or all four, are known to each other.
constexpr std::uint32_t kMet = ~std::uint32_t{0}, kTouching = kMet - 1;

}  // namespace

EdgeMarker::EdgeMarker(double activeAngle) : m_activeCosine(static_cast<float>(std::cos(activeAngle))) {}

std::span<const QuadEdges> EdgeMarker::mark(const FieldView& field, const RawSurface& surface) {
    m_marks.assign(surface.quads.size(), {});
    measureNormals(surface);
    markDiagonals(surface);
    markFaces(field, surface);
    markBorders(field, surface);
    return m_marks;
}

void EdgeMarker::measureNormals(const RawSurface& surface) {
    m_normals.resize(surface.quads.size());
    for (std::size_t i = 0; i < surface.quads.size(); ++i) {
        const auto& v = surface.quads[i].vertices;
        const Vec3f a = surface.positions[v[0]], c = surface.positions[v[2]];
        m_normals[i] = {normalOf(a, surface.positions[v[1]], c), normalOf(a, c, surface.positions[v[3]])};
    }
}

inline EdgeMarker::Side EdgeMarker::sideOf(const RawSurface& surface, std::uint32_t edge) const {
    const std::uint32_t quad = edge >> 2, k = edge & 3;
    const auto& v = surface.quads[quad].vertices;
    // Edges 0 and 1 are of the triangle 0 1 2, edges 2 and 3 of 0 2 3.
    constexpr std::array<std::size_t, 4> kOpposite{2, 0, 0, 2};
    return {m_normals[quad][k >> 1], surface.positions[v[kOpposite[k]]]};
}

inline bool EdgeMarker::active(const Side& own, Vec3f onEdge, const Side& other) const {
    return dot(own.normal, other.normal) < m_activeCosine && dot(own.normal, other.opposite - onEdge) < 0;
}

inline void EdgeMarker::set(std::uint32_t edge) {
    QuadEdges& marks = m_marks[edge >> 2];
    constexpr std::array<std::uint8_t, 4> kFirst{1, 2, 0, 0}, kSecond{0, 0, 2, 4};
    marks.first |= kFirst[edge & 3];
    marks.second |= kSecond[edge & 3];
}

void EdgeMarker::markDiagonals(const RawSurface& surface) {
    for (std::size_t i = 0; i < surface.quads.size(); ++i) {
        const auto& v = surface.quads[i].vertices;
        const Side first{m_normals[i][0], surface.positions[v[1]]},
            second{m_normals[i][1], surface.positions[v[3]]};
        if (active(first, surface.positions[v[0]], second)) {
            m_marks[i].first |= 4;
            m_marks[i].second |= 1;
        }
    }
}

void EdgeMarker::markFaces(const FieldView& field, const RawSurface& surface) {
    m_borders.clear();
    m_cubes.clear();
    m_faces.assign(surface.positions.size() * 3, 0);
    const std::array<std::int32_t, 3> steps = stepsOf(field);
    const auto solid = [&](std::int32_t at) { return (field.samples[at] & 128) != 0; };
    // Four quads meet at such a face, two sheets touching: each of their edges counts as one to catch on.
    const auto touching = [&](std::int32_t cube, std::size_t axis) {
        const std::int32_t corner = cube + steps[axis], b = steps[(axis + 1) % 3], c = steps[(axis + 2) % 3];
        return solid(corner) == solid(corner + b + c) && solid(corner + b) == solid(corner + c) &&
               solid(corner) != solid(corner + b);
    };
    for (std::size_t i = 0; i < surface.quads.size(); ++i) {
        const auto& v = surface.quads[i].vertices;
        for (std::uint32_t k = 0; k < 4; ++k) {
            // Vertices are numbered with their cubes: the lower one is the one the face is kept at.
            const std::uint32_t a = v[k], b = v[(k + 1) & 3];
            const std::uint32_t from = std::min(a, b), to = std::max(a, b);
            const std::int32_t cube = surface.cubes[from], step = surface.cubes[to] - cube;
            const std::size_t axis = step == 1 ? 0 : step == steps[1] ? 1 : 2;
            const auto edge = static_cast<std::uint32_t>(i * 4 + k);
            std::uint32_t& face = m_faces[from * 3 + axis];
            if (face == 0) {
                face = edge + 1;
            } else if (face == kTouching) {
                set(edge);
            } else if (touching(cube, axis)) {
                set(edge);
                set(face - 1);
                face = kTouching;
            } else {
                if (active(sideOf(surface, edge), surface.positions[a], sideOf(surface, face - 1))) {
                    set(edge);
                    set(face - 1);
                }
                face = kMet;
            }
        }
    }
    for (std::size_t i = 0; i < m_faces.size(); ++i) {
        if (m_faces[i] == 0 || m_faces[i] >= kTouching) continue;
        const std::int32_t cube = surface.cubes[i / 3];
        if (touching(cube, i % 3)) {
            set(m_faces[i] - 1);
        } else {
            addBorder(field, m_faces[i] - 1, cube, i % 3);
        }
    }
}

/// Makes the neighbour's quad at the face between `cube` and the next one along `axis`.
void EdgeMarker::addBorder(const FieldView& field, std::uint32_t edge, std::int32_t cube, std::size_t axis) {
    const std::array<std::int32_t, 3> steps = stepsOf(field);
    const std::int32_t next = cube + steps[axis];
    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
    const auto crosses = [&](std::int32_t lower, std::size_t along) {
        return (field.samples[lower] >= 128) != (field.samples[lower + steps[along]] >= 128);
    };
    const auto owned = [&](std::int32_t sample) {
        const std::int32_t s = field.stride(), p = field.padding, n = field.size;
        const std::int32_t x = sample % s - p, z = sample / s % s - p, y = sample / (s * s) - p;
        return x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n;
    };
    const std::array<std::pair<std::int32_t, std::size_t>, 4> edges{
        std::pair{next, b}, std::pair{next + steps[c], b}, std::pair{next, c}, std::pair{next + steps[b], c}};
    for (const auto& [lower, along] : edges) {
        if (!crosses(lower, along) || owned(lower)) continue;
        const CubeQuad quad = quadAround(field, lower, along);
        for (std::uint32_t k = 0; k < 4; ++k) {
            const std::int32_t from = quad.cubes[k], to = quad.cubes[(k + 1) & 3];
            if (std::min(from, to) != cube || std::max(from, to) != next) continue;
            m_borders.push_back({edge, k});
            for (const std::int32_t each : quad.cubes)
                m_cubes.push_back(static_cast<std::uint16_t>(each));
            return;
        }
    }
}

void EdgeMarker::markBorders(const FieldView& field, const RawSurface& surface) {
    if (m_borders.empty()) return;
    const std::size_t count = m_cubes.size();
    while (m_cubes.size() % 8 != 0)
        m_cubes.push_back(m_cubes.back());
    m_positions.resize(m_cubes.size());
    m_gradients.resize(m_cubes.size());
    computeCubeVertices(widestLanes(), field, NormalMethod::CubeGradient, false, m_cubes.data(), nullptr,
                        count, m_positions.data(), m_gradients.data());
    for (std::size_t i = 0; i < m_borders.size(); ++i) {
        const Border& border = m_borders[i];
        const Vec3f* p = &m_positions[i * 4];
        const bool first = border.side < 2;
        const Side other{first ? normalOf(p[0], p[1], p[2]) : normalOf(p[0], p[2], p[3]),
                         p[border.side == 0 || border.side == 3 ? 2 : 0]};
        const Vec3f onEdge = surface.positions[surface.quads[border.edge >> 2].vertices[border.edge & 3]];
        if (active(sideOf(surface, border.edge), onEdge, other)) set(border.edge);
    }
}

}  // namespace karst::voxel_mesh
