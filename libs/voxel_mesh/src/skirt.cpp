#include <karst/voxel_mesh/skirt.h>

#include <karst/base/hash.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace karst::voxel_mesh {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A bit for each side of the chunk in whose outermost samples a vertex lies: a mesh can only be open between
/// two vertices of one side.
std::vector<std::uint8_t> sidesOf(const SurfaceMesh& mesh) {
    const float half = 0.5f * static_cast<float>(1 << mesh.level), low = half,
                high = static_cast<float>(voxel::kChunkSize) - half;
    std::vector<std::uint8_t> sides;
    sides.reserve(mesh.vertices.size());
    for (const SurfaceVertex& v : mesh.vertices) {
        const Vec3f p = v.position;
        const int bits = (p.x <= low ? 1 : 0) | (p.x >= high ? 2 : 0) | (p.y <= low ? 4 : 0) |
                         (p.y >= high ? 8 : 0) | (p.z <= low ? 16 : 0) | (p.z >= high ? 32 : 0);
        sides.push_back(static_cast<std::uint8_t>(bits));
    }
    return sides;
}

/// Numbers for places on the chunk's sides: a vertex that stands twice, with other materials, has one.
std::vector<std::uint32_t> placesOf(const SurfaceMesh& mesh, const std::vector<std::uint8_t>& sides) {
    const auto count = static_cast<std::size_t>(
        std::count_if(sides.begin(), sides.end(), [](std::uint8_t s) { return s != 0; }));
    std::size_t size = 16;
    while (size < count * 2)
        size *= 2;
    std::vector<std::uint32_t> table(size, kNone), places(mesh.vertices.size(), kNone);
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
        if (sides[i] == 0) continue;
        const Vec3f p = mesh.vertices[i].position;
        std::uint64_t key = bitCast<std::uint32_t>(p.x) | std::uint64_t{bitCast<std::uint32_t>(p.y)} << 32;
        key = mix64(key) ^ bitCast<std::uint32_t>(p.z);
        std::size_t slot = static_cast<std::size_t>(mix64(key)) & (size - 1);
        while (table[slot] != kNone && !(mesh.vertices[table[slot]].position == p))
            slot = (slot + 1) & (size - 1);
        if (table[slot] == kNone) table[slot] = i;
        places[i] = table[slot];
    }
    return places;
}

/// An edge of a triangle, told by the numbers of its places without its sense.
struct Edge {
    std::uint64_t key;
    std::uint32_t from, to, third;  ///< vertices, in the triangle's sense
};

/// The edges that only one triangle has.
std::vector<Edge> openEdges(const SurfaceMesh& mesh, const std::vector<std::uint8_t>& sides,
                            const std::vector<std::uint32_t>& places) {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t from = mesh.indices[i + k], to = mesh.indices[i + (k + 1) % 3];
            if ((sides[from] & sides[to]) == 0) continue;
            const std::uint64_t a = places[from], b = places[to];
            edges.push_back({std::min(a, b) << 32 | std::max(a, b), from, to, mesh.indices[i + (k + 2) % 3]});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.key < b.key; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i + 1;
        while (end < edges.size() && edges[end].key == edges[i].key)
            ++end;
        if (end - i == 1) edges[kept++] = edges[i];
        i = end;
    }
    edges.resize(kept);
    return edges;
}

/// A place on an open edge.
struct BorderPlace {
    Vec3f position, normal;
    Vec3f out;  ///< away from the surface, along it: the sum over its edges
    float depth = 0;
};

// Two skirts of a thin solid end before they meet, or they would stick out of its other side. Opposite sides
// are those whose normals point most along one axis, to either end of it.
void limitByThickness(std::vector<BorderPlace>& border) {
    constexpr float Vec3f::*kAxes[3] = {&Vec3f::x, &Vec3f::y, &Vec3f::z};
    std::vector<std::uint32_t> sides[6];
    for (std::uint32_t i = 0; i < border.size(); ++i) {
        const Vec3f n = border[i].normal, size{std::abs(n.x), std::abs(n.y), std::abs(n.z)};
        const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        sides[axis * 2 + (n.*kAxes[axis] < 0 ? 1 : 0)].push_back(i);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const std::uint32_t i : sides[axis * 2]) {
            BorderPlace& top = border[i];
            for (const std::uint32_t k : sides[axis * 2 + 1]) {
                BorderPlace& bottom = border[k];
                const Vec3f across = top.position - bottom.position;
                const float reach = top.depth + bottom.depth, squared = dot(across, across);
                if (across.*kAxes[axis] <= 0 || squared >= reach * reach) continue;
                const float thick = std::sqrt(squared);
                if (dot(across, top.normal) < 0.7f * thick || dot(across, bottom.normal) > -0.7f * thick)
                    continue;
                top.depth = std::min(top.depth, 0.45f * thick);
                bottom.depth = std::min(bottom.depth, 0.45f * thick);
            }
        }
    }
}

}  // namespace

std::size_t appendSkirt(SurfaceMesh& mesh, const SkirtOptions& options) {
    const std::size_t before = mesh.indices.size();
    if (before == 0 || (mesh.level == 0 && !options.finest)) return before;
    const std::vector<std::uint8_t> sides = sidesOf(mesh);
    const std::vector<std::uint32_t> places = placesOf(mesh, sides);
    const std::vector<Edge> edges = openEdges(mesh, sides, places);

    // The neighbour may be one level coarser; levels that stand side by side rarely differ by more.
    const float cells = options.depth * static_cast<float>(2 << mesh.level);
    std::vector<std::uint32_t> borderOf(mesh.vertices.size(), kNone);
    std::vector<BorderPlace> border;
    for (const Edge& edge : edges) {
        const Vec3f a = mesh.vertices[edge.from].position, b = mesh.vertices[edge.to].position,
                    c = mesh.vertices[edge.third].position;
        const Vec3f away = cross(b - a, cross(b - a, c - a));
        const float size = length(away);
        for (const std::uint32_t vertex : {edge.from, edge.to}) {
            std::uint32_t& at = borderOf[places[vertex]];
            if (at == kNone) {
                at = static_cast<std::uint32_t>(border.size());
                const SurfaceVertex& v = mesh.vertices[vertex];
                border.push_back({v.position, v.normal, {}, std::min(cells, kMaxSkirtCells)});
            }
            if (size > 0) border[at].out = border[at].out + away * (1 / size);
        }
    }
    limitByThickness(border);

    std::vector<std::uint32_t> lowered(mesh.vertices.size(), kNone);
    const auto lower = [&](std::uint32_t vertex) {
        if (lowered[vertex] == kNone) {
            lowered[vertex] = static_cast<std::uint32_t>(mesh.vertices.size());
            const BorderPlace& at = border[borderOf[places[vertex]]];
            const float out = length(at.out);
            const Vec3f lean = out > 0 ? at.out * (options.lean / out) : Vec3f{};
            SurfaceVertex below = mesh.vertices[vertex];
            below.position = below.position + normalized(lean - at.normal) * at.depth;
            mesh.vertices.push_back(below);
        }
        return lowered[vertex];
    };
    mesh.vertices.reserve(mesh.vertices.size() + edges.size() * 2);
    mesh.indices.reserve(before + edges.size() * 6);
    for (const Edge& edge : edges) {
        const std::uint32_t a = edge.from, b = edge.to, belowA = lower(a), belowB = lower(b);
        // The triangle runs from a to b, so the strip runs from b to a.
        for (const std::uint32_t index : {b, a, belowA, b, belowA, belowB})
            mesh.indices.push_back(index);
    }
    return before;
}

}  // namespace karst::voxel_mesh
