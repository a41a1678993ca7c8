#pragma once

#include <karst/base/allocator.h>
#include <karst/base/job_system.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/field_sampling.h>
#include <karst/voxel_mesh/surface_nets.h>
#include <karst/voxel_mesh/surface_vertex.h>
#include <karst/voxel_mesh/surface_vertex_writer.h>

#include <span>
#include <vector>

namespace karst::voxel_mesh {

struct SurfaceOptions {
    SurfaceNetsOptions nets;  ///< normals are always of length 1
    MaterialVote vote;
};

/// Makes the surfaces that chunks own from a snapshot. Holds the field and the extractor's buffers, so that a
/// used one allocates for the output alone. One per thread.
class ChunkMesher {
  public:
    explicit ChunkMesher(const SurfaceOptions& options = {}, Allocator& allocator = heapAllocator());

    const SurfaceOptions& options() const { return m_options; }

    /// The surface of `chunk` at `level` (0 to 3) into `out`, whose memory is used again. Empty where the
    /// chunk owns none. Depends on the cells within voxel::meshReach(level) of the chunk alone.
    void build(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk, int level, SurfaceMesh& out);

  private:
    SurfaceOptions m_options;
    Vector<std::uint8_t> m_samples;
    Vector<voxel::MaterialId> m_materials;
    SurfaceNetsWorkspace m_workspace;
    SurfaceVertexWriter m_writer;
};

/// The surfaces of many chunks, in their order. The same whatever `jobs` is.
std::vector<SurfaceMesh> buildSurfaces(const voxel::GridSnapshot& grid,
                                       std::span<const voxel::ChunkCoord> chunks, int level, JobSystem& jobs,
                                       const SurfaceOptions& options = {});

}  // namespace karst::voxel_mesh
