#pragma once

#include <karst/voxel/grid.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace karst::viewer {

/// Undo and redo of strokes over voxels: the chunks as they were before and after each, shared with the grid,
/// not copied.
///
/// Threads: as the grid.
class VoxelHistory {
  public:
    static constexpr std::size_t kMostStrokes = 64;

    void begin(const voxel::Grid& grid);
    /// Keeps what changed since begin(), and forgets what was undone; nothing where nothing changed.
    void end(const voxel::Grid& grid);

    std::size_t undoCount() const { return m_done.size(); }
    std::size_t redoCount() const { return m_undone.size(); }
    /// Nothing where there is none.
    Result<void> undo(voxel::Grid& grid);
    Result<void> redo(voxel::Grid& grid);

  private:
    struct Stroke {
        std::vector<voxel::ChunkReplacement> before, after;
    };

    std::optional<voxel::GridSnapshot> m_before;
    std::deque<Stroke> m_done;
    std::vector<Stroke> m_undone;
};

}  // namespace karst::viewer
