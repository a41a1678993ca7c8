#include <gtest/gtest.h>
#include <karst/voxel_mesh/collision_builder.h>
#include <karst/voxel_mesh/skirt.h>

#include "surface_checks.h"

namespace karst::voxel_mesh {
namespace {

voxel::GridSnapshot hills() {
    voxel::Grid grid = makeGrid();
    fill(grid, {{-32, -32, -32}, {64, 32, 64}}, [](voxel::CellCoord c) {
        const double height = 6 * std::sin(c.x * 0.13) * std::cos(c.z * 0.11) + 0.1 * c.x;
        const double fraction = std::clamp(height - c.y + 0.5, 0.0, 1.0);
        return voxel::Cell{c.x > 20 ? kSnow : kRock, static_cast<std::uint8_t>(std::lround(255 * fraction))};
    });
    return grid.snapshot();
}

TEST(Skirt, V19_HangsOnEveryOpenEdgeBelowTheSurfaceAndFacesOutwards) {
    const voxel::GridSnapshot grid = hills();
    ChunkMesher mesher;
    for (int level = 1; level < kMeshLevels; ++level) {
        SurfaceMesh mesh;
        mesher.build(grid, {0, 0, 0}, level, mesh);
        ASSERT_FALSE(mesh.empty());
        const SurfaceMesh bare = mesh;
        const std::size_t before = appendSkirt(mesh);
        ASSERT_EQ(before, bare.indices.size());
        EXPECT_TRUE(std::equal(bare.indices.begin(), bare.indices.end(), mesh.indices.begin()));
        EXPECT_TRUE(std::equal(bare.vertices.begin(), bare.vertices.end(), mesh.vertices.begin()))
            << "the picking copy stays in place";
        std::vector<Triangle> triangles;
        appendTriangles(triangles, bare, {0, 0, 0});
        const EdgeCount open = countEdges(triangles);
        ASSERT_GT(open.open, 4);
        EXPECT_EQ(mesh.indices.size() - before, static_cast<std::size_t>(open.open) * 6)
            << "two triangles an open edge";
        const float depth = SkirtOptions{}.depth * static_cast<float>(1 << level);
        for (std::size_t i = before; i < mesh.indices.size(); i += 6) {
            const SurfaceVertex &b = mesh.vertices[mesh.indices[i]], &a = mesh.vertices[mesh.indices[i + 1]];
            const SurfaceVertex &belowA = mesh.vertices[mesh.indices[i + 2]],
                                &belowB = mesh.vertices[mesh.indices[i + 5]];
            EXPECT_LT(mesh.indices[i], bare.vertices.size());
            EXPECT_GE(mesh.indices[i + 2], bare.vertices.size());
            EXPECT_EQ(belowA.position, a.position - a.normal * depth);
            EXPECT_EQ(belowB.position, b.position - b.normal * depth);
            EXPECT_EQ(belowA.materials, a.materials);
            EXPECT_EQ(belowA.weights, a.weights);
            EXPECT_EQ(belowA.normal, a.normal);
            EXPECT_EQ(mesh.vertices[mesh.indices[i + 2]].materials, b.materials) << "one set a triangle";
            // Away from the triangle that the edge is of.
            const Vec3f n = cross(a.position - b.position, belowA.position - b.position);
            for (std::size_t t = 0; t < before; ++t) {
                const std::size_t next = t % 3 == 2 ? t - 2 : t + 1, third = t % 3 == 0 ? t + 2 : t - 1;
                if (bare.indices[t] != mesh.indices[i + 1] || bare.indices[next] != mesh.indices[i]) continue;
                EXPECT_LT(dot(n, bare.vertices[bare.indices[third]].position - b.position), 0);
            }
        }
    }
}

TEST(Skirt, V19_FullDetailAndCollisionHaveNone) {
    const voxel::GridSnapshot grid = hills();
    SurfaceMesh mesh;
    ChunkMesher().build(grid, {0, 0, 0}, 0, mesh);
    const std::size_t indices = mesh.indices.size(), vertices = mesh.vertices.size();
    EXPECT_EQ(appendSkirt(mesh), indices);
    EXPECT_EQ(mesh.indices.size(), indices);
    EXPECT_EQ(mesh.vertices.size(), vertices);
    CollisionOptions options;
    options.reduceFlats = false;
    EXPECT_EQ(CollisionBuilder(options).build(grid, {0, 0, 0})->triangles().size() * 3, indices);
    SurfaceMesh empty;
    empty.level = 2;
    EXPECT_EQ(appendSkirt(empty), 0u);
}

}  // namespace
}  // namespace karst::voxel_mesh
