#include "chunk_map.h"

#include <karst/base/assert.h>
#include <karst/base/hash.h>

#include <new>

namespace karst::voxel {
namespace {

constexpr std::uint32_t kFirstCapacity = 8;

std::uint64_t hashOf(std::int32_t x, std::int32_t y, std::int32_t z) {
    const auto wide = [](std::int32_t v) { return static_cast<std::uint64_t>(v); };
    return mix64(wide(x) * 0x9fb21c651e98df25u + wide(y) * 0xd6e8feb86659fd93u +
                 wide(z) * 0xc2b2ae3d27d4eb4fu);
}

std::uint64_t slotHash(ChunkCoord c) {
    return hashOf(c.x, c.y, c.z);
}

// Blocks of 4 x 4 x 4 chunks stay together, so that an edit touches few shards.
std::size_t shardIndex(ChunkCoord c) {
    return hashOf(c.x >> 2, c.y >> 2, c.z >> 2) % ChunkMap::kShards;
}

}  // namespace

ChunkShard::ChunkShard(Allocator& allocator, std::uint32_t capacity)
    : m_capacity(capacity), m_allocator(&allocator) {
    m_slots =
        static_cast<ChunkRecord*>(allocator.allocate(capacity * sizeof(ChunkRecord), alignof(ChunkRecord)));
    for (std::uint32_t i = 0; i < capacity; ++i)
        new (m_slots + i) ChunkRecord();
}

ChunkShard::~ChunkShard() {
    for (std::uint32_t i = 0; i < m_capacity; ++i)
        m_slots[i].~ChunkRecord();
    m_allocator->deallocate(m_slots, m_capacity * sizeof(ChunkRecord), alignof(ChunkRecord));
}

ChunkShard* ChunkShard::make(Allocator& allocator) {
    return new (allocator.allocate(sizeof(ChunkShard), alignof(ChunkShard)))
        ChunkShard(allocator, kFirstCapacity);
}

ChunkShard* ChunkShard::copy() const {
    void* memory = m_allocator->allocate(sizeof(ChunkShard), alignof(ChunkShard));
    auto* shard = new (memory) ChunkShard(*m_allocator, m_capacity);
    for (std::uint32_t i = 0; i < m_capacity; ++i) {
        if (m_slots[i].chunk) shard->m_slots[i] = m_slots[i];
    }
    shard->m_count = m_count;
    shard->newestRevision = newestRevision;
    return shard;
}

void ChunkShard::release() {
    if (m_references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    Allocator& allocator = *m_allocator;
    this->~ChunkShard();
    allocator.deallocate(this, sizeof(ChunkShard), alignof(ChunkShard));
}

// The slot that holds the coordinate, or the free one where it belongs.
std::uint32_t ChunkShard::slotOf(ChunkCoord coord, std::uint64_t hash) const {
    const std::uint32_t mask = m_capacity - 1;
    std::uint32_t slot = static_cast<std::uint32_t>(hash) & mask;
    while (m_slots[slot].chunk && m_slots[slot].coord != coord)
        slot = (slot + 1) & mask;
    return slot;
}

const ChunkRecord* ChunkShard::find(ChunkCoord coord, std::uint64_t hash) const {
    const ChunkRecord& record = m_slots[slotOf(coord, hash)];
    return record.chunk ? &record : nullptr;
}

ChunkRecord& ChunkShard::findOrInsert(ChunkCoord coord, std::uint64_t hash) {
    std::uint32_t slot = slotOf(coord, hash);
    if (m_slots[slot].chunk) return m_slots[slot];
    // At most three quarters full, so that runs stay short.
    if ((m_count + 1) * 4 > m_capacity * 3) {
        grow();
        slot = slotOf(coord, hash);
    }
    ++m_count;
    m_slots[slot].coord = coord;
    return m_slots[slot];
}

void ChunkShard::grow() {
    ChunkRecord* old = m_slots;
    const std::uint32_t oldCapacity = m_capacity;
    m_capacity *= 2;
    m_slots = static_cast<ChunkRecord*>(
        m_allocator->allocate(m_capacity * sizeof(ChunkRecord), alignof(ChunkRecord)));
    for (std::uint32_t i = 0; i < m_capacity; ++i)
        new (m_slots + i) ChunkRecord();
    for (std::uint32_t i = 0; i < oldCapacity; ++i) {
        if (old[i].chunk) m_slots[slotOf(old[i].coord, slotHash(old[i].coord))] = std::move(old[i]);
        old[i].~ChunkRecord();
    }
    m_allocator->deallocate(old, oldCapacity * sizeof(ChunkRecord), alignof(ChunkRecord));
}

void ChunkShard::remove(ChunkCoord coord, std::uint64_t hash) {
    const std::uint32_t mask = m_capacity - 1;
    std::uint32_t hole = slotOf(coord, hash);
    KARST_ASSERT(m_slots[hole].chunk);
    // Records behind the hole move up where they would not be found past it.
    for (std::uint32_t slot = (hole + 1) & mask; m_slots[slot].chunk; slot = (slot + 1) & mask) {
        const auto home = static_cast<std::uint32_t>(slotHash(m_slots[slot].coord)) & mask;
        if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
        m_slots[hole] = std::move(m_slots[slot]);
        hole = slot;
    }
    m_slots[hole] = ChunkRecord();
    --m_count;
}

ChunkMap::ChunkMap(const ChunkMap& other)
    : m_allocator(other.m_allocator), m_count(other.m_count), m_shards(other.m_shards) {
    for (ChunkShard* shard : m_shards) {
        if (shard) shard->retain();
    }
}

ChunkMap::~ChunkMap() {
    for (ChunkShard* shard : m_shards) {
        if (shard) shard->release();
    }
}

const ChunkRecord* ChunkMap::find(ChunkCoord coord) const {
    const ChunkShard* shard = m_shards[shardIndex(coord)];
    return shard ? shard->find(coord, slotHash(coord)) : nullptr;
}

const ChunkRecord* ChunkMap::findOwned(ChunkCoord coord) const {
    const ChunkShard* shard = m_shards[shardIndex(coord)];
    return shard && shard->unshared() ? shard->find(coord, slotHash(coord)) : nullptr;
}

ChunkShard& ChunkMap::unsharedShard(std::size_t index) {
    ChunkShard*& shard = m_shards[index];
    if (!shard) {
        shard = ChunkShard::make(*m_allocator);
    } else if (!shard->unshared()) {
        ChunkShard* own = shard->copy();
        shard->release();
        shard = own;
    }
    return *shard;
}

ChunkRecord& ChunkMap::write(ChunkCoord coord, Revision revision) {
    ChunkShard& shard = unsharedShard(shardIndex(coord));
    ChunkRecord& record = shard.findOrInsert(coord, slotHash(coord));
    if (!record.chunk) ++m_count;
    if (revision > shard.newestRevision) shard.newestRevision = revision;
    return record;
}

void ChunkMap::remove(ChunkCoord coord) {
    const std::size_t index = shardIndex(coord);
    ChunkShard& shard = unsharedShard(index);
    shard.remove(coord, slotHash(coord));
    --m_count;
    if (shard.count() == 0) {
        shard.release();
        m_shards[index] = nullptr;
    }
}

std::size_t ChunkMap::memoryBytes() const {
    std::size_t bytes = sizeof(ChunkMap);
    for (const ChunkShard* shard : m_shards) {
        if (!shard) continue;
        bytes += shard->memoryBytes();
        shard->forEach([&](const ChunkRecord& record) { bytes += record.chunk->memoryBytes(); });
    }
    return bytes;
}

void ChunkMap::forEachNewer(Revision revision, FunctionRef<void(const ChunkRecord&)> visit) const {
    for (const ChunkShard* shard : m_shards) {
        if (!shard || shard->newestRevision <= revision) continue;
        shard->forEach([&](const ChunkRecord& record) {
            if (record.revision > revision) visit(record);
        });
    }
}

}  // namespace karst::voxel
