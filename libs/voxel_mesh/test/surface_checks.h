#pragma once

// Grids made of a function, and surfaces of many chunks taken as one mesh.

#include <karst/base/hash.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace karst::voxel_mesh {

inline constexpr voxel::MaterialId kWater = 1, kGround = 3, kRock = 4, kSnow = 6;

inline voxel::Grid makeGrid() {
    return std::move(voxel::Grid::create({})).value();
}

/// `cellOf(CellCoord)` for each cell of a box.
template <class CellOf>
void fill(voxel::Grid& grid, const voxel::CellBox& box, CellOf cellOf) {
    const auto done = grid.edit(box, [&](const voxel::EditBlock& block) {
        for (int y = block.box.min.y; y < block.box.max.y; ++y) {
            for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                for (int x = block.box.min.x; x < block.box.max.x; ++x)
                    block.at({x, y, z}) = cellOf(voxel::CellCoord{x, y, z});
            }
        }
    });
    KARST_ASSERT(done.ok());
}

/// Any material of the standard table, any occupancy.
inline voxel::Cell randomCell(test::Random& random) {
    return {static_cast<voxel::MaterialId>(random.integer(0, 13)),
            static_cast<std::uint8_t>(random.integer(0, 255))};
}

/// A corner of a triangle in cells of the grid, with all that the vertex carries.
struct Corner {
    Vec3d position;
    Vec3f normal;
    std::uint64_t blend = 0;  ///< materials and weights

    auto key() const {
        return std::tuple(position.x, position.y, position.z, normal.x, normal.y, normal.z, blend);
    }
    bool operator<(const Corner& other) const { return key() < other.key(); }
    bool operator==(const Corner& other) const { return key() == other.key(); }
};
using Triangle = std::array<Corner, 3>;

/// The triangles of one chunk's mesh, moved by `shift` cells, each beginning at its least corner.
inline void appendTriangles(std::vector<Triangle>& out, const SurfaceMesh& mesh, voxel::ChunkCoord chunk,
                            voxel::CellCoord shift = {}) {
    const voxel::CellCoord first = voxel::firstCell(chunk);
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        Triangle triangle;
        for (std::size_t k = 0; k < 3; ++k) {
            const SurfaceVertex& v = mesh.vertices[mesh.indices[i + k]];
            triangle[k].position = {double{v.position.x} + first.x + shift.x,
                                    double{v.position.y} + first.y + shift.y,
                                    double{v.position.z} + first.z + shift.z};
            triangle[k].normal = v.normal;
            for (std::size_t m = 0; m < 4; ++m)
                triangle[k].blend =
                    triangle[k].blend << 16 | std::uint64_t{v.materials[m]} << 8 | v.weights[m];
        }
        std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
        out.push_back(triangle);
    }
}

/// Of all candidates of a grid, sorted.
inline std::vector<Triangle> allTriangles(const voxel::GridSnapshot& grid, int level,
                                          const SurfaceOptions& options = {}, voxel::CellCoord shift = {}) {
    const std::vector<voxel::ChunkCoord> chunks = meshCandidates(grid);
    const std::vector<SurfaceMesh> meshes = buildSurfaces(grid, chunks, level, inlineJobSystem(), options);
    std::vector<Triangle> out;
    for (std::size_t i = 0; i < chunks.size(); ++i)
        appendTriangles(out, meshes[i], chunks[i], shift);
    std::sort(out.begin(), out.end());
    return out;
}

struct EdgeCount {
    int open = 0;         ///< edges with more triangles on one side than on the other
    int nonManifold = 0;  ///< edges of more than two triangles
    int degenerate = 0;   ///< triangles without an area
};

/// Vertices are the same where all bits of their positions are.
inline EdgeCount countEdges(const std::vector<Triangle>& triangles) {
    using Point = std::tuple<double, double, double>;
    std::vector<std::tuple<Point, Point, bool>> edges;  // the last says which way round
    EdgeCount count;
    for (const Triangle& triangle : triangles) {
        const Vec3d normal =
            cross(triangle[1].position - triangle[0].position, triangle[2].position - triangle[0].position);
        if (!(length(normal) > 0)) ++count.degenerate;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d a = triangle[k].position, b = triangle[(k + 1) % 3].position;
            const Point from{a.x, a.y, a.z}, to{b.x, b.y, b.z};
            edges.emplace_back(std::min(from, to), std::max(from, to), from < to);
        }
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
        const auto& [from, to, first] = edges[i];
        int sides[2] = {0, 0};
        for (; i < edges.size() && std::get<0>(edges[i]) == from && std::get<1>(edges[i]) == to; ++i)
            ++sides[std::get<2>(edges[i]) ? 1 : 0];
        if (sides[0] != sides[1]) ++count.open;
        if (sides[0] + sides[1] > 2) ++count.nonManifold;
    }
    return count;
}

inline double signedVolume(const std::vector<Triangle>& triangles) {
    double sum = 0;
    for (const Triangle& t : triangles)
        sum += dot(t[0].position, cross(t[1].position, t[2].position));
    return sum / 6;
}

/// A ball whose occupancy falls from full to none over four cells around its surface, so that linear
/// crossings lie close to it.
inline voxel::Cell softBall(voxel::CellCoord c, Vec3d center, double radius, double softness = 2) {
    const double distance = length(Vec3d{c.x + 0.5, c.y + 0.5, c.z + 0.5} - center) - radius;
    const double value = std::clamp(127.5 - distance * (127.5 / softness), 0.0, 255.0);
    return {kRock, static_cast<std::uint8_t>(value + 0.5)};
}

}  // namespace karst::voxel_mesh
