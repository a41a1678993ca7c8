#pragma once

#include <karst/base/result.h>
#include <karst/render/voxel_pool.h>
#include <karst/voxel_mesh/surface_vertex.h>
#include <karst/voxel_mesh/water_mesh.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::render {

/// A vertex of voxel ground or water as the pool keeps it, 24 bytes; voxel_vertex.inc.glsl reads it.
/// Positions lie on a lattice of 1 / kVoxelLattice cells that all chunks share: two chunks that meet put
/// their border's vertices on the same points, and what the shader adds to them is exact.
struct GpuVoxelVertex {
    /// Three coordinates of 20 bits, x lowest, in lattice steps from kVoxelReach cells before the chunk; bits
    /// 60 and 61 the level.
    std::uint32_t place[2] = {};
    std::int16_t normal[2] = {};         ///< octahedral about y, 32767 = 1
    std::uint32_t materials = 0;         ///< four ids, the first in the low byte; of water 0
    std::uint32_t weights = 0;           ///< likewise, 255 = 1; of water the first is the waves' fade
    std::uint16_t slot = 0;              ///< of the chunk
    std::uint8_t light[2] = {255, 255};  ///< sun and sky, 255 = all
};
static_assert(sizeof(GpuVoxelVertex) == 24);

inline constexpr int kVoxelLattice = 8192;  ///< steps in a cell
inline constexpr int kVoxelReach = 16;      ///< cells before a chunk's first corner
inline constexpr int kVoxelSpan = 128;      ///< cells that 20 bits reach over

/// A mesh on its way to the pool.
struct EncodedMesh {
    std::vector<GpuVoxelVertex> vertices;
    std::vector<std::uint32_t> indices;
    /// Around what the vertices say, in cells from the chunk's first corner.
    Vec3f min, max;

    bool empty() const { return indices.empty(); }
};

/// Refuses (InvalidArgument, by name) indices out of range or no multiple of 3, positions farther off than
/// the lattice reaches, levels outside 0..3, and light of another size than the vertices.
Result<EncodedMesh> encodeSurface(const voxel_mesh::SurfaceMesh& mesh,
                                  std::span<const VoxelVertexLight> light, std::uint16_t slot);
Result<EncodedMesh> encodeWater(const voxel_mesh::WaterMesh& mesh, std::uint16_t slot);

/// What the shader reads back of a place: cells from the chunk's first corner.
Vec3f decodePlace(const GpuVoxelVertex& vertex);

}  // namespace karst::render
