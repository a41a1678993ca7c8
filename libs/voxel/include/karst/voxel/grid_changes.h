#pragma once

#include <karst/voxel/grid_snapshot.h>

#include <span>
#include <vector>

namespace karst::voxel {

/// The newest edits whose bounds a chunk keeps.
inline constexpr int kChunkEditHistory = 6;

struct ChunkChange {
    ChunkCoord chunk;
    /// Cells of the grid, inside the chunk, that hold every cell changed since the reader's revision; the
    /// whole chunk where the history has expired or the chunk is new to it.
    CellBox extent;
    bool operator==(const ChunkChange&) const = default;
};

/// What became of a grid since a reader last looked.
struct GridChanges {
    /// The reader must start over: its generation is another one, its revision is newer than the grid's or
    /// older than what the removal log still holds. The lists are empty then.
    bool fullRefresh = false;
    /// Remember these two for the next call.
    GridGeneration generation;
    Revision revision = 0;
    /// Both in the order of ChunkCoord, each chunk at most once in either: one that was removed and written
    /// again is in `changed` as a whole.
    std::vector<ChunkChange> changed;
    std::vector<ChunkCoord> removed;
};

/// How many cells beyond a chunk its mesh at a level (0 to 3) samples: 2, 4, 8, 16.
inline constexpr std::int32_t meshReach(int level) {
    return 2 << level;
}

/// The chunks whose mesh at `level` may differ after `changes`: each changed one, each neighbour (of a face,
/// edge or corner) whose samples reach an extent, and each removed one with all 26 around it. In the order
/// of ChunkCoord, without duplicates. Not for a full refresh.
std::vector<ChunkCoord> invalidatedChunks(const GridChanges& changes, int level);

}  // namespace karst::voxel
