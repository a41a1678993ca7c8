#include "removal_log.h"

#include <algorithm>

namespace karst::voxel {

void RemovalLog::add(Revision revision, ChunkCoord chunk) {
    m_removals.push_back({revision, chunk});
    if (m_removals.size() <= m_capacity) return;
    m_floor = m_removals.front().revision;
    m_removals.pop_front();
}

std::vector<ChunkCoord> RemovalLog::since(Revision revision) const {
    std::vector<ChunkCoord> chunks;
    for (auto it = m_removals.rbegin(); it != m_removals.rend() && it->revision > revision; ++it)
        chunks.push_back(it->chunk);
    std::sort(chunks.begin(), chunks.end());
    chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
    return chunks;
}

}  // namespace karst::voxel
