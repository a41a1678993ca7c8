#pragma once

// Collision surfaces of many chunks taken as one, in cells of the grid.

#include <karst/voxel_mesh/collision_cache.h>

#include <map>
#include <tuple>
#include <vector>

#include "surface_checks.h"

namespace karst::voxel_mesh {

using Place = std::tuple<double, double, double>;

struct WorldTriangle {
    std::array<Vec3d, 3> points;
    std::uint8_t activeEdges;
    voxel::ChunkCoord chunk;
    Place place(std::size_t i) const { return {points[i % 3].x, points[i % 3].y, points[i % 3].z}; }
    Vec3d normal() const { return cross(points[1] - points[0], points[2] - points[0]); }
};

inline std::vector<WorldTriangle> collisionTriangles(const voxel::GridSnapshot& grid,
                                                     const CollisionOptions& options = {}) {
    std::vector<WorldTriangle> out;
    CollisionBuilder builder(options);
    for (const voxel::ChunkCoord chunk : meshCandidates(grid)) {
        const CollisionSurfacePtr surface = builder.build(grid, chunk);
        if (surface == nullptr) continue;
        const voxel::CellCoord first = voxel::firstCell(chunk);
        for (const CollisionTriangle& triangle : surface->triangles()) {
            WorldTriangle world{{}, triangle.activeEdges, chunk};
            for (std::size_t i = 0; i < 3; ++i) {
                const Vec3f p = surface->vertices()[triangle.vertices[i]];
                world.points[i] = Vec3d{double{p.x} + first.x, double{p.y} + first.y, double{p.z} + first.z};
            }
            out.push_back(world);
        }
    }
    return out;
}

/// Directed edges: the triangle and which of its edges. Several where sheets touch.
using EdgeMap = std::map<std::pair<Place, Place>, std::vector<std::pair<const WorldTriangle*, std::size_t>>>;

inline EdgeMap edgesOf(const std::vector<WorldTriangle>& triangles) {
    EdgeMap edges;
    for (const WorldTriangle& triangle : triangles) {
        for (std::size_t i = 0; i < 3; ++i)
            edges[{triangle.place(i), triangle.place(i + 1)}].push_back({&triangle, i});
    }
    return edges;
}

/// Hills with flats, terraces, caves and floating blocks, over chunks from -1 to 0.
inline voxel::Grid collisionWorld(test::Random& random) {
    voxel::Grid grid = makeGrid();
    const double a = random.range(0.05, 0.3), b = random.range(0.05, 0.3), size = random.range(2, 10);
    const int step = random.integer(0, 3) * 4, caves = random.integer(0, 1);
    const int low = random.integer(-30, 20);
    const bool terraces = random.chance(0.5);
    fill(grid, {{-32, -32, -32}, {32, 32, 32}}, [&](voxel::CellCoord c) {
        double height = size * std::sin(c.x * a) * std::cos(c.z * b) + low * 0.2;
        if (step > 0) height = std::round(height / step) * step;
        if (terraces && c.x > 10) height = 3.25;
        double fraction = std::clamp(height - c.y + 0.5, 0.0, 1.0);
        if (caves > 0 && std::sin(c.x * 0.4) + std::sin(c.y * 0.5) + std::sin(c.z * 0.45) > 1.3) fraction = 0;
        return voxel::Cell{kRock, static_cast<std::uint8_t>(std::lround(255 * fraction))};
    });
    return grid;
}

}  // namespace karst::voxel_mesh
