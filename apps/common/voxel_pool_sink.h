#pragma once

#include <karst/render/voxel_pool.h>
#include <karst/voxel_stream/mesh_sink.h>

#include <cstddef>

namespace karst::app {

/// Hands what a VoxelStreamer shows to a VoxelPool. A chunk that the pool refuses keeps its old look; how
/// many were, and the last reason, can be asked for, so that a panel can say that the memory is full. The
/// pool must outlive it.
///
/// Threads: as the streamer and the pool.
class VoxelPoolSink final : public voxel_stream::MeshSink {
  public:
    explicit VoxelPoolSink(render::VoxelPool& pool) : m_pool(&pool) {}

    void show(voxel::ChunkCoord chunk, int level, const voxel_mesh::SurfaceMesh* solid,
              const voxel_mesh::WaterMesh* water) override;
    void drop(voxel::ChunkCoord chunk) override;

    std::size_t refused() const { return m_refused; }
    const Result<void>& lastRefusal() const { return m_lastRefusal; }

  private:
    render::VoxelPool* m_pool;
    std::size_t m_refused = 0;
    Result<void> m_lastRefusal;
};

}  // namespace karst::app
