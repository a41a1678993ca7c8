#include "grid_test.h"

namespace karst::voxel::test {
namespace {

TEST(GridChanges, V7_ReadersHearOfChangesAndRemovals) {
    Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({1, 2, 3}, kRock).ok());
    ASSERT_TRUE(grid.setCell({-1, 2, 3}, kRock).ok());
    GridChanges seen = grid.changesSince(grid.generation(), 0);
    EXPECT_FALSE(seen.fullRefresh);
    EXPECT_EQ(seen.generation, grid.generation());
    EXPECT_EQ(seen.revision, 2u);
    ASSERT_EQ(seen.changed.size(), 2u);
    // Both are new to the reader.
    EXPECT_EQ(seen.changed[0], (ChunkChange{{-1, 0, 0}, chunkBox({-1, 0, 0})}));
    EXPECT_EQ(seen.changed[1], (ChunkChange{{0, 0, 0}, chunkBox({0, 0, 0})}));
    ASSERT_TRUE(grid.setCell({1, 2, 4}, kRock).ok());
    ASSERT_TRUE(grid.setCell({-1, 2, 3}, {}).ok());
    seen = grid.changesSince(seen.generation, seen.revision);
    ASSERT_EQ(seen.changed.size(), 1u);
    EXPECT_EQ(seen.changed[0], (ChunkChange{{0, 0, 0}, {{1, 2, 4}, {2, 3, 5}}}));
    EXPECT_EQ(seen.removed, (std::vector<ChunkCoord>{{-1, 0, 0}}));
    seen = grid.changesSince(seen.generation, seen.revision);
    EXPECT_TRUE(seen.changed.empty() && seen.removed.empty() && !seen.fullRefresh);
}

TEST(GridChanges, V7_AnotherGenerationANewerOrALostRevisionStartOver) {
    Grid grid = makeGrid(2);
    ASSERT_TRUE(grid.setCell({0, 0, 0}, kRock).ok());
    const auto expectFull = [&](const GridGeneration& generation, Revision revision, bool full) {
        const GridChanges changes = grid.changesSince(generation, revision);
        EXPECT_EQ(changes.fullRefresh, full) << revision;
        EXPECT_EQ(changes.generation, grid.generation());
        EXPECT_EQ(changes.revision, grid.revision());
        if (full) {
            EXPECT_TRUE(changes.changed.empty() && changes.removed.empty());
        }
    };
    expectFull(GridGeneration(), 0, true);
    expectFull(makeGrid().generation(), 1, true);
    expectFull(grid.generation(), 2, true);
    expectFull(grid.generation(), ~Revision{0}, true);
    expectFull(grid.generation(), 1, false);
    expectFull(grid.generation(), 0, false);
    // Revision 3, 5 and 7 remove; the log holds two of them.
    for (int x = 1; x <= 3; ++x) {
        ASSERT_TRUE(grid.setCell({32 * x, 0, 0}, kRock).ok());
        ASSERT_TRUE(grid.setCell({32 * x, 0, 0}, {}).ok());
    }
    expectFull(grid.generation(), 2, true);
    expectFull(grid.generation(), 3, false);
    EXPECT_EQ(grid.changesSince(grid.generation(), 3).removed,
              (std::vector<ChunkCoord>{{2, 0, 0}, {3, 0, 0}}));
    // One edit that removes more than the log holds.
    ASSERT_TRUE(fill(grid, {{0, 0, 0}, {160, 1, 1}}, kRock).ok());
    const Revision before = grid.revision();
    grid.clear();
    expectFull(grid.generation(), before, true);
    expectFull(grid.generation(), before + 1, false);
}

TEST(GridChanges, V7_AChunkRemovedAndWrittenAgainIsChangedAsAWhole) {
    Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({4, 4, 4}, kRock).ok());
    const Revision seen = grid.revision();
    ASSERT_TRUE(grid.setCell({4, 4, 4}, {}).ok());
    const Revision between = grid.revision();
    ASSERT_TRUE(grid.setCell({9, 9, 9}, kRock).ok());
    for (const Revision since : {seen, between}) {
        GridChanges changes = grid.changesSince(grid.generation(), since);
        EXPECT_TRUE(changes.removed.empty());
        ASSERT_EQ(changes.changed.size(), 1u);
        EXPECT_EQ(changes.changed[0], (ChunkChange{{0, 0, 0}, chunkBox({0, 0, 0})}));
    }
    // Many edits later it still is, to those who saw it before.
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(grid.setCell({i, 9, 9}, kSand).ok());
    EXPECT_EQ(grid.changesSince(grid.generation(), seen).changed[0].extent, chunkBox({0, 0, 0}));
}

TEST(GridChanges, V7_AChunkThatCameAndWentIsReportedRemoved) {
    Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({4, 4, 4}, kRock).ok());
    ASSERT_TRUE(grid.setCell({4, 4, 4}, {}).ok());
    ASSERT_TRUE(grid.setCell({4, 4, 4}, kRock).ok());
    ASSERT_TRUE(grid.setCell({4, 4, 4}, {}).ok());
    const GridChanges changes = grid.changesSince(grid.generation(), 0);
    EXPECT_TRUE(changes.changed.empty());
    EXPECT_EQ(changes.removed, (std::vector<ChunkCoord>{{0, 0, 0}}));
}

TEST(GridChanges, V8_SixEditsAreJoinedAndTheSeventhExpiresTheFirst) {
    Grid grid = makeGrid();
    makeMixed(grid, {-1, -1, -1});
    const Revision seen = grid.revision();
    const auto extent = [&](Revision since) {
        return grid.changesSince(grid.generation(), since).changed.at(0).extent;
    };
    for (int i = 0; i < 6; ++i)
        ASSERT_TRUE(grid.setCell({-20 + i, -10, -9 - i}, kSand).ok());
    EXPECT_EQ(extent(seen), (CellBox{{-20, -10, -14}, {-14, -9, -8}}));
    EXPECT_EQ(extent(seen + 4), (CellBox{{-16, -10, -14}, {-14, -9, -12}}));
    ASSERT_TRUE(grid.setCell({-3, -3, -3}, kSand).ok());
    EXPECT_EQ(extent(seen), chunkBox({-1, -1, -1}));
    EXPECT_EQ(extent(seen + 1), (CellBox{{-19, -10, -14}, {-2, -2, -2}}));
    EXPECT_EQ(extent(seen + 6), (CellBox{{-3, -3, -3}, {-2, -2, -2}}));
}

// Whether some cell of `extent` lies within `reach` cells of the chunk, cell by cell.
bool sampled(ChunkCoord chunk, const CellBox& extent, std::int32_t reach) {
    bool any = false;
    const CellCoord first = firstCell(chunk);
    forEachCell(extent, [&](CellCoord c) {
        const auto inside = [&](std::int32_t v, std::int32_t low) {
            return v >= low - reach && v < low + 32 + reach;
        };
        any = any || (inside(c.x, first.x) && inside(c.y, first.y) && inside(c.z, first.z));
    });
    return any;
}

TEST(GridChanges, V9_ANeighbourIsReachedOnlyWhereItSamplesTheEdit) {
    const std::int32_t reaches[4] = {2, 4, 8, 16};
    Random random(10);
    std::set<std::size_t> counts;
    for (int n = 0; n < 200; ++n) {
        GridChanges changes;
        const int edits = random.integer(1, 3);
        std::set<ChunkCoord> chosen;
        for (int i = 0; i < edits; ++i) {
            const ChunkCoord chunk{random.integer(-2, 1), random.integer(-1, 0), random.integer(-2, 1)};
            if (!chosen.insert(chunk).second) continue;
            changes.changed.push_back({chunk, randomBox(random, chunkBox(chunk), random.integer(1, 12))});
        }
        std::set<ChunkCoord> removedOnes;
        if (random.chance(0.2)) {
            const ChunkCoord chunk{random.integer(-2, 1), 1, random.integer(-2, 1)};
            changes.removed.push_back(chunk);
            removedOnes.insert(chunk);
        }
        for (int level = 0; level < 4; ++level) {
            std::vector<ChunkCoord> want;
            for (int y = -4; y < 5; ++y) {
                for (int z = -5; z < 5; ++z) {
                    for (int x = -5; x < 5; ++x) {
                        const ChunkCoord c{x, y, z};
                        bool hit = std::any_of(
                            changes.changed.begin(), changes.changed.end(),
                            [&](const auto& change) { return sampled(c, change.extent, reaches[level]); });
                        for (const ChunkCoord r : removedOnes)
                            hit = hit || (std::abs(r.x - x) <= 1 && std::abs(r.y - y) <= 1 &&
                                          std::abs(r.z - z) <= 1);
                        if (hit) want.push_back(c);
                    }
                }
            }
            ASSERT_EQ(meshReach(level), reaches[level]);
            ASSERT_EQ(invalidatedChunks(changes, level), want) << level;
            if (edits == 1 && removedOnes.empty()) counts.insert(want.size());
        }
    }
    // Itself alone, over a face, an edge and a corner, and over two opposite sides.
    for (const std::size_t count : {1u, 2u, 4u, 8u})
        EXPECT_EQ(counts.count(count), 1u) << count;
}

TEST(GridChanges, V9_FromTheGridsOwnChanges) {
    Grid grid = makeGrid();
    const std::vector<ChunkCoord> all = NaiveGrid::allChunks();
    for (const ChunkCoord c : all)
        ASSERT_TRUE(fill(grid, chunkBox(c), kRock).ok());
    const auto reached = [&](CellCoord cell, Cell to, int level) {
        const Revision before = grid.revision();
        EXPECT_TRUE(grid.setCell(cell, to).ok());
        return invalidatedChunks(grid.changesSince(grid.generation(), before), level);
    };
    const ChunkCoord middle{-1, -1, -1};
    EXPECT_EQ(reached({-16, -16, -16}, kSand, 2), (std::vector<ChunkCoord>{middle}));
    EXPECT_EQ(reached({-30, -16, -16}, kSand, 0), (std::vector<ChunkCoord>{middle}));
    EXPECT_EQ(reached({-31, -16, -16}, kSand, 0), (std::vector<ChunkCoord>{{-2, -1, -1}, middle}));
    EXPECT_EQ(reached({-2, -16, -16}, kSand, 0), (std::vector<ChunkCoord>{middle, {0, -1, -1}}));
    EXPECT_EQ(reached({-3, -16, -16}, kSand, 0), (std::vector<ChunkCoord>{middle}));
    EXPECT_EQ(reached({-4, -16, -16}, kSand, 1), (std::vector<ChunkCoord>{middle, {0, -1, -1}}));
    EXPECT_EQ(reached({-16, -1, -1}, kSand, 0).size(), 4u);
    EXPECT_EQ(reached({-1, -1, -1}, kSand, 0).size(), 8u);
    EXPECT_EQ(reached({-1, -16, -16}, kSand, 3).size(), 8u);
    // Removing a chunk: itself and all 26, though its cell lay in its middle.
    ASSERT_TRUE(grid.setCell({336, 336, 336}, kRock).ok());
    EXPECT_EQ(reached({336, 336, 336}, {}, 0).size(), 27u);
}

// A reader that keeps its own copy of all cells and mends it by what it is told.
struct Reader {
    GridGeneration generation;
    Revision revision = 0;
    NaiveGrid known;

    void read(const Grid& grid, const NaiveGrid& naive, int& fullRefreshes) {
        const GridChanges got = grid.changesSince(generation, revision);
        ASSERT_EQ(got.generation, grid.generation());
        ASSERT_EQ(got.revision, grid.revision());
        const bool foreign = generation != grid.generation();
        const GridChanges want = naive.changesSince(revision);
        ASSERT_EQ(got.fullRefresh, foreign || want.fullRefresh);
        if (got.fullRefresh) {
            ++fullRefreshes;
            ASSERT_TRUE(got.changed.empty() && got.removed.empty());
            known = naive;
        } else {
            ASSERT_EQ(got.changed, want.changed);
            ASSERT_EQ(got.removed, want.removed);
            // No removal is missed ...
            for (const auto& [chunk, edits] : known.chunks) {
                if (grid.chunk(chunk)) continue;
                ASSERT_TRUE(std::binary_search(got.removed.begin(), got.removed.end(), chunk));
            }
            // ... and nothing has changed outside of what is reported.
            for (const ChunkCoord chunk : got.removed)
                forEachCell(chunkBox(chunk), [&](CellCoord c) { known.cells[NaiveGrid::indexOf(c)] = {}; });
            for (const ChunkChange& change : got.changed) {
                ASSERT_EQ(intersect(change.extent, chunkBox(change.chunk)), change.extent);
                forEachCell(change.extent,
                            [&](CellCoord c) { known.cells[NaiveGrid::indexOf(c)] = grid.cell(c); });
            }
            ASSERT_TRUE(known.cells == naive.cells);
            known.chunks = naive.chunks;
        }
        generation = got.generation;
        revision = got.revision;
    }
};

struct Script {
    explicit Script(std::uint64_t seed) : random(seed) {
        capacity = static_cast<std::uint32_t>(random.integer(1, 12));
        worlds.push_back(makeWorld());
    }

    struct World {
        Grid grid;
        NaiveGrid naive;
        std::vector<Reader> readers;
    };

    World makeWorld() {
        World world{makeGrid(capacity), {}, std::vector<Reader>(3)};
        world.naive.removalCapacity = capacity;
        return world;
    }

    Cell randomCell() {
        if (random.chance(0.15)) return {0, static_cast<std::uint8_t>(random.integer(0, 255))};
        return {static_cast<MaterialId>(random.integer(1, 13)),
                static_cast<std::uint8_t>(random.chance(0.5) ? 255 : random.integer(0, 255))};
    }
    CellBox randomPlace() {
        const int kind = random.integer(0, 9);
        if (kind < 5) return randomBox(random, NaiveGrid::kBox, 9);
        if (kind < 7) return randomBox(random, NaiveGrid::kBox, 50);
        const auto all = NaiveGrid::allChunks();
        const CellBox box = chunkBox(all[std::size_t(random.integer(0, 26))]);
        if (kind < 9) return box;
        // Some chunks as a whole and their neighbours in part.
        return intersect(
            {{box.min.x - 5, box.min.y, box.min.z - 7}, {box.max.x, box.max.y + 3, box.max.z + 32}},
            NaiveGrid::kBox);
    }

    EditSummary boxEdit(World& world, std::vector<Cell>& after) {
        const Cell ink = random.chance(0.35) ? Cell{} : randomCell();
        const double density = random.chance(0.6) ? 1 : random.unit();
        const bool noisy = random.chance(0.3);
        const auto summary = world.grid.edit(randomPlace(), [&](const EditBlock& block) {
            forEachCell(block.box, [&](CellCoord c) {
                if (density < 1 && !random.chance(density)) return;
                block.at(c) = noisy ? randomCell() : ink;
                after[NaiveGrid::indexOf(c)] = canonical(block.at(c));
            });
        });
        EXPECT_TRUE(summary.ok());
        return *summary;
    }

    EditSummary chunkEdit(World& world, std::vector<Cell>& after) {
        std::vector<ChunkReplacement> chunks;
        for (const ChunkCoord coord : NaiveGrid::allChunks()) {
            if (!random.chance(0.15)) continue;
            ChunkRef cells;
            if (!snapshots.empty() && random.chance(0.7)) {
                const auto& from = snapshots[std::size_t(random.integer(0, int(snapshots.size()) - 1))].first;
                cells = from.chunkRef(coord);
            } else if (random.chance(0.5)) {
                cells = Chunk::makeUniform(randomCell(), heapAllocator());
            }
            forEachCell(chunkBox(coord), [&](CellCoord c) {
                after[NaiveGrid::indexOf(c)] = cells ? cells->cell(cellIndex(c)) : Cell{};
            });
            chunks.push_back({coord, cells});
        }
        std::reverse(chunks.begin(), chunks.end());
        const auto summary = world.grid.replaceChunks(chunks);
        EXPECT_TRUE(summary.ok());
        return *summary;
    }

    void edit(World& world) {
        std::vector<Cell> after = world.naive.cells;
        EditSummary got;
        const int kind = random.integer(0, 99);
        if (kind < 35) {
            // Mostly in one chunk, so that its history overflows.
            const CellBox place =
                randomBox(random, random.chance(0.7) ? chunkBox({-1, -1, -1}) : NaiveGrid::kBox, 1);
            const Cell cell = random.chance(0.3) ? world.naive.cell(place.min) : randomCell();
            after[NaiveGrid::indexOf(place.min)] = canonical(cell);
            got = world.grid.setCell(place.min, cell).value();
        } else if (kind < 80) {
            got = boxEdit(world, after);
        } else if (kind < 96) {
            got = chunkEdit(world, after);
        } else if (kind < 97) {
            std::fill(after.begin(), after.end(), Cell{});
            got = world.grid.clear();
        } else {
            EXPECT_FALSE(fill(world.grid, randomPlace(), {200, 1}).ok());
            got.revision = world.grid.revision();
        }
        const EditSummary want = world.naive.become(std::move(after));
        ASSERT_EQ(got.changedCells, want.changedCells);
        ASSERT_EQ(got.bounds, want.bounds);
        ASSERT_EQ(got.revision, want.revision);
        ASSERT_EQ(world.grid.revision(), want.revision);
    }

    void step() {
        World& world = worlds[std::size_t(random.integer(0, int(worlds.size()) - 1))];
        ASSERT_NO_FATAL_FAILURE(edit(world));
        if (random.chance(0.1)) {
            ASSERT_NO_FATAL_FAILURE(expectSame(world.grid, world.naive));
        }
        for (Reader& reader : world.readers) {
            if (!random.chance(0.12)) continue;
            ASSERT_NO_FATAL_FAILURE(reader.read(world.grid, world.naive, fullRefreshes));
        }
        if (random.chance(0.1)) {
            if (snapshots.size() == 4) {
                const auto it = snapshots.begin() + random.integer(0, 3);
                ASSERT_NO_FATAL_FAILURE(expectSame(it->first, it->second));
                snapshots.erase(it);
            }
            snapshots.emplace_back(world.grid.snapshot(), world.naive);
        }
        if (random.chance(0.03)) {
            if (worlds.size() == 3) worlds.erase(worlds.begin() + random.integer(0, 2));
            const World& from = worlds[std::size_t(random.integer(0, int(worlds.size()) - 1))];
            // Its readers may be those of the original.
            World clone{from.grid.clone(), from.naive, from.readers};
            clone.naive.first = clone.naive.revision;
            clone.naive.removals.clear();
            for (Reader& reader : clone.readers) {
                if (random.chance(0.5))
                    reader = {clone.grid.generation(), clone.grid.revision(), clone.naive};
            }
            worlds.push_back(std::move(clone));
        }
    }

    Random random;
    std::uint32_t capacity = 0;
    std::vector<World> worlds;
    std::vector<std::pair<GridSnapshot, NaiveGrid>> snapshots;
    int fullRefreshes = 0;
};

TEST(GridChanges, V7_V8_RandomScriptsAgainstANaiveModel) {
    int fullRefreshes = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Script script(seed);
        for (int i = 0; i < 110; ++i)
            ASSERT_NO_FATAL_FAILURE(script.step()) << seed << " " << i;
        for (auto& world : script.worlds) {
            ASSERT_NO_FATAL_FAILURE(expectSame(world.grid, world.naive));
            for (Reader& reader : world.readers)
                ASSERT_NO_FATAL_FAILURE(reader.read(world.grid, world.naive, script.fullRefreshes));
        }
        for (const auto& [snapshot, naive] : script.snapshots)
            ASSERT_NO_FATAL_FAILURE(expectSame(snapshot, naive));
        fullRefreshes += script.fullRefreshes;
    }
    EXPECT_GT(fullRefreshes, 10);
}

}  // namespace
}  // namespace karst::voxel::test
