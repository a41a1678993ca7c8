#include <karst/voxel_mesh/skirt.h>

#include <karst/base/hash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace karst::voxel_mesh {
namespace {

/// Numbers for places: a vertex that stands twice, with other materials, has one.
std::vector<std::uint32_t> placesOf(const std::vector<SurfaceVertex>& vertices) {
    std::size_t size = 16;
    while (size < vertices.size() * 2)
        size *= 2;
    std::vector<std::uint32_t> table(size, ~std::uint32_t{0}), places(vertices.size());
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
        const Vec3f p = vertices[i].position;
        std::uint64_t key = bitCast<std::uint32_t>(p.x) | std::uint64_t{bitCast<std::uint32_t>(p.y)} << 32;
        key = mix64(key) ^ bitCast<std::uint32_t>(p.z);
        std::size_t slot = static_cast<std::size_t>(mix64(key)) & (size - 1);
        while (table[slot] != ~std::uint32_t{0} && !(vertices[table[slot]].position == p))
            slot = (slot + 1) & (size - 1);
        if (table[slot] == ~std::uint32_t{0}) table[slot] = i;
        places[i] = table[slot];
    }
    return places;
}

/// An edge of a triangle, told by the numbers of its places without its sense.
struct Edge {
    std::uint64_t key;
    std::uint32_t from, to;  ///< vertices, in the triangle's sense
};

}  // namespace

std::size_t appendSkirt(SurfaceMesh& mesh, const SkirtOptions& options) {
    const std::size_t before = mesh.indices.size();
    if (mesh.level == 0 || before == 0) return before;
    const std::vector<std::uint32_t> places = placesOf(mesh.vertices);
    std::vector<Edge> edges;
    edges.reserve(before);
    for (std::size_t i = 0; i < before; i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t from = mesh.indices[i + k], to = mesh.indices[i + (k + 1) % 3];
            const std::uint64_t a = places[from], b = places[to];
            edges.push_back({std::min(a, b) << 32 | std::max(a, b), from, to});
        }
    }
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.key < b.key; });
    std::vector<std::uint32_t> lowered(mesh.vertices.size(), ~std::uint32_t{0});
    const float depth = options.depth * static_cast<float>(1 << mesh.level);
    const auto lower = [&](std::uint32_t vertex) {
        if (lowered[vertex] == ~std::uint32_t{0}) {
            lowered[vertex] = static_cast<std::uint32_t>(mesh.vertices.size());
            SurfaceVertex below = mesh.vertices[vertex];
            below.position = below.position - below.normal * depth;
            mesh.vertices.push_back(below);
        }
        return lowered[vertex];
    };
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i + 1;
        while (end < edges.size() && edges[end].key == edges[i].key)
            ++end;
        if (end - i == 1) {
            const std::uint32_t a = edges[i].from, b = edges[i].to, belowA = lower(a), belowB = lower(b);
            // The triangle runs from a to b, so the strip runs from b to a.
            for (const std::uint32_t index : {b, a, belowA, b, belowA, belowB})
                mesh.indices.push_back(index);
        }
        i = end;
    }
    return before;
}

}  // namespace karst::voxel_mesh
