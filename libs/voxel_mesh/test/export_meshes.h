#pragma once

#include <karst/voxel_mesh/surface_export.h>
#include <karst_test/test_support.h>

#include <cmath>
#include <vector>

namespace karst::voxel_mesh::test {

/// A square net of vertices with bumps, all of one set of three materials by random weights.
inline SurfaceMesh bumpyNet(int side, std::uint64_t seed) {
    karst::test::Random random(seed);
    SurfaceMesh mesh;
    for (int z = 0; z <= side; ++z) {
        for (int x = 0; x <= side; ++x) {
            SurfaceVertex vertex;
            vertex.position = {static_cast<float>(x) + 0.5f,
                               static_cast<float>(random.integer(0, 65536)) / 65536,
                               static_cast<float>(z) + 0.5f};
            vertex.normal = normalized(
                Vec3f{static_cast<float>(random.range(-1, 1)), 1, static_cast<float>(random.range(-1, 1))});
            vertex.materials = {2, 4, 6, 6};
            const int first = random.integer(0, 255), second = random.integer(0, 255 - first);
            vertex.weights = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second),
                              static_cast<std::uint8_t>(255 - first - second), 0};
            mesh.vertices.push_back(vertex);
        }
    }
    for (int z = 0; z < side; ++z) {
        for (int x = 0; x < side; ++x) {
            const auto a = static_cast<std::uint32_t>(x + z * (side + 1)), b = a + 1;
            const auto c = a + static_cast<std::uint32_t>(side + 1), d = c + 1;
            mesh.indices.insert(mesh.indices.end(), {a, c, b, b, c, d});
        }
    }
    return mesh;
}

/// Two nets that share an edge's vertices to the bit, an empty surface, and one elsewhere.
struct ExportScene {
    SurfaceMesh left = bumpyNet(32, 1), right = bumpyNet(32, 2), empty, far = bumpyNet(3, 3);
    std::vector<PlacedSurface> surfaces;
    SurfaceExport all;

    ExportScene() {
        for (std::size_t z = 0; z <= 32; ++z) {
            right.vertices[z * 33] = left.vertices[z * 33 + 32];
            right.vertices[z * 33].position.x -= 32;
        }
        surfaces = {{{0, 0, 0}, &left}, {{1, 0, 0}, &right}, {{2, 0, 0}, &empty}, {{-3, 1, -40}, &far}};
        all.surfaces = surfaces;
        all.placement = {2.5, {1000, 50, -7}};
        all.origin = {900, 0, 1};
    }
    ExportScene(const ExportScene&) = delete;
    ExportScene& operator=(const ExportScene&) = delete;
};

}  // namespace karst::voxel_mesh::test
