#pragma once

#include <karst/voxel_mesh/surface_vertex.h>
#include <karst/voxel_mesh/water_mesh.h>

namespace karst::voxel_stream {

/// Where displayed meshes go: the host's renderer. Called within VoxelStreamer::update(), on its thread, with
/// no lock held; must not call the streamer.
class MeshSink {
  public:
    virtual ~MeshSink() = default;

    /// `chunk` looks like this from now on. `solid` (at `level`, with its skirt) and `water` are null where
    /// they stay as they are; an empty one means that the chunk has none any more. They are valid during the
    /// call only.
    virtual void show(voxel::ChunkCoord chunk, int level, const voxel_mesh::SurfaceMesh* solid,
                      const voxel_mesh::WaterMesh* water) = 0;

    /// A chunk that was shown has nothing to show any more.
    virtual void drop(voxel::ChunkCoord chunk) = 0;
};

}  // namespace karst::voxel_stream
