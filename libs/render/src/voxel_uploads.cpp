#include <algorithm>
#include <cstring>
#include <functional>

#include "voxel_pool_impl.h"

namespace karst::render {

namespace {

constexpr std::uint64_t kRecordBytes = sizeof(gpu::ivec4);
constexpr VkPipelineStageFlags2 kReadStages =
    VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT |
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

}  // namespace

std::uint64_t VoxelPool::Impl::Pending::bytes() const {
    std::uint64_t all = 0;
    for (const auto& m : mesh) {
        if (m) all += m->vertices.size() * sizeof(GpuVoxelVertex) + m->indices.size() * 4;
    }
    return all > 0 ? all + kRecordBytes : 0;
}

void VoxelPool::Impl::freeRetired() {
    for (const auto& heap : heaps)
        heap->beginFrame();
    while (!retiredSlots.empty() && retiredSlots.front().second + desc.framesInFlight <= frame) {
        freeSlots.push_back(retiredSlots.front().first);
        retiredSlots.pop_front();
    }
}

// The chunk is no more; its slot rests until no frame reads it.
void VoxelPool::Impl::leave(std::uint32_t slot) {
    slots.erase(entries[slot].coord);
    const bool listed = entries[slot].listed;
    entries[slot] = {};
    entries[slot].listed = listed;
    retiredSlots.emplace_back(slot, frame);
}

void VoxelPool::Impl::takeAway(VoxelUploadStats& stats) {
    for (const std::uint32_t slot : changed) {
        Entry& entry = entries[slot];
        if (!entry.withdrawn) continue;
        bool any = false;
        for (const Kind kind : {kSolid, kWater}) {
            if (!entry.shown[kind]) continue;
            heaps[kind]->retire(*entry.shown[kind]);
            any = true;
        }
        stats.withdrawn += any ? 1 : 0;
        leave(slot);
    }
}

// What waits, the nearest to be popped first; what is under way before all.
void VoxelPool::Impl::sortTurns(WorldPosition camera) {
    turns.clear();
    for (const std::uint32_t slot : changed) {
        const Entry& entry = entries[slot];
        if (!entry.pending) continue;
        const Bounds box = unite(entry.bounds[kSolid], entry.bounds[kWater]);
        const bool first = box.empty() || underWay == slot;
        turns.emplace_back(first ? -1.0 : distance(box, camera), slot);
    }
    std::make_heap(turns.begin(), turns.end(), std::greater<>());
}

// False where there is no room now.
Result<bool> VoxelPool::Impl::placePending(std::uint32_t slot, VoxelUploadStats& stats) {
    Pending& pending = *entries[slot].pending;
    if (pending.placed) return true;
    bool taken[2] = {};
    for (const Kind kind : {kSolid, kWater}) {
        if (!pending.mesh[kind] || pending.mesh[kind]->empty()) continue;
        const auto fit = heaps[kind]->place(
            static_cast<std::uint32_t>(pending.mesh[kind]->vertices.size()),
            static_cast<std::uint32_t>(pending.mesh[kind]->indices.size() / 3), pending.place[kind]);
        if (fit && *fit == GeometryHeap::Fit::Placed) {
            taken[kind] = true;
            continue;
        }
        for (const Kind other : {kSolid, kWater}) {
            if (taken[other]) heaps[other]->unplace(pending.place[other]);
        }
        ++stats.withoutRoom;
        if (!fit) return fit.error();
        return false;
    }
    pending.placed = true;
    return true;
}

void VoxelPool::Impl::copyPending(std::uint32_t slot) {
    const Entry& entry = entries[slot];
    Pending& pending = *entry.pending;
    if (pending.bytes() == 0) return;
    std::uint64_t at = 0;
    // `write` fills its span with what comes from byte `from` of the piece on.
    const auto piece = [&](VkBuffer to, std::uint64_t offset, std::uint64_t size, auto&& write) {
        const std::uint64_t begin = at;
        at += size;
        if (pending.done < begin || pending.done >= at) return;
        const std::uint64_t from = pending.done - begin;
        const auto slice = staging.allocate(std::min<std::uint64_t>(size - from, staging.left()), 4);
        if (!slice || slice->bytes.empty()) return;
        write(slice->bytes, from);
        copies.push_back({slice->buffer, to, {slice->offset, offset + from, slice->bytes.size()}});
        pending.done += slice->bytes.size();
    };
    piece(records.buffer, std::uint64_t{slot} * kRecordBytes, kRecordBytes,
          [&](std::span<std::byte> to, std::uint64_t from) {
              const gpu::ivec4 record{entry.coord.x, entry.coord.y, entry.coord.z, 0};
              std::memcpy(to.data(), reinterpret_cast<const std::byte*>(&record) + from, to.size());
          });
    for (const Kind kind : {kSolid, kWater}) {
        if (!pending.mesh[kind] || pending.mesh[kind]->empty()) continue;
        const EncodedMesh& mesh = *pending.mesh[kind];
        const HeapPlace& place = pending.place[kind];
        piece(heaps[kind]->vertices(place.block).buffer,
              std::uint64_t{place.vertices.offset} * sizeof(GpuVoxelVertex),
              mesh.vertices.size() * sizeof(GpuVoxelVertex),
              [&](std::span<std::byte> to, std::uint64_t from) {
                  std::memcpy(to.data(), reinterpret_cast<const std::byte*>(mesh.vertices.data()) + from,
                              to.size());
              });
        piece(heaps[kind]->indices(place.block).buffer,
              std::uint64_t{place.triangles.offset} * GeometryHeap::kTriangleBytes, mesh.indices.size() * 4,
              [&](std::span<std::byte> to, std::uint64_t from) {
                  // Counted from the block's first vertex. Rooms are multiples of 4, so no index is cut.
                  auto* const out = reinterpret_cast<std::uint32_t*>(to.data());
                  const std::uint32_t* const in = mesh.indices.data() + from / 4;
                  for (std::uint64_t i = 0; i < to.size() / 4; ++i)
                      out[i] = in[i] + place.vertices.offset;
              });
    }
}

void VoxelPool::Impl::showPending(std::uint32_t slot) {
    Entry& entry = entries[slot];
    const std::unique_ptr<Pending> pending = std::move(entry.pending);
    for (const Kind kind : {kSolid, kWater}) {
        if (!pending->mesh[kind]) continue;
        if (entry.shown[kind]) heaps[kind]->retire(*entry.shown[kind]);
        entry.shown[kind].reset();
        if (pending->mesh[kind]->empty()) continue;
        heaps[kind]->show(pending->place[kind], entry.bounds[kind]);
        entry.shown[kind] = pending->place[kind];
    }
    if (underWay == slot) underWay.reset();
    if (!entry.shown[kSolid] && !entry.shown[kWater]) leave(slot);
}

void VoxelPool::Impl::recordCopies(VkCommandBuffer buffer) {
    // One command for each buffer that is written.
    std::stable_sort(copies.begin(), copies.end(),
                     [](const Copy& a, const Copy& b) { return std::less<>()(a.to, b.to); });
    std::vector<VkBufferCopy> regions;
    for (std::size_t i = 0; i < copies.size();) {
        const VkBuffer from = copies[i].from, to = copies[i].to;
        regions.clear();
        for (; i < copies.size() && copies[i].to == to; ++i)
            regions.push_back(copies[i].region);
        fn.CmdCopyBuffer(buffer, from, to, static_cast<std::uint32_t>(regions.size()), regions.data());
    }
    copies.clear();
}

Result<VoxelUploadStats> VoxelPool::recordUploads(VkCommandBuffer buffer, WorldPosition camera) {
    Impl& impl = *m_impl;
    const std::uint64_t start = impl.desc.clock->nowNanoseconds();
    VoxelUploadStats stats;
    ++impl.frame;
    impl.commandsUsed = 0;
    impl.staging.begin();
    impl.freeRetired();
    impl.takeAway(stats);
    impl.sortTurns(camera);

    Result<void> placed;
    bool begun = false;
    while (!impl.turns.empty() && impl.staging.left() > 0) {
        std::pop_heap(impl.turns.begin(), impl.turns.end(), std::greater<>());
        const std::uint32_t slot = impl.turns.back().second;
        impl.turns.pop_back();
        if (begun && impl.desc.clock->nowNanoseconds() - start >= impl.desc.uploadNanoseconds) break;
        begun = true;
        const auto fits = impl.placePending(slot, stats);
        if (!fits) {
            placed = fits.error();
            break;
        }
        if (!*fits) continue;
        impl.copyPending(slot);
        if (impl.entries[slot].pending->done < impl.entries[slot].pending->bytes()) {
            impl.underWay = slot;
            break;
        }
        impl.showPending(slot);
        ++stats.chunks;
    }
    stats.bytes = impl.staging.frameBytes() - impl.staging.left();

    // What still waits goes on being listed; its places are not drawn through.
    impl.barriers[Impl::kSolid].clear();
    impl.barriers[Impl::kWater].clear();
    std::erase_if(impl.changed, [&](std::uint32_t slot) {
        Impl::Entry& entry = impl.entries[slot];
        entry.listed = entry.pending != nullptr;
        if (!entry.listed) return true;
        ++stats.waiting;
        stats.waitingBytes += entry.pending->bytes() - entry.pending->done;
        for (const Impl::Kind kind : {Impl::kSolid, Impl::kWater}) {
            const auto& mesh = entry.pending->mesh[kind];
            if (!entry.pending->placed || !mesh || mesh->empty()) continue;
            const HeapPlace& place = entry.pending->place[kind];
            impl.barriers[kind].push_back({place.block, place.triangles.offset, place.triangles.size});
        }
        return false;
    });
    for (auto& barriers : impl.barriers) {
        std::sort(barriers.begin(), barriers.end(), [](const TriangleRange& a, const TriangleRange& b) {
            return a.block != b.block ? a.block < b.block : a.first < b.first;
        });
    }

    constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    recordBarrier(impl.fn, buffer, kReadStages | kTransfer, kWrite, kTransfer, kWrite);
    const bool clearedSolid = impl.heaps[Impl::kSolid]->recordClears(buffer);
    const bool clearedWater = impl.heaps[Impl::kWater]->recordClears(buffer);
    if (clearedSolid || clearedWater) recordBarrier(impl.fn, buffer, kTransfer, kWrite, kTransfer, kWrite);
    if (impl.newLooks) {
        impl.fn.CmdUpdateBuffer(buffer, impl.looksBuffer.buffer, 0, sizeof(impl.looks), &impl.looks);
        impl.newLooks = false;
    }
    impl.recordCopies(buffer);
    recordBarrier(impl.fn, buffer, kTransfer, kWrite, kReadStages,
                  VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT |
                      VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_UNIFORM_READ_BIT);
    for (const auto& heap : impl.heaps)
        heap->endChanges();
    if (placed) placed = impl.updateGeometrySet();
    stats.nanoseconds = impl.desc.clock->nowNanoseconds() - start;
    if (!placed) return placed.error();
    return stats;
}

}  // namespace karst::render
