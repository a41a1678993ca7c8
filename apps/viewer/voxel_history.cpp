#include "voxel_history.h"

namespace karst::viewer {

void VoxelHistory::begin(const voxel::Grid& grid) {
    m_before = grid.snapshot();
}

void VoxelHistory::end(const voxel::Grid& grid) {
    if (!m_before) return;
    const voxel::GridSnapshot before = std::move(*m_before);
    m_before.reset();
    const voxel::GridChanges changes = grid.changesSince(before.generation(), before.revision());
    const voxel::GridSnapshot after = grid.snapshot();
    Stroke stroke;
    const auto keep = [&](voxel::ChunkCoord chunk) {
        stroke.before.push_back({chunk, before.chunkRef(chunk)});
        stroke.after.push_back({chunk, after.chunkRef(chunk)});
    };
    for (const voxel::ChunkChange& change : changes.changed)
        keep(change.chunk);
    for (const voxel::ChunkCoord chunk : changes.removed)
        keep(chunk);
    if (stroke.before.empty()) return;
    m_undone.clear();
    m_done.push_back(std::move(stroke));
    if (m_done.size() > kMostStrokes) m_done.pop_front();
}

Result<void> VoxelHistory::undo(voxel::Grid& grid) {
    if (m_done.empty()) return {};
    if (auto done = grid.replaceChunks(m_done.back().before); !done) return done.error();
    m_undone.push_back(std::move(m_done.back()));
    m_done.pop_back();
    return {};
}

Result<void> VoxelHistory::redo(voxel::Grid& grid) {
    if (m_undone.empty()) return {};
    if (auto done = grid.replaceChunks(m_undone.back().after); !done) return done.error();
    m_done.push_back(std::move(m_undone.back()));
    m_undone.pop_back();
    return {};
}

}  // namespace karst::viewer
