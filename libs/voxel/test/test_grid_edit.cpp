#include "grid_test.h"

namespace karst::voxel::test {
namespace {

struct CountedGrid {
    CountingAllocator counting;
    Grid grid;

    CountedGrid() : grid(makeGrid(65536, externals())) {
        // The grid's own block for edits is made once.
        EXPECT_TRUE(grid.setCell({1000, 0, 0}, kRock).ok());
    }
    Externals externals() {
        Externals e;
        e.allocator = &counting;
        return e;
    }
    template <class Edit>
    int arraysOf(Edit&& edit) {
        const int before = counting.arrays;
        edit();
        return counting.arrays - before;
    }
};

TEST(GridEdit, V4_CallsOncePerChunkInOrderWithThePresentCells) {
    Grid grid = makeGrid();
    makeMixed(grid, {0, 0, 0});
    ASSERT_TRUE(fill(grid, chunkBox({-1, 0, 0}), kSand).ok());
    const CellBox box{{-40, 3, -5}, {20, 40, 30}};
    std::vector<ChunkCoord> calls;
    const auto summary = grid.edit(box, [&](const EditBlock& block) {
        calls.push_back(block.chunk);
        EXPECT_EQ(block.box, intersect(box, chunkBox(block.chunk)));
        const bool mixed = block.chunk == ChunkCoord{0, 0, 0}, sand = block.chunk == ChunkCoord{-1, 0, 0};
        EXPECT_EQ(block.uniform.has_value(), !mixed);
        if (!mixed) {
            EXPECT_EQ(*block.uniform, sand ? kSand : Cell{});
        }
        forEachCell(block.box, [&](CellCoord c) {
            ASSERT_EQ(block.at(c), mixed ? kRock : sand ? kSand : Cell{});
            ASSERT_EQ(&block.at(c), block.row(c.y, c.z) + (c.x - block.box.min.x));
        });
    });
    EXPECT_EQ(summary->changedCells, 0);
    EXPECT_TRUE(summary->bounds.empty());
    EXPECT_EQ(calls.size(), 3u * 2 * 2);
    EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end()));
}

TEST(GridEdit, V4_AppliesTheCellsThatDifferAsOneEdit) {
    Grid grid = makeGrid();
    ASSERT_TRUE(fill(grid, {{-32, 0, 0}, {64, 32, 32}}, kRock).ok());
    const Revision before = grid.revision();
    // Three cells in two of the three chunks are new; the rest is rewritten as it was.
    const auto summary = grid.edit({{-32, 0, 0}, {64, 32, 32}}, [](const EditBlock& block) {
        forEachCell(block.box, [&](CellCoord c) { block.at(c) = kRock; });
        if (block.box.contains({-3, 4, 5})) block.at({-3, 4, 5}) = kSand;
        if (block.box.contains({40, 6, 2})) block.at({40, 6, 2}) = {};
        if (block.box.contains({42, 3, 9})) block.at({42, 3, 9}) = kWater;
    });
    EXPECT_EQ(summary->changedCells, 3);
    EXPECT_EQ(summary->bounds, (CellBox{{-3, 3, 2}, {43, 7, 10}}));
    EXPECT_EQ(summary->revision, before + 1);
    EXPECT_EQ(grid.revision(), before + 1);
    const GridSnapshot snapshot = grid.snapshot();
    EXPECT_EQ(snapshot.chunkRevision({-1, 0, 0}), before + 1);
    EXPECT_EQ(snapshot.chunkRevision({0, 0, 0}), before);
    EXPECT_EQ(snapshot.chunkRevision({1, 0, 0}), before + 1);
    // The local bounds are recorded.
    const GridChanges changes = grid.changesSince(grid.generation(), before);
    ASSERT_EQ(changes.changed.size(), 2u);
    EXPECT_EQ(changes.changed[0], (ChunkChange{{-1, 0, 0}, {{-3, 4, 5}, {-2, 5, 6}}}));
    EXPECT_EQ(changes.changed[1], (ChunkChange{{1, 0, 0}, {{40, 3, 2}, {43, 7, 10}}}));
}

TEST(GridEdit, V4_AnEditThatChangesNothingMakesNoRevisionAndNoCopy) {
    CountedGrid counted;
    Grid& grid = counted.grid;
    makeMixed(grid, {0, 0, 0});
    const GridSnapshot snapshot = grid.snapshot();
    const Revision revision = grid.revision();
    const Chunk* chunk = grid.chunk({0, 0, 0});
    const int calls = counted.counting.calls;
    const std::vector<ChunkReplacement> same{{{0, 0, 0}, snapshot.chunkRef({0, 0, 0})},
                                             {{9, 9, 9}, ChunkRef()}};
    for (const auto& summary :
         {fill(grid, {{1, 0, 0}, {20, 20, 20}}, kRock), grid.setCell({0, 0, 0}, kGrass),
          fill(grid, {{0, 0, 0}, {0, 20, 20}}, kSand), fill(grid, {{9, 9, 9}, {8, 8, 8}}, kSand),
          fill(grid, {{320, 320, 320}, {400, 400, 400}}, {0, 255}),
          grid.edit(chunkBox({0, 0, 0}), [](const EditBlock&) {}), grid.replaceChunks(same),
          grid.replaceChunks({})}) {
        ASSERT_TRUE(summary.ok()) << summary.error().message;
        EXPECT_EQ(summary->revision, revision);
        EXPECT_EQ(summary->changedCells, 0);
        EXPECT_TRUE(summary->bounds.empty());
    }
    EXPECT_EQ(counted.counting.calls, calls);
    EXPECT_EQ(grid.revision(), revision);
    EXPECT_EQ(grid.chunk({0, 0, 0}), chunk);
    EXPECT_TRUE(grid.changesSince(grid.generation(), revision).changed.empty());
}

TEST(GridEdit, V4_AnEmptiedChunkLeavesTheMapAndEntersTheRemovalLog) {
    Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({5, 5, 5}, kRock).ok());
    ASSERT_TRUE(grid.setCell({6, 5, 5}, kRock).ok());
    ASSERT_TRUE(fill(grid, chunkBox({1, 0, 0}), kRock).ok());
    const Revision before = grid.revision();
    ASSERT_TRUE(grid.setCell({5, 5, 5}, {}).ok());
    EXPECT_EQ(grid.chunkCount(), 2u);
    ASSERT_TRUE(grid.setCell({6, 5, 5}, {4, 0}).ok());
    EXPECT_EQ(grid.chunkCount(), 1u);
    EXPECT_EQ(grid.chunk({0, 0, 0}), nullptr);
    GridChanges changes = grid.changesSince(grid.generation(), before);
    EXPECT_TRUE(changes.changed.empty());
    EXPECT_EQ(changes.removed, (std::vector<ChunkCoord>{{0, 0, 0}}));
    ASSERT_TRUE(fill(grid, {{30, -5, -5}, {90, 40, 40}}, {}).ok());
    EXPECT_EQ(grid.chunkCount(), 0u);
    changes = grid.changesSince(grid.generation(), before);
    EXPECT_EQ(changes.removed, (std::vector<ChunkCoord>{{0, 0, 0}, {1, 0, 0}}));
}

TEST(GridEdit, V4_AChunkBecomesOneRecordWhereAllItsCellsAreEqual) {
    CountedGrid counted;
    Grid& grid = counted.grid;
    const std::int64_t before = counted.counting.liveBytes;
    // Cell by cell, last the corners, the middle, in both directions.
    for (const CellCoord odd :
         {CellCoord{0, 0, 0}, CellCoord{31, 31, 31}, CellCoord{16, 3, 9}, CellCoord{0, 31, 0}}) {
        ASSERT_TRUE(fill(grid, chunkBox({0, 0, 0}), kRock).ok());
        EXPECT_TRUE(grid.chunk({0, 0, 0})->uniform());
        ASSERT_TRUE(grid.setCell(odd, {4, 254}).ok());
        EXPECT_FALSE(grid.chunk({0, 0, 0})->uniform());
        ASSERT_TRUE(grid.setCell(odd, kSand).ok());
        EXPECT_FALSE(grid.chunk({0, 0, 0})->uniform());
        ASSERT_TRUE(grid.setCell(odd, kRock).ok());
        ASSERT_TRUE(grid.chunk({0, 0, 0})->uniform());
        EXPECT_EQ(grid.chunk({0, 0, 0})->uniformCell(), kRock);
        ASSERT_TRUE(fill(grid, {{0, 0, 0}, {32, 16, 32}}, kSand).ok());
        ASSERT_TRUE(fill(grid, {{0, 16, 0}, {32, 32, 32}}, kSand).ok());
        ASSERT_TRUE(grid.chunk({0, 0, 0})->uniform());
        EXPECT_EQ(grid.cell(odd), kSand);
    }
    ASSERT_TRUE(fill(grid, chunkBox({0, 0, 0}), {}).ok());
    // The record's place in its table may stay.
    EXPECT_LT(counted.counting.liveBytes, before + 1024);
}

TEST(GridEdit, V3_AWriteNeverCopiesAChunkThatNobodyShares) {
    CountedGrid counted;
    Grid& grid = counted.grid;
    makeMixed(grid, {0, 0, 0});
    makeMixed(grid, {1, 0, 0});
    const Chunk* chunk = grid.chunk({0, 0, 0});
    const auto writes = [&](MaterialId material) {
        ASSERT_TRUE(grid.setCell({7, 7, 7}, {material, 3}).ok());
        ASSERT_TRUE(fill(grid, {{8, 8, 8}, {20, 20, 20}}, {material, 4}).ok());
        ASSERT_TRUE(fill(grid, {{30, 8, 8}, {40, 20, 20}}, {material, 5}).ok());
    };
    EXPECT_EQ(counted.arraysOf([&] { writes(3); }), 0);
    EXPECT_EQ(grid.chunk({0, 0, 0}), chunk);
    // Snapshots that are gone share nothing, also where another chunk was written meanwhile.
    {
        const GridSnapshot snapshot = grid.snapshot(), second = snapshot;
        ASSERT_TRUE(grid.setCell({1001, 0, 0}, kRock).ok());
    }
    { const GridSnapshot selected = grid.snapshot(std::vector<ChunkCoord>{{0, 0, 0}}); }
    { const Grid clone = grid.clone(); }
    EXPECT_EQ(counted.arraysOf([&] { writes(5); }), 0);
    EXPECT_EQ(grid.chunk({0, 0, 0}), chunk);
}

TEST(GridEdit, V3_AWriteCopiesASharedChunkOnce) {
    CountedGrid counted;
    Grid& grid = counted.grid;
    makeMixed(grid, {0, 0, 0});
    makeMixed(grid, {1, 0, 0});
    const GridSnapshot snapshot = grid.snapshot();
    const Chunk* shared = snapshot.chunk({0, 0, 0});
    EXPECT_EQ(grid.chunk({0, 0, 0}), shared);
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(grid.setCell({7, 7, 7}, kWater).ok()); }), 1);
    EXPECT_NE(grid.chunk({0, 0, 0}), shared);
    EXPECT_EQ(snapshot.chunk({0, 0, 0}), shared);
    EXPECT_EQ(snapshot.cell({7, 7, 7}), kRock);
    EXPECT_EQ(grid.cell({7, 7, 7}), kWater);
    EXPECT_EQ(grid.cell({0, 0, 0}), kGrass);
    // The other chunk is shared still; now the first is the grid's own.
    EXPECT_EQ(grid.chunk({1, 0, 0}), snapshot.chunk({1, 0, 0}));
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(grid.setCell({8, 7, 7}, kWater).ok()); }), 0);
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(fill(grid, {{20, 1, 1}, {50, 9, 9}}, kSand).ok()); }), 1);
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(fill(grid, {{20, 1, 1}, {50, 9, 9}}, kWater).ok()); }), 0);
    EXPECT_EQ(snapshot.cell({20, 1, 1}), kRock);
    EXPECT_EQ(snapshot.cell({49, 8, 8}), kRock);
    // A write of the whole chunk needs no copy of what it writes over, only room.
    const GridSnapshot later = grid.snapshot();
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(fill(grid, chunkBox({0, 0, 0}), kSand).ok()); }), 0);
    EXPECT_EQ(later.cell({7, 7, 7}), kWater);
    // A reference alone shares too, and so does a clone, in both directions.
    makeMixed(grid, {0, 0, 0});
    const ChunkRef held = grid.snapshot().chunkRef({0, 0, 0});
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(grid.setCell({7, 7, 7}, kWater).ok()); }), 1);
    EXPECT_EQ(held->cell(cellIndex(7, 7, 7)), kRock);
    Grid clone = grid.clone();
    EXPECT_EQ(counted.arraysOf([&] {
        ASSERT_TRUE(clone.setCell({7, 7, 7}, kSand).ok());
    }),
              2);  // and its own block
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(grid.setCell({7, 7, 7}, kGrass).ok()); }), 0);
    EXPECT_EQ(clone.cell({7, 7, 7}), kSand);
    EXPECT_EQ(grid.cell({7, 7, 7}), kGrass);
}

TEST(GridEdit, V4_AnUnknownMaterialLeavesTheGridAsItWas) {
    Random random(7);
    int errors = 0;
    for (int n = 0; n < 24; ++n) {
        Grid grid = makeGrid();
        NaiveGrid naive;
        const auto edit = [&](const CellBox& box, auto&& cell) {
            std::vector<Cell> after = naive.cells;
            bool bad = false;
            const auto summary = grid.edit(box, [&](const EditBlock& block) {
                forEachCell(block.box, [&](CellCoord c) {
                    block.at(c) = cell();
                    after[NaiveGrid::indexOf(c)] = canonical(block.at(c));
                    bad = bad || canonical(block.at(c)).material > 13;
                });
            });
            ASSERT_EQ(summary.ok(), !bad);
            if (summary.ok()) {
                naive.become(after);
            } else {
                ++errors;
                EXPECT_NE(summary.error().message.find("unknown material 14"), std::string::npos)
                    << summary.error().message;
            }
        };
        for (int i = 0; i < 4; ++i) {
            const MaterialId material = static_cast<MaterialId>(random.integer(1, 13));
            edit(randomBox(random, NaiveGrid::kBox, 60), [&] { return Cell{material, 200}; });
            edit(randomBox(random, NaiveGrid::kBox, 20), [&] {
                return Cell{static_cast<MaterialId>(random.integer(0, 13)), 200};
            });
        }
        std::optional<GridSnapshot> snapshot;
        if (random.chance(0.5)) snapshot = grid.snapshot();
        const Revision revision = grid.revision();
        // It comes late, in one of the last chunks, after many were changed.
        int left = random.integer(40000, 100000);
        edit({{-50, -50, -50}, {20, 20, 20}}, [&] { return --left == 0 ? Cell{14, 1} : Cell{7, 33}; });
        if (HasFatalFailure()) return;
        EXPECT_EQ(grid.revision(), revision);
        EXPECT_TRUE(grid.changesSince(grid.generation(), revision).changed.empty());
        ASSERT_NO_FATAL_FAILURE(expectSame(grid, naive));
        // And it goes on as if nothing had been.
        edit(randomBox(random, NaiveGrid::kBox, 40), [&] { return Cell{9, 100}; });
        ASSERT_NO_FATAL_FAILURE(expectSame(grid, naive));
    }
    EXPECT_EQ(errors, 24);
    Grid grid = makeGrid();
    const auto one = grid.setCell({1, -2, 3}, {14, 1});
    ASSERT_FALSE(one.ok());
    EXPECT_NE(one.error().message.find("unknown material 14 in cell (1, -2, 3)"), std::string::npos)
        << one.error().message;
    // Of occupancy 0 it is an empty cell as any other.
    EXPECT_TRUE(grid.setCell({1, -2, 3}, {14, 0}).ok());
    EXPECT_EQ(grid.chunkCount(), 0u);
    // What lies in the scratch block from the failed edit is not seen by the next.
    EXPECT_FALSE(fill(grid, {{0, 0, 0}, {4, 4, 4}}, {99, 9}).ok());
    EXPECT_EQ(grid.edit({{0, 0, 0}, {8, 8, 8}}, [](const EditBlock&) {})->changedCells, 0);
}

TEST(GridEdit, RefusesWhatIsOutsideOfTheLimitsByName) {
    Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({0, 0, 0}, kRock).ok());
    int calls = 0;
    const auto editMessage = [&](const CellBox& box) {
        const auto result = grid.edit(box, [&](const EditBlock&) { ++calls; });
        return result.ok() ? std::string() : result.error().message;
    };
    constexpr std::int32_t kL = kCellLimit;
    EXPECT_NE(editMessage({{0, 0, 0}, {1, 1, kL + 1}}).find("outside"), std::string::npos);
    EXPECT_NE(editMessage({{0, -kL - 1, 0}, {1, 1, 1}}).find("-268435457"), std::string::npos);
    EXPECT_NE(editMessage({{INT32_MIN, INT32_MIN, INT32_MIN}, {INT32_MAX, INT32_MAX, INT32_MAX}}), "");
    EXPECT_EQ(editMessage({{kL + 50, 0, 0}, {kL + 50, 0, 0}}), "");
    EXPECT_EQ(calls, 0);
    EXPECT_FALSE(grid.setCell({kL, 0, 0}, kRock).ok());
    EXPECT_FALSE(grid.setCell({0, 0, -kL - 1}, kRock).ok());
    EXPECT_EQ(grid.revision(), 1u);
    // The outermost cells are cells.
    for (const CellCoord corner : {CellCoord{kL - 1, kL - 1, kL - 1}, CellCoord{-kL, -kL, -kL}}) {
        EXPECT_TRUE(grid.setCell(corner, kSand).ok());
        EXPECT_EQ(grid.cell(corner), kSand);
        EXPECT_EQ(fill(grid, {corner, {corner.x + 1, corner.y + 1, corner.z + 1}}, kRock)->changedCells, 1);
    }
    EXPECT_EQ(grid.cell({INT32_MAX, INT32_MIN, 0}), Cell{});
}

TEST(GridEdit, V4_ReplacesWholeChunksAsOneEditAndSharesThem) {
    CountedGrid counted;
    Grid& grid = counted.grid;
    makeMixed(grid, {0, 0, 0});
    makeMixed(grid, {-1, 0, 0});
    const GridSnapshot before = grid.snapshot();
    ASSERT_TRUE(grid.setCell({3, 4, 5}, kSand).ok());
    ASSERT_TRUE(grid.setCell({6, 4, 9}, kSand).ok());
    const Revision revision = grid.revision();
    // Undo of the two cells, a removal, a paste and one that is there already.
    const std::vector<ChunkReplacement> chunks{{{5, 5, 5}, before.chunkRef({0, 0, 0})},
                                               {{0, 0, 0}, before.chunkRef({0, 0, 0})},
                                               {{1000 / 32, 0, 0}, ChunkRef()},
                                               {{-1, 0, 0}, before.chunkRef({-1, 0, 0})}};
    const int arrays = counted.counting.arrays;
    const auto summary = grid.replaceChunks(chunks);
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    EXPECT_EQ(counted.counting.arrays, arrays);
    EXPECT_EQ(summary->revision, revision + 1);
    EXPECT_EQ(summary->changedCells, 2 + 1 + kChunkCellCount);
    EXPECT_EQ(summary->bounds, (CellBox{{3, 0, 0}, {1001, 192, 192}}));
    EXPECT_EQ(grid.chunk({0, 0, 0}), before.chunk({0, 0, 0}));
    EXPECT_EQ(grid.chunk({5, 5, 5}), before.chunk({0, 0, 0}));
    EXPECT_EQ(grid.cell({1000, 0, 0}), Cell{});
    const GridChanges changes = grid.changesSince(grid.generation(), revision);
    ASSERT_EQ(changes.changed.size(), 2u);
    EXPECT_EQ(changes.changed[0], (ChunkChange{{0, 0, 0}, {{3, 4, 5}, {7, 5, 10}}}));
    EXPECT_EQ(changes.changed[1], (ChunkChange{{5, 5, 5}, chunkBox({5, 5, 5})}));
    EXPECT_EQ(changes.removed, (std::vector<ChunkCoord>{{1000 / 32, 0, 0}}));
    // Two places share one chunk: a write to one copies it.
    EXPECT_EQ(counted.arraysOf([&] { ASSERT_TRUE(grid.setCell({1, 1, 1}, kWater).ok()); }), 1);
    EXPECT_EQ(grid.cell({161, 161, 161}), kRock);
    // A chunk of empty cells is none.
    const std::vector<ChunkReplacement> empty{{{5, 5, 5}, Chunk::makeUniform({}, heapAllocator())},
                                              {{6, 5, 5}, Chunk::makeUniform({}, heapAllocator())}};
    EXPECT_EQ(grid.replaceChunks(empty)->changedCells, kChunkCellCount);
    EXPECT_EQ(grid.chunkCount(), 2u);
}

TEST(GridEdit, V4_RefusesWrongReplacementsAndChangesNothing) {
    Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({0, 0, 0}, kRock).ok());
    const ChunkRef rock = Chunk::makeUniform(kRock, heapAllocator());
    std::vector<Cell> cells(kChunkCellCount, kRock);
    cells[std::size_t(cellIndex(3, 4, 5))] = {77, 1};
    const ChunkRef unknown = Chunk::make(cells, heapAllocator());
    constexpr std::int32_t kL = kCellLimit / 32;
    const auto message = [&](std::vector<ChunkReplacement> chunks) {
        const auto result = grid.replaceChunks(chunks);
        EXPECT_EQ(grid.revision(), 1u);
        EXPECT_EQ(grid.chunkCount(), 1u);
        EXPECT_EQ(grid.cell({1, 0, 0}), Cell{});
        return result.ok() ? std::string() : result.error().message;
    };
    EXPECT_NE(message({{{0, 0, 0}, rock}, {{1, 0, 0}, rock}, {{0, 0, 0}, ChunkRef()}})
                  .find("(0, 0, 0) is given twice"),
              std::string::npos);
    EXPECT_NE(message({{{0, 0, 0}, rock}, {{0, kL, 0}, rock}}).find("outside"), std::string::npos);
    EXPECT_NE(message({{{0, 0, 0}, rock}, {{0, 0, -kL - 1}, rock}}).find("outside"), std::string::npos);
    EXPECT_NE(
        message({{{0, 0, 0}, rock}, {{1, 0, 0}, unknown}}).find("unknown material 77 in cell (35, 4, 5)"),
        std::string::npos);
    EXPECT_NE(message({{{0, 0, 0}, rock}, {{1, 0, 0}, Chunk::makeUniform({14, 2}, heapAllocator())}}), "");
    EXPECT_TRUE(grid.replaceChunks(std::vector<ChunkReplacement>{{{kL - 1, -kL, 0}, rock}}).ok());
}

TEST(GridEdit, V4_WritingAndRemovingForeverTakesNoMoreMemory) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    Grid grid = makeGrid(100, externals);
    const auto round = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const CellCoord c{i % 7 * 32, 0, i % 11 * -32};
            ASSERT_TRUE(grid.setCell(c, kRock).ok());
            if (i % 3 == 0) {
                ASSERT_GT(grid.clear().changedCells, 0);
            }
            ASSERT_TRUE(grid.setCell(c, {}).ok());
        }
        grid.clear();
    };
    round(200);
    const std::int64_t live = counting.liveBytes;
    const std::size_t said = grid.memoryBytes();
    round(3000);
    EXPECT_EQ(counting.liveBytes, live);
    EXPECT_EQ(grid.memoryBytes(), said);
}

TEST(GridEdit, V4_ClearRemovesEverythingAsOneEdit) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    {
        Grid grid = makeGrid(65536, externals);
        makeMixed(grid, {0, 0, 0});
        ASSERT_TRUE(grid.setCell({-70, 3, 900}, kRock).ok());
        const GridSnapshot before = grid.snapshot();
        const EditSummary summary = grid.clear();
        EXPECT_EQ(summary.revision, before.revision() + 1);
        EXPECT_EQ(summary.changedCells, kChunkCellCount + 1);
        EXPECT_EQ(summary.bounds, (CellBox{{-70, 0, 0}, {32, 32, 901}}));
        EXPECT_EQ(grid.chunkCount(), 0u);
        EXPECT_EQ(before.chunkCount(), 2u);
        const GridChanges changes = grid.changesSince(grid.generation(), before.revision());
        EXPECT_EQ(changes.removed.size(), 2u);
        EXPECT_TRUE(changes.changed.empty());
    }
    EXPECT_EQ(counting.liveBytes, 0);
}

}  // namespace
}  // namespace karst::voxel::test
