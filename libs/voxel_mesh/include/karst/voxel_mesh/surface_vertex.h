#pragma once

#include <karst/base/math.h>
#include <karst/voxel/cell.h>

#include <array>
#include <cstdint>
#include <vector>

namespace karst::voxel_mesh {

/// A vertex of a chunk's surface, ready to upload: 32 bytes. All three vertices of a triangle carry the same
/// `materials`, in rising order, unused slots repeat the last with weight 0; `weights` sum to 255.
struct SurfaceVertex {
    Vec3f position;  ///< in cells, from the chunk's first corner; cell (0, 0, 0)'s centre is 0.5, 0.5, 0.5
    Vec3f normal;    ///< of length 1, out of the solid
    std::array<voxel::MaterialId, 4> materials{};
    std::array<std::uint8_t, 4> weights{};
    bool operator==(const SurfaceVertex&) const = default;
};
static_assert(sizeof(SurfaceVertex) == 32);

/// The solid surface that one chunk owns at one level: a triangle list, counter-clockwise seen from the air.
struct SurfaceMesh {
    int level = 0;
    std::vector<SurfaceVertex> vertices;
    std::vector<std::uint32_t> indices;

    bool empty() const { return indices.empty(); }
};

}  // namespace karst::voxel_mesh
