#pragma once

#include <karst/voxel/grid_snapshot.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace karst::voxel {

/// The newest removals of chunks from a grid.
class RemovalLog {
  public:
    /// Knows nothing of removals up to `floor`.
    RemovalLog(std::uint32_t capacity, Revision floor) : m_capacity(capacity), m_floor(floor) {}

    /// Revisions never fall.
    void add(Revision revision, ChunkCoord chunk);
    /// Whether no removal after `revision` has been forgotten.
    bool reaches(Revision revision) const { return revision >= m_floor; }
    /// Chunks that were removed after `revision`, in the order of ChunkCoord, each once.
    std::vector<ChunkCoord> since(Revision revision) const;
    std::uint32_t capacity() const { return m_capacity; }
    std::size_t memoryBytes() const { return m_removals.size() * sizeof(Removal); }

  private:
    struct Removal {
        Revision revision;
        ChunkCoord chunk;
    };
    std::uint32_t m_capacity;
    Revision m_floor;
    std::deque<Removal> m_removals;
};

}  // namespace karst::voxel
