#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/voxel/grid.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace karst::voxel {

/// Chunk coordinates of a grid lie in -kChunkLimit <= c < kChunkLimit.
inline constexpr std::int32_t kChunkLimit = kCellLimit / kChunkSize;

/// Chunks min <= c < max on each axis; empty where some max <= min.
struct ChunkBox {
    ChunkCoord min, max;

    bool empty() const { return max.x <= min.x || max.y <= min.y || max.z <= min.z; }
    bool contains(ChunkCoord c) const {
        return c.x >= min.x && c.x < max.x && c.y >= min.y && c.y < max.y && c.z >= min.z && c.z < max.z;
    }
    bool operator==(const ChunkBox&) const = default;
};

/// Counts the saves that changed a store; it is the store's own, not the grid's.
using StoreRevision = std::uint64_t;

struct StoreInfo {
    GridPlacement placement;
    MaterialTable materials;
    StoreRevision revision = 0;
    std::uint64_t chunkCount = 0;
    /// The smallest box around all chunks; empty where there are none.
    ChunkBox chunkBounds;
    /// What the coded chunks take together.
    std::uint64_t chunkBytes = 0;
};

/// Chunks of a store, as they were at one revision.
struct StoredChunks {
    GridPlacement placement;
    MaterialTable materials;
    StoreRevision revision = 0;
    /// In the order of ChunkCoord, none twice, none null.
    std::vector<ChunkReplacement> chunks;
};

/// What one save writes. It shares the grid's chunks and needs the grid no more, so another thread may save
/// it while the grid is edited on.
struct StoreChanges {
    GridPlacement placement;
    MaterialTable materials;
    /// What the store has of `replaced` goes first; where `replacesAll`, all that it has.
    std::optional<ChunkBox> replaced;
    bool replacesAll = false;
    /// The revision that the changes are against; a store at another one must refuse them, unless all is
    /// replaced.
    StoreRevision base = 0;
    /// Both in the order of ChunkCoord. A removed chunk need not be in the store.
    std::vector<ChunkReplacement> written;
    std::vector<ChunkCoord> removed;
    /// Of the grid: what is saved once these are.
    GridGeneration generation;
    Revision revision = 0;

    bool empty() const { return !replacesAll && !replaced && written.empty() && removed.empty(); }
};

/// Where a grid's chunks are kept: a database (part voxel_sqlite), or a host's own. Threads: one at a time,
/// unless an implementation says more.
class ChunkStore {
  public:
    virtual ~ChunkStore() = default;

    virtual Result<StoreInfo> info() = 0;
    /// All chunks, or those in `box`; of one revision.
    virtual Result<StoredChunks> loadChunks(const std::optional<ChunkBox>& box,
                                            const Externals& externals) = 0;
    /// All of `changes` or, with an error, nothing. Returns the revision after it, one more than before;
    /// where the changes are empty, nothing is written and the revision stays. InvalidArgument: a placement
    /// or materials that are not the store's, or another `base`.
    virtual Result<StoreRevision> saveChanges(const StoreChanges& changes, const Externals& externals) = 0;
};

/// Up to where a grid is saved in a store. A default one: nothing is.
struct SavedState {
    GridGeneration generation;
    Revision revision = 0;
    StoreRevision storeRevision = 0;
    /// Only these chunks were loaded; a save leaves the others alone.
    std::optional<ChunkBox> region;
};

/// What to save of `grid` in a store that is at `saved`: what changed since. For another grid than the saved
/// one, or after more removals than the grid remembers, all of it in place of what the store has, of the
/// region at least; for another grid, without a region, whatever the store's revision. No cell is copied.
StoreChanges collectChanges(const Grid& grid, const SavedState& saved);

/// A grid of all chunks, or of those in `box`; `saved` then says so. Errors: the store's; `saved` stays.
Result<Grid> loadGrid(ChunkStore& store, const std::optional<ChunkBox>& box, const Externals& externals,
                      SavedState& saved);

struct SaveSummary {
    /// Of the store, after the save.
    StoreRevision revision = 0;
    std::size_t written = 0, removed = 0;
};

/// Saves what collectChanges() gives. After an error `saved` is what it was, so nothing is lost: the next
/// call tries all of it again.
Result<SaveSummary> saveGrid(ChunkStore& store, const Grid& grid, SavedState& saved);

}  // namespace karst::voxel
