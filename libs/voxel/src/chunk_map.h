#pragma once

#include <karst/base/function_ref.h>
#include <karst/voxel/grid_snapshot.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

namespace karst::voxel {

/// What a grid knows about a chunk and shares with its snapshots.
struct ChunkRecord {
    ChunkCoord coord;
    /// Of the chunk's edit history in the grid that wrote it; meaningless in a snapshot or a clone.
    std::uint32_t history = 0;
    ChunkRef chunk;
    Revision revision = 0;
};
static_assert(sizeof(ChunkRecord) == 32);

/// A reference-counted open-addressing table of chunk records; immutable while shared.
class ChunkShard {
  public:
    ChunkShard(const ChunkShard&) = delete;
    ChunkShard& operator=(const ChunkShard&) = delete;

    static ChunkShard* make(Allocator& allocator);
    ChunkShard* copy() const;
    void retain() { m_references.fetch_add(1, std::memory_order_relaxed); }
    void release();
    bool unshared() const { return m_references.load(std::memory_order_acquire) == 1; }

    const ChunkRecord* find(ChunkCoord coord, std::uint64_t hash) const;
    /// The record, made without a chunk where there is none. Needs to be unshared, as all below.
    ChunkRecord& findOrInsert(ChunkCoord coord, std::uint64_t hash);
    /// The coordinate must be present.
    void remove(ChunkCoord coord, std::uint64_t hash);

    std::uint32_t count() const { return m_count; }
    std::size_t memoryBytes() const { return sizeof(ChunkShard) + m_capacity * sizeof(ChunkRecord); }
    template <class Visit>
    void forEach(Visit visit) const {
        for (std::uint32_t i = 0; i < m_capacity; ++i) {
            if (m_slots[i].chunk) visit(m_slots[i]);
        }
    }

    /// No record of the shard is newer.
    Revision newestRevision = 0;

  private:
    ChunkShard(Allocator& allocator, std::uint32_t capacity);
    ~ChunkShard();
    std::uint32_t slotOf(ChunkCoord coord, std::uint64_t hash) const;
    void grow();

    std::atomic<std::uint32_t> m_references{1};
    std::uint32_t m_capacity;  // a power of two; a slot without a chunk is free
    std::uint32_t m_count = 0;
    Allocator* m_allocator;
    ChunkRecord* m_slots;
};

/// The sparse map from chunk coordinates to records, in shards that copies of the map share: a copy costs as
/// many counts as there are shards, and the first write after it copies one shard. Chunks that lie together
/// are in one shard.
class ChunkMap {
  public:
    static constexpr std::size_t kShards = 256;

    explicit ChunkMap(Allocator& allocator) : m_allocator(&allocator) {}
    ChunkMap(const ChunkMap& other);
    ChunkMap& operator=(const ChunkMap&) = delete;
    ~ChunkMap();

    const ChunkRecord* find(ChunkCoord coord) const;
    const Chunk* chunk(ChunkCoord coord) const {
        const ChunkRecord* record = find(coord);
        return record ? record->chunk.get() : nullptr;
    }
    /// The record, where it belongs to this map alone: no copy of the map shares its shard.
    const ChunkRecord* findOwned(ChunkCoord coord) const;
    /// The record to be written with `revision`; its chunk is null where it is new, and must be set then.
    ChunkRecord& write(ChunkCoord coord, Revision revision);
    /// The coordinate must be present.
    void remove(ChunkCoord coord);

    std::size_t count() const { return m_count; }
    /// Chunks, records and tables.
    std::size_t memoryBytes() const;
    void forEach(FunctionRef<void(const ChunkRecord&)> visit) const { forEachNewer(0, visit); }
    /// Those with a revision above `revision`, in no order.
    void forEachNewer(Revision revision, FunctionRef<void(const ChunkRecord&)> visit) const;

  private:
    ChunkShard& unsharedShard(std::size_t index);

    Allocator* m_allocator;
    std::size_t m_count = 0;
    std::array<ChunkShard*, kShards> m_shards{};  // null where empty
};

}  // namespace karst::voxel
