#include <gtest/gtest.h>
#include <karst/voxel_mesh/surface_vertex_writer.h>

#include <cmath>
#include <map>
#include <vector>

namespace karst::voxel_mesh {
namespace {

TEST(SurfaceNets, V12_SphereIsClosedAndOutward) {
    std::vector<std::uint8_t> samples(36 * 36 * 36), materials(36 * 36 * 36, 4);
    FieldView field{samples.data(), materials.data(), 32, 2};
    const Vec3d centre{15.3, 15.9, 16.1};
    for (int y = -2; y < 34; ++y) {
        for (int z = -2; z < 34; ++z) {
            for (int x = -2; x < 34; ++x) {
                const double d = length(Vec3d{double(x), double(y), double(z)} - centre) - 12.2;
                samples[field.fieldIndex(x, y, z)] =
                    static_cast<std::uint8_t>(std::lround(255 * std::fmin(1, std::fmax(0, 0.5 - 0.5 * d))));
            }
        }
    }
    SurfaceNetsWorkspace workspace;
    auto raw = extractSurface(field, {}, workspace.buffers());
    ASSERT_TRUE(raw.ok());
    SurfaceVertexWriter writer;
    SurfaceMesh mesh;
    ASSERT_TRUE(writer.writeMesh(field, *raw, 0, mesh).ok());
    ASSERT_GT(mesh.indices.size(), 3000u);
    EXPECT_EQ(mesh.vertices.size(), raw->positions.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Vec3d a = toDouble(mesh.vertices[mesh.indices[i]].position),
                    b = toDouble(mesh.vertices[mesh.indices[i + 1]].position),
                    c = toDouble(mesh.vertices[mesh.indices[i + 2]].position);
        const Vec3d out = (a + b + c) * (1.0 / 3) - (centre + Vec3d{0.5, 0.5, 0.5});
        EXPECT_GT(dot(cross(b - a, c - a), out), 0);
        for (int k = 0; k < 3; ++k)
            ++edges[{mesh.indices[i + k], mesh.indices[i + (k + 1) % 3]}];
    }
    for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
    }
    for (const SurfaceVertex& vertex : mesh.vertices) {
        const Vec3d out = toDouble(vertex.position) - (centre + Vec3d{0.5, 0.5, 0.5});
        EXPECT_NEAR(length(out), 12.2, 0.1);
        EXPECT_NEAR(length(vertex.normal), 1, 1e-6);
        EXPECT_GT(dot(toDouble(vertex.normal), normalized(out)), 0.97);
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
