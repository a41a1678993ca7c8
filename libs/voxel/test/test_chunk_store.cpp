#include <gtest/gtest.h>
#include <karst/voxel/chunk_store.h>
#include <karst_test/test_support.h>

#include <map>

namespace karst::voxel {
namespace {

// A store in memory that fails on demand.
class MemoryStore final : public ChunkStore {
  public:
    bool failing = false;
    std::map<ChunkCoord, ChunkRef> chunks;
    StoreRevision revision = 0;
    StoreChanges last;

    Result<StoreInfo> info() override { return StoreInfo{}; }
    Result<StoredChunks> loadChunks(const std::optional<ChunkBox>& box, const Externals&) override {
        StoredChunks out;
        out.revision = revision;
        for (const auto& [coord, cells] : chunks) {
            if (!box || box->contains(coord)) out.chunks.push_back({coord, cells});
        }
        return out;
    }
    Result<StoreRevision> saveChanges(const StoreChanges& changes, const Externals&) override {
        if (failing) return makeError(ErrorCode::Io, "store: failing");
        last = changes;
        if (changes.empty()) return revision;
        if (!changes.replacesAll && changes.base != revision) {
            return makeError(ErrorCode::InvalidArgument, "store: at another revision");
        }
        if (changes.replacesAll) chunks.clear();
        if (changes.replaced) {
            std::erase_if(chunks, [&](const auto& entry) { return changes.replaced->contains(entry.first); });
        }
        for (const ChunkCoord coord : changes.removed)
            chunks.erase(coord);
        for (const ChunkReplacement& chunk : changes.written)
            chunks[chunk.chunk] = chunk.cells;
        return ++revision;
    }
};

void edit(Grid& grid, test::Random& random) {
    CellBox box;
    std::int32_t* const low[] = {&box.min.x, &box.min.y, &box.min.z};
    std::int32_t* const high[] = {&box.max.x, &box.max.y, &box.max.z};
    for (int axis = 0; axis < 3; ++axis) {
        *low[axis] = random.integer(-70, 60);
        *high[axis] = *low[axis] + random.integer(1, 50);
    }
    const Cell cell = random.chance(0.4) ? Cell{} : Cell{static_cast<MaterialId>(random.integer(1, 13)), 255};
    const auto done = grid.edit(box, [&](const EditBlock& block) {
        for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
            for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z) {
                for (std::int32_t x = block.box.min.x; x < block.box.max.x; ++x)
                    block.at({x, y, z}) = cell;
            }
        }
    });
    ASSERT_TRUE(done.ok());
}

bool holds(const MemoryStore& store, const Grid& grid) {
    const GridSnapshot snapshot = grid.snapshot();
    bool same = snapshot.chunkCount() == store.chunks.size();
    snapshot.forEachChunk([&](ChunkCoord coord, const Chunk& chunk) {
        const auto found = store.chunks.find(coord);
        if (found == store.chunks.end()) {
            same = false;
            return;
        }
        for (std::int32_t i = 0; i < kChunkCellCount && same; ++i)
            same = chunk.cell(i) == found->second->cell(i);
    });
    return same;
}

TEST(ChunkStore, V4_SavesWhatChangedAndWhatWasRemoved) {
    test::Random random(8);
    Grid grid = Grid::create({}).value();
    MemoryStore store;
    SavedState saved;
    for (int round = 0; round < 60; ++round) {
        for (int edits = random.integer(0, 3); edits > 0; --edits)
            edit(grid, random);
        const auto summary = saveGrid(store, grid, saved);
        ASSERT_TRUE(summary.ok());
        EXPECT_TRUE(holds(store, grid)) << round;
        EXPECT_EQ(store.last.replacesAll, round == 0);
        EXPECT_EQ(saved.revision, grid.revision());
    }
    // Nothing to save.
    const StoreRevision before = store.revision;
    const auto nothing = saveGrid(store, grid, saved);
    ASSERT_TRUE(nothing.ok());
    EXPECT_EQ(nothing->written + nothing->removed, 0u);
    EXPECT_EQ(store.revision, before);
    // One cell is one chunk.
    ASSERT_TRUE(grid.setCell({300, 5, 5}, {3, 9}).ok());
    EXPECT_EQ(saveGrid(store, grid, saved)->written, 1u);
    ASSERT_TRUE(grid.setCell({300, 5, 5}, {}).ok());
    EXPECT_EQ(saveGrid(store, grid, saved)->removed, 1u);
    EXPECT_TRUE(holds(store, grid));
}

TEST(ChunkStore, AFailedSaveLosesNothing) {
    test::Random random(9);
    Grid grid = Grid::create({}).value();
    MemoryStore store;
    SavedState saved;
    for (int round = 0; round < 40; ++round) {
        edit(grid, random);
        store.failing = random.chance(0.5);
        const bool ok = saveGrid(store, grid, saved).ok();
        EXPECT_EQ(ok, !store.failing);
        EXPECT_TRUE(!ok || holds(store, grid));
    }
    store.failing = false;
    ASSERT_TRUE(saveGrid(store, grid, saved).ok());
    EXPECT_TRUE(holds(store, grid));
}

TEST(ChunkStore, V5_ACloneIsAnotherGridAndReplacesAll) {
    test::Random random(10);
    Grid grid = Grid::create({}).value();
    MemoryStore store;
    SavedState saved;
    edit(grid, random);
    ASSERT_TRUE(saveGrid(store, grid, saved).ok());
    Grid clone = grid.clone();
    edit(clone, random);
    ASSERT_TRUE(saveGrid(store, clone, saved).ok());
    EXPECT_TRUE(store.last.replacesAll);
    EXPECT_TRUE(holds(store, clone));
}

TEST(ChunkStore, V7_MoreRemovalsThanAreRememberedReplaceAll) {
    GridDefinition definition;
    definition.removalLogCapacity = 1;
    Grid grid = Grid::create(definition).value();
    MemoryStore store;
    SavedState saved;
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(grid.setCell({i * 40, 0, 0}, {2, 1}).ok());
    ASSERT_TRUE(saveGrid(store, grid, saved).ok());
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(grid.setCell({i * 40, 0, 0}, {}).ok());
    ASSERT_TRUE(saveGrid(store, grid, saved).ok());
    // Against the saved revision, so that what others saved since is not lost.
    EXPECT_FALSE(store.last.replacesAll);
    EXPECT_TRUE(store.last.replaced.has_value());
    EXPECT_TRUE(holds(store, grid));
    ++store.revision;
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(grid.setCell({0, 0, 0}, {2, 1}).ok());
        ASSERT_TRUE(grid.setCell({0, 0, 0}, {}).ok());
    }
    EXPECT_FALSE(saveGrid(store, grid, saved).ok());
}

TEST(ChunkStore, ALoadedBoxLeavesTheOthersAlone) {
    test::Random random(12);
    Grid grid = Grid::create({}).value();
    MemoryStore store;
    SavedState saved;
    for (int i = 0; i < 5; ++i)
        edit(grid, random);
    ASSERT_TRUE(saveGrid(store, grid, saved).ok());
    for (int round = 0; round < 20; ++round) {
        const ChunkBox box{{-1, -2, -1}, {1, 2, 2}};
        Result<Grid> part = loadGrid(store, box, {}, saved);
        ASSERT_TRUE(part.ok());
        auto expected = store.chunks;
        edit(*part, random);
        // A clone cannot say what changed, so the box is written whole.
        Grid& source = *part;
        Grid clone = part->clone();
        const bool cloned = random.chance(0.5);
        ASSERT_TRUE(saveGrid(store, cloned ? clone : source, saved).ok());
        EXPECT_FALSE(store.last.replacesAll);
        EXPECT_EQ(store.last.replaced.has_value(), cloned);
        const GridSnapshot snapshot = source.snapshot();
        std::erase_if(expected, [&](const auto& entry) { return box.contains(entry.first); });
        snapshot.forEachChunk(
            [&](ChunkCoord coord, const Chunk&) { expected[coord] = snapshot.chunkRef(coord); });
        ASSERT_EQ(store.chunks.size(), expected.size());
        for (const auto& [coord, cells] : expected)
            EXPECT_TRUE(store.chunks[coord] == cells);
    }
}

}  // namespace
}  // namespace karst::voxel
