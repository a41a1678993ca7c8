#pragma once

#include "chunk_hash.h"

#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_stream/mesh_batch.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace karst::voxel_stream {

/// The requests that have not been published: those waiting for a batch and those under way in one. One a
/// chunk. Source: spec rows V21 to V23.
class MeshQueue {
  public:
    /// Replaces an earlier request of the chunk: the level is the new one, and what the earlier one was asked
    /// for and has not been published is asked for again.
    void request(voxel::ChunkCoord chunk, int level, bool solid, bool water);
    /// No effect where there is none.
    void cancel(voxel::ChunkCoord chunk);

    /// The newest request of the result's chunk is the one it was made for.
    bool current(const MeshRequest& made) const;
    /// A current request has been published.
    void finish(const MeshRequest& made);
    /// A current request's batch was let go without a run: it waits again.
    void putBack(const MeshRequest& made);

    /// Takes the nearest waiting requests out for at most `batches` batches of at most `size`; few are spread
    /// over all batches. Nearest first; equally near ones in the order of ChunkCoord.
    std::vector<std::vector<MeshRequest>> takeBatches(const voxel::GridPlacement& placement,
                                                      WorldPosition camera, std::uint32_t batches,
                                                      std::uint32_t size);

    std::size_t waiting() const { return m_waiting; }
    std::size_t underWay() const { return m_pending.size() - m_waiting; }

  private:
    struct Pending {
        MeshRequest request;
        bool underWay = false;
    };
    std::unordered_map<voxel::ChunkCoord, Pending, ChunkHash> m_pending;
    std::size_t m_waiting = 0;
    std::uint64_t m_serial = 0;
};

}  // namespace karst::voxel_stream
