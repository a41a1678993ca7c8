#include "mesh_queue.h"

#include <karst/base/assert.h>
#include <karst/voxel_stream/level_policy.h>

#include <algorithm>

namespace karst::voxel_stream {

using voxel::ChunkCoord;

void MeshQueue::request(ChunkCoord chunk, int level, bool solid, bool water) {
    const auto [place, added] = m_pending.try_emplace(chunk);
    Pending& pending = place->second;
    if (added || pending.underWay) ++m_waiting;
    pending.underWay = false;
    pending.request.chunk = chunk;
    pending.request.level = level;
    pending.request.serial = ++m_serial;
    pending.request.solid |= solid;
    pending.request.water |= water;
}

void MeshQueue::cancel(ChunkCoord chunk) {
    const auto place = m_pending.find(chunk);
    if (place == m_pending.end()) return;
    if (!place->second.underWay) --m_waiting;
    m_pending.erase(place);
}

bool MeshQueue::current(const MeshRequest& made) const {
    const auto place = m_pending.find(made.chunk);
    return place != m_pending.end() && place->second.request.serial == made.serial;
}

void MeshQueue::finish(const MeshRequest& made) {
    KARST_ASSERT(current(made));
    cancel(made.chunk);
}

void MeshQueue::putBack(const MeshRequest& made) {
    KARST_ASSERT(current(made));
    Pending& pending = m_pending.find(made.chunk)->second;
    if (pending.underWay) ++m_waiting;
    pending.underWay = false;
}

std::vector<std::vector<MeshRequest>> MeshQueue::takeBatches(const voxel::GridPlacement& placement,
                                                             WorldPosition camera, std::uint32_t batches,
                                                             std::uint32_t size) {
    std::vector<std::vector<MeshRequest>> out;
    if (m_waiting == 0 || batches == 0) return out;
    struct Near {
        double distance;
        Pending* pending;
    };
    std::vector<Near> waiting;
    waiting.reserve(m_waiting);
    for (auto& [chunk, pending] : m_pending) {
        if (!pending.underWay) waiting.push_back({chunkDistance(placement, chunk, camera), &pending});
    }
    const std::size_t count = std::min(waiting.size(), static_cast<std::size_t>(batches) * size);
    std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count), waiting.end(),
                      [](const Near& a, const Near& b) {
                          return a.distance != b.distance
                                     ? a.distance < b.distance
                                     : a.pending->request.chunk < b.pending->request.chunk;
                      });
    const std::size_t each = (count + batches - 1) / batches;
    for (std::size_t begin = 0; begin < count; begin += each) {
        std::vector<MeshRequest>& batch = out.emplace_back();
        for (std::size_t i = begin; i < std::min(count, begin + each); ++i) {
            waiting[i].pending->underWay = true;
            --m_waiting;
            batch.push_back(waiting[i].pending->request);
        }
    }
    return out;
}

}  // namespace karst::voxel_stream
