#include <karst/voxel/chunk_store.h>

namespace karst::voxel {

StoreChanges collectChanges(const Grid& grid, const SavedState& saved) {
    const GridChanges since = grid.changesSince(saved.generation, saved.revision);
    const GridSnapshot snapshot = grid.snapshot();
    StoreChanges changes;
    changes.placement = grid.placement();
    changes.materials = grid.materials();
    changes.base = saved.storeRevision;
    changes.generation = since.generation;
    changes.revision = since.revision;
    if (since.fullRefresh) {
        changes.replaced = saved.region;
        if (!saved.region) {
            // The saved grid itself, which forgot what it removed, must not take away what others saved
            // since: as changes against the saved revision, these are refused then.
            if (since.generation == saved.generation) {
                constexpr std::int32_t k = kChunkLimit;
                changes.replaced = ChunkBox{{-k, -k, -k}, {k, k, k}};
            } else {
                changes.replacesAll = true;
            }
        }
        changes.written.reserve(snapshot.chunkCount());
        snapshot.forEachChunk([&](ChunkCoord coord, const Chunk&) {
            changes.written.push_back({coord, snapshot.chunkRef(coord)});
        });
        return changes;
    }
    changes.written.reserve(since.changed.size());
    for (const ChunkChange& change : since.changed)
        changes.written.push_back({change.chunk, snapshot.chunkRef(change.chunk)});
    changes.removed = since.removed;
    return changes;
}

Result<Grid> loadGrid(ChunkStore& store, const std::optional<ChunkBox>& box, const Externals& externals,
                      SavedState& saved) {
    Result<StoredChunks> stored = store.loadChunks(box, externals);
    if (!stored) return stored.error();
    GridDefinition definition;
    definition.placement = stored->placement;
    definition.materials = stored->materials;
    Result<Grid> grid = Grid::create(definition, externals);
    if (!grid) return grid;
    if (const Result<EditSummary> filled = grid->replaceChunks(stored->chunks); !filled)
        return filled.error();
    saved = {grid->generation(), grid->revision(), stored->revision, box};
    return grid;
}

Result<SaveSummary> saveGrid(ChunkStore& store, const Grid& grid, SavedState& saved) {
    const StoreChanges changes = collectChanges(grid, saved);
    const Result<StoreRevision> revision = store.saveChanges(changes, grid.externals());
    if (!revision) return revision.error();
    saved.generation = changes.generation;
    saved.revision = changes.revision;
    saved.storeRevision = *revision;
    return SaveSummary{*revision, changes.written.size(), changes.removed.size()};
}

}  // namespace karst::voxel
