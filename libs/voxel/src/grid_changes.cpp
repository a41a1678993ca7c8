#include <karst/base/assert.h>
#include <karst/voxel/grid_changes.h>

#include <algorithm>

#include "grid_state.h"

namespace karst::voxel {

GridChanges Grid::changesSince(const GridGeneration& generation, Revision revision) const {
    const State& state = *m_state;
    GridChanges changes;
    changes.generation = state.generation;
    changes.revision = state.revision;
    if (generation != state.generation || revision > state.revision || !state.removals.reaches(revision)) {
        changes.fullRefresh = true;
        return changes;
    }
    state.chunks.forEachNewer(revision, [&](const ChunkRecord& record) {
        const CellBox local = state.histories[record.history].extentSince(revision);
        const CellCoord first = firstCell(record.coord);
        changes.changed.push_back({record.coord,
                                   {{local.min.x + first.x, local.min.y + first.y, local.min.z + first.z},
                                    {local.max.x + first.x, local.max.y + first.y, local.max.z + first.z}}});
    });
    std::sort(changes.changed.begin(), changes.changed.end(),
              [](const ChunkChange& a, const ChunkChange& b) { return a.chunk < b.chunk; });
    changes.removed = state.removals.since(revision);
    // Those that are back are in `changed` as a whole.
    std::erase_if(changes.removed, [&](ChunkCoord c) { return state.chunks.find(c) != nullptr; });
    return changes;
}

std::vector<ChunkCoord> invalidatedChunks(const GridChanges& changes, int level) {
    KARST_ASSERT(level >= 0 && level <= 3 && !changes.fullRefresh);
    const std::int32_t reach = meshReach(level);
    std::vector<ChunkCoord> chunks;
    for (const ChunkChange& change : changes.changed) {
        const ChunkCoord c = change.chunk;
        for (std::int32_t i = 0; i < 27; ++i) {
            const ChunkCoord near{c.x + i % 3 - 1, c.y + i / 9 - 1, c.z + i / 3 % 3 - 1};
            CellBox sampled = chunkBox(near);
            sampled.min = {sampled.min.x - reach, sampled.min.y - reach, sampled.min.z - reach};
            sampled.max = {sampled.max.x + reach, sampled.max.y + reach, sampled.max.z + reach};
            if (near == c || !intersect(sampled, change.extent).empty()) chunks.push_back(near);
        }
    }
    for (const ChunkCoord c : changes.removed) {
        for (std::int32_t i = 0; i < 27; ++i)
            chunks.push_back({c.x + i % 3 - 1, c.y + i / 9 - 1, c.z + i / 3 % 3 - 1});
    }
    std::sort(chunks.begin(), chunks.end());
    chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
    return chunks;
}

}  // namespace karst::voxel
