#pragma once

#include <karst/voxel/grid_snapshot.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace karst::voxel_stream {

class MeshWorkshop;

/// What one chunk's meshing is asked for.
struct MeshRequest {
    voxel::ChunkCoord chunk;
    int level = 0;
    /// Only the result of the newest request of a chunk is shown.
    std::uint64_t serial = 0;
    bool solid = false, water = false;
    bool operator==(const MeshRequest&) const = default;
};

/// A few chunks to be meshed from one snapshot, away from the streamer's thread. Threads: run() may be called
/// on any thread, and the batch may be let go on any. It may outlive the streamer.
class MeshBatch {
  public:
    /// Made by the streamer.
    MeshBatch(std::shared_ptr<MeshWorkshop> workshop, voxel::GridSnapshot snapshot,
              std::vector<MeshRequest> requests);
    /// Of a batch that was never run the streamer asks again.
    ~MeshBatch();
    MeshBatch(const MeshBatch&) = delete;
    MeshBatch& operator=(const MeshBatch&) = delete;

    /// Does the work; each chunk's result is handed over as it is done. Further calls do nothing. Ends early
    /// when the streamer is gone.
    void run();

    const std::vector<MeshRequest>& requests() const { return m_requests; }

  private:
    std::shared_ptr<MeshWorkshop> m_workshop;
    voxel::GridSnapshot m_snapshot;
    std::vector<MeshRequest> m_requests;
    std::atomic<bool> m_started{false};
};

}  // namespace karst::voxel_stream
