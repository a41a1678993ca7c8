#pragma once

#include <karst/base/hash.h>
#include <karst/voxel_mesh/surface_vertex_writer.h>
#include <karst_test/voxel_inputs.h>

#include <cstdint>
#include <vector>

namespace karst::voxel_mesh::test {

inline void hashSurface(Hasher& hash, const karst::test::VoxelInput& input, const SurfaceNetsOptions& options,
                        SurfaceNetsWorkspace& workspace, SurfaceVertexWriter& writer) {
    FieldView field;
    field.samples = input.samples.data();
    field.materials = input.materials.data();
    field.padding = input.padding;
    const auto raw = extractSurface(field, options, workspace.buffers());
    SurfaceMesh mesh;
    if (!raw || !writer.writeMesh(field, *raw, 0, mesh)) {
        hash.u32(0xffffffffu);
        return;
    }
    hash.u64(raw->positions.size()).u64(raw->quads.size());
    for (const Vec3f& normal : raw->normals)
        hash.f32(normal.x).f32(normal.y).f32(normal.z);
    for (const SurfaceQuad& quad : raw->quads) {
        for (const std::uint32_t v : quad.vertices)
            hash.u32(v);
    }
    for (const SurfaceVertex& vertex : mesh.vertices) {
        hash.f32(vertex.position.x).f32(vertex.position.y).f32(vertex.position.z);
        hash.f32(vertex.normal.x).f32(vertex.normal.y).f32(vertex.normal.z);
        hash.bytes(vertex.materials.data(), 4).bytes(vertex.weights.data(), 4);
    }
    for (const std::uint32_t index : mesh.indices)
        hash.u32(index);
}

/// Winding, positions, normals and material bytes of all inputs of the benchmark.
inline std::uint64_t goldenSurfaceHash() {
    SurfaceNetsWorkspace workspace(true);
    SurfaceVertexWriter writer;
    Hasher hash;
    for (const int padding : {1, 2}) {
        std::vector<karst::test::VoxelInput> inputs = karst::test::voxelRot16(padding);
        inputs.push_back(karst::test::voxelTerrain(padding));
        inputs.push_back(karst::test::voxelSphere(padding));
        inputs.push_back(karst::test::voxelDense(padding));
        inputs.push_back(karst::test::voxelRandom(padding));
        for (const karst::test::VoxelInput& input : inputs) {
            hashSurface(hash, input, {NormalMethod::CubeGradient, false, false}, workspace, writer);
            if (padding < 2) continue;
            hashSurface(hash, input, {NormalMethod::CentralDifferences, false, true}, workspace, writer);
            hashSurface(hash, input, {NormalMethod::CentralDifferences, true, true}, workspace, writer);
        }
    }
    return hash.value();
}

inline constexpr std::uint64_t kGoldenSurface = 0xa11800248160cce8u;

}  // namespace karst::voxel_mesh::test
