#pragma once

#include <karst/base/allocator.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/skirt.h>
#include <karst/voxel_mesh/water_mesh.h>
#include <karst/voxel_stream/mesh_batch.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace karst::voxel_stream {

/// What became of a request.
struct MeshResult {
    MeshRequest request;
    /// It was not made: its batch was let go.
    bool abandoned = false;
    voxel_mesh::SurfaceMesh solid;
    /// What lies before the skirt.
    std::size_t solidVertices = 0, solidIndices = 0;
    voxel_mesh::WaterMesh water;
};

struct WorkshopOptions {
    voxel_mesh::SurfaceOptions surface;
    voxel_mesh::SkirtOptions skirt;
    /// Meshes are kept, so they are made to fit.
    bool keepGeometry = false;
};

/// What the batches of one streamer share with it: the meshers, which are used again, and the results.
/// Threads: any. Lives until the last of them is gone.
class MeshWorkshop {
  public:
    explicit MeshWorkshop(const WorkshopOptions& options) : m_options(options) {}

    /// Nobody wants results any more.
    void close() { m_closed = true; }
    bool closed() const { return m_closed; }

    /// The meshers of one thread for a while.
    struct Tools {
        explicit Tools(const voxel_mesh::SurfaceOptions& options) : surfaces(options) {}
        voxel_mesh::ChunkMesher surfaces;
        voxel_mesh::WaterMesher water;
    };
    std::unique_ptr<Tools> take();
    void giveBack(std::unique_ptr<Tools> tools);

    MeshResult make(Tools& tools, const voxel::GridSnapshot& grid, const MeshRequest& request) const;

    void put(MeshResult result);
    /// In the order of put().
    std::optional<MeshResult> next();
    std::size_t waiting() const;

  private:
    WorkshopOptions m_options;
    std::atomic<bool> m_closed{false};
    mutable std::mutex m_mutex;
    std::deque<MeshResult> m_results;
    std::vector<std::unique_ptr<Tools>> m_tools;
};

}  // namespace karst::voxel_stream
