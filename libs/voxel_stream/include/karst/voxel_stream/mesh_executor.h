#pragma once

#include <karst/voxel_stream/mesh_batch.h>

#include <cstdint>
#include <memory>

namespace karst::voxel_stream {

/// Where batches run: a host wraps its own scheduler, or takes ThreadMeshExecutor. Both are called within
/// VoxelStreamer::update(), on its thread, with no lock held.
class MeshExecutor {
  public:
    virtual ~MeshExecutor() = default;

    /// How many batches it takes now; this bounds the work under way.
    virtual std::uint32_t freeSlots() = 0;

    /// Calls batch->run() once, on any thread, now or later. In any order; one that is let go without a run
    /// is asked for again.
    virtual void start(std::shared_ptr<MeshBatch> batch) = 0;
};

}  // namespace karst::voxel_stream
