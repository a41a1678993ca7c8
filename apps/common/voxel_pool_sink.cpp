#include "common/voxel_pool_sink.h"

namespace karst::app {

// The surface says its level itself.
void VoxelPoolSink::show(voxel::ChunkCoord chunk, int, const voxel_mesh::SurfaceMesh* solid,
                         const voxel_mesh::WaterMesh* water) {
    auto published = m_pool->publish(chunk, solid, water);
    if (published) return;
    ++m_refused;
    m_lastRefusal = std::move(published);
}

void VoxelPoolSink::drop(voxel::ChunkCoord chunk) {
    m_pool->withdraw(chunk);
}

}  // namespace karst::app
