#pragma once

#include <karst/base/result.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/surface_vertex.h>

#include <array>
#include <span>

namespace karst::voxel_mesh {

/// A chunk's surface and where it belongs.
struct PlacedSurface {
    voxel::ChunkCoord chunk;
    const SurfaceMesh* mesh = nullptr;
};

/// What is written to a file of another program. X stays east, Y up, Z south, which is what glTF and .obj
/// call right-handed with Y up.
struct SurfaceExport {
    std::span<const PlacedSurface> surfaces;
    voxel::GridPlacement placement;
    voxel::MaterialTable materials;
    /// The place in the world that becomes the file's origin: near the ground, so that programs that keep
    /// 32-bit floats lose nothing.
    WorldPosition origin{};
};

/// The surfaces can be written: none is null, every index has its vertex, positions are finite, normals of
/// length 1, materials in the table, weights sum to 255. The error names the chunk.
Result<void> validate(const SurfaceExport& surfaces);

/// Of each material id: linear RGB, 0..1. Ids that are not in the table are grey.
std::array<Vec3f, 256> linearColors(const voxel::MaterialTable& materials);

/// A vertex's colour: its materials' colours by their weights.
inline Vec3f blendColors(const SurfaceVertex& vertex, const std::array<Vec3f, 256>& colors) {
    Vec3f sum;
    for (int i = 0; i < 4; ++i)
        sum = sum + colors[vertex.materials[i]] * (static_cast<float>(vertex.weights[i]) / 255.0f);
    return sum;
}

/// The sRGB transfer function both ways, for 0..1.
float srgbToLinear(float encoded);
float linearToSrgb(float linear);

}  // namespace karst::voxel_mesh
