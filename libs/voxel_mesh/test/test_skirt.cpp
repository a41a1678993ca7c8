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

float depthOf(int level) {
    return std::min(SkirtOptions{}.depth * static_cast<float>(2 << level), kMaxSkirtCells);
}

TEST(Skirt, V19_HangsOnEveryOpenEdgeBelowTheSurfaceAndFacesOutwards) {
    const voxel::GridSnapshot grid = hills();
    ChunkMesher mesher;
    for (int level = 0; level < kMeshLevels; ++level) {
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
        const float lean = SkirtOptions{}.lean;
        int found = 0;
        for (std::size_t i = before; i < mesh.indices.size(); i += 6) {
            const SurfaceVertex &b = mesh.vertices[mesh.indices[i]], &a = mesh.vertices[mesh.indices[i + 1]];
            const SurfaceVertex &belowA = mesh.vertices[mesh.indices[i + 2]],
                                &belowB = mesh.vertices[mesh.indices[i + 5]];
            EXPECT_LT(mesh.indices[i], bare.vertices.size());
            EXPECT_GE(mesh.indices[i + 2], bare.vertices.size());
            for (const auto& [edge, below] : {std::pair{&a, &belowA}, {&b, &belowB}}) {
                const Vec3f down = below->position - edge->position;
                EXPECT_NEAR(length(down), depthOf(level), 1e-4f);
                // Its lean lies in the triangle's plane, which the vertex's normal is not quite upright on.
                EXPECT_GT(dot(down, edge->normal) / -length(down), 0.75f / std::sqrt(1 + lean * lean));
                EXPECT_GE(std::min({below->position.x, below->position.y, below->position.z}), -16.0f);
                EXPECT_EQ(below->materials, edge->materials);
                EXPECT_EQ(below->weights, edge->weights);
                EXPECT_EQ(below->normal, edge->normal);
            }
            EXPECT_EQ(mesh.vertices[mesh.indices[i + 2]].materials, b.materials) << "one set a triangle";
            // Away from the triangle that the edge is of, and leaning away from it.
            const Vec3f n = cross(a.position - b.position, belowA.position - b.position);
            for (std::size_t t = 0; t < before; ++t) {
                const std::size_t next = t % 3 == 2 ? t - 2 : t + 1, third = t % 3 == 0 ? t + 2 : t - 1;
                if (bare.indices[t] != mesh.indices[i + 1] || bare.indices[next] != mesh.indices[i]) continue;
                const Vec3f c = bare.vertices[bare.indices[third]].position;
                EXPECT_LT(dot(n, c - b.position), 0);
                ++found;
            }
        }
        EXPECT_EQ(found, open.open);
    }
}

TEST(Skirt, V19_LeansOutUnderTheNeighbour) {
    // A level plate: skirts lean out by a quarter of their depth, at corners of it both ways.
    SurfaceMesh plate;
    plate.level = 1;
    for (const auto& [x, z] : {std::pair{0.0f, 0.0f}, {32.0f, 0.0f}, {32.0f, 32.0f}, {0.0f, 32.0f}})
        plate.vertices.push_back({{x, 20, z}, {0, 1, 0}, {kRock, kRock, kRock, kRock}, {255, 0, 0, 0}});
    plate.indices = {0, 3, 2, 0, 2, 1};
    EXPECT_EQ(appendSkirt(plate), 6u);
    ASSERT_EQ(plate.vertices.size(), 8u);
    const float down = depthOf(1) / std::sqrt(1 + 0.25f * 0.25f), out = 0.25f * down * std::sqrt(0.5f);
    for (std::size_t i = 4; i < 8; ++i) {
        const Vec3f at = plate.vertices[i].position;
        EXPECT_NEAR(at.y, 20 - down, 1e-4f);
        EXPECT_NEAR(std::abs(at.x - 16), 16 + out, 1e-4f);
        EXPECT_NEAR(std::abs(at.z - 16), 16 + out, 1e-4f);
    }
}

// A floor of two cells, and a wall of three, across a chunk's borders.
TEST(Skirt, V19_StaysWithinThinSolids) {
    voxel::Grid grid = makeGrid();
    fill(grid, {{-40, 8, -40}, {72, 10, 72}}, [](voxel::CellCoord) { return voxel::Cell{kRock, 255}; });
    fill(grid, {{12, 12, -40}, {15, 72, 72}}, [](voxel::CellCoord) { return voxel::Cell{kRock, 255}; });
    SurfaceMesh mesh;
    ChunkMesher().build(grid.snapshot(), {0, 0, 0}, 0, mesh);
    const std::size_t surface = mesh.vertices.size();
    appendSkirt(mesh);
    ASSERT_GT(mesh.vertices.size(), surface + 200);
    for (std::size_t i = surface; i < mesh.vertices.size(); ++i) {
        const Vec3f p = mesh.vertices[i].position;
        const bool inFloor = p.y > 8 && p.y<10, inWall = p.x> 12 && p.x < 15;
        EXPECT_TRUE(inFloor || inWall) << p.x << " " << p.y << " " << p.z;
    }
}

TEST(Skirt, V19_CollisionAndWhatAsksForNoneHaveNone) {
    const voxel::GridSnapshot grid = hills();
    SurfaceMesh mesh;
    ChunkMesher().build(grid, {0, 0, 0}, 0, mesh);
    const std::size_t indices = mesh.indices.size(), vertices = mesh.vertices.size();
    SkirtOptions coarse;
    coarse.finest = false;
    EXPECT_EQ(appendSkirt(mesh, coarse), indices);
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
