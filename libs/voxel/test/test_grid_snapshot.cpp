#include "grid_test.h"

namespace karst::voxel::test {
namespace {

TEST(GridSnapshot, V3_OfAWholeGridCostsNoCellCopy) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    GridDefinition definition;
    definition.placement = {0.5, {10, -20, 30}};
    Grid grid = Grid::create(definition, externals).value();
    for (int i = 0; i < 40; ++i)
        makeMixed(grid, {i % 4, i / 16, i / 4 % 4});
    const int arrays = counting.arrays;
    const std::int64_t bytes = counting.liveBytes;
    const GridSnapshot snapshot = grid.snapshot();
    EXPECT_EQ(counting.arrays, arrays);
    // The shards' references, whatever the number of cells.
    EXPECT_LT(counting.liveBytes, bytes + 4096);
    EXPECT_EQ(snapshot.chunkCount(), 40u);
    EXPECT_EQ(snapshot.generation(), grid.generation());
    EXPECT_EQ(snapshot.revision(), grid.revision());
    EXPECT_EQ(snapshot.placement(), definition.placement);
    EXPECT_EQ(snapshot.materials(), grid.materials());
    EXPECT_EQ(snapshot.chunk({3, 1, 2}), grid.chunk({3, 1, 2}));
    EXPECT_EQ(snapshot.chunkRef({3, 1, 2}).get(), grid.chunk({3, 1, 2}));
    EXPECT_GE(snapshot.memoryBytes(), 40 * kArrayBytes);
    EXPECT_LE(snapshot.memoryBytes(), 40 * 66u * 1024);
}

TEST(GridSnapshot, V3_OutlivesItsGrid) {
    GridSnapshot snapshot;
    GridGeneration generation;
    {
        Grid grid = makeGrid();
        makeMixed(grid, {-3, 2, 1});
        snapshot = grid.snapshot();
        generation = grid.generation();
    }
    EXPECT_EQ(snapshot.cell({-96, 64, 32}), kGrass);
    EXPECT_EQ(snapshot.cell({-95, 64, 32}), kRock);
    EXPECT_EQ(snapshot.generation(), generation);
}

TEST(GridSnapshot, V2_ADefaultOneIsAnEmptyGrid) {
    const GridSnapshot snapshot;
    EXPECT_EQ(snapshot.chunkCount(), 0u);
    EXPECT_EQ(snapshot.chunk({0, 0, 0}), nullptr);
    EXPECT_FALSE(snapshot.chunkRef({0, 0, 0}));
    EXPECT_EQ(snapshot.chunkRevision({0, 0, 0}), 0u);
    EXPECT_EQ(snapshot.cell({1, 2, 3}), Cell{});
    EXPECT_TRUE(snapshot.chunkBounds().empty());
    snapshot.forEachChunk([](ChunkCoord, const Chunk&) { ADD_FAILURE(); });
    EXPECT_EQ(snapshot.materials(), MaterialTable::standard());
    EXPECT_EQ(snapshot.generation(), GridGeneration());
    EXPECT_LT(snapshot.memoryBytes(), 1024u);
}

TEST(GridSnapshot, V2_VisitsItsChunksInOrder) {
    Grid grid = makeGrid();
    Random random(8);
    std::map<ChunkCoord, Revision> known;
    for (int i = 0; i < 300; ++i) {
        const ChunkCoord c{random.integer(-20, 20), random.integer(-2, 2), random.integer(-20, 20)};
        const auto summary =
            grid.setCell(firstCell(c), {4, static_cast<std::uint8_t>(random.integer(1, 255))});
        if (summary->changedCells > 0) known[c] = summary->revision;
    }
    const GridSnapshot snapshot = grid.snapshot();
    std::vector<ChunkCoord> visited;
    CellBox bounds;
    snapshot.forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
        EXPECT_EQ(&chunk, snapshot.chunk(c));
        EXPECT_EQ(snapshot.chunkRevision(c), known.at(c));
        visited.push_back(c);
        bounds = unite(bounds, chunkBox(c));
    });
    EXPECT_EQ(visited.size(), known.size());
    EXPECT_EQ(visited.size(), snapshot.chunkCount());
    EXPECT_TRUE(std::is_sorted(visited.begin(), visited.end()));
    EXPECT_EQ(snapshot.chunkBounds(), bounds);
}

TEST(GridSnapshot, V6_ASelectiveOneKeepsTheChunksAndTheirNeighboursOnly) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    Grid grid = makeGrid(65536, externals);
    Random random(9);
    for (int y = -3; y < 4; ++y) {
        for (int z = -5; z < 6; ++z) {
            for (int x = -5; x < 6; ++x) {
                if (random.chance(0.7)) {
                    ASSERT_TRUE(grid.setCell(firstCell({x, y, z}), {4, 9}).ok());
                }
            }
        }
    }
    const GridSnapshot whole = grid.snapshot();
    for (int n = 0; n < 30; ++n) {
        std::vector<ChunkCoord> chosen;
        const int count = random.integer(0, 6);
        for (int i = 0; i < count; ++i)
            chosen.push_back({random.integer(-7, 7), random.integer(-5, 5), random.integer(-7, 7)});
        if (count > 2) chosen.push_back(chosen[0]);
        const int arrays = counting.arrays;
        const GridSnapshot some = grid.snapshot(chosen);
        EXPECT_EQ(counting.arrays, arrays);
        EXPECT_EQ(some.revision(), grid.revision());
        EXPECT_EQ(some.generation(), grid.generation());
        std::size_t want = 0;
        for (int y = -3; y < 4; ++y) {
            for (int z = -5; z < 6; ++z) {
                for (int x = -5; x < 6; ++x) {
                    const ChunkCoord c{x, y, z};
                    const bool near = std::any_of(chosen.begin(), chosen.end(), [&](ChunkCoord a) {
                        return std::abs(a.x - x) <= 1 && std::abs(a.y - y) <= 1 && std::abs(a.z - z) <= 1;
                    });
                    ASSERT_EQ(some.chunk(c), near ? grid.chunk(c) : nullptr);
                    ASSERT_EQ(some.chunkRevision(c), near ? whole.chunkRevision(c) : 0);
                    want += near && grid.chunk(c);
                }
            }
        }
        EXPECT_EQ(some.chunkCount(), want);
    }
}

TEST(GridSnapshot, V6_ASelectiveOneNeverChangesAndSharesOnlyWhatItKeeps) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    Grid grid = makeGrid(65536, externals);
    for (int x = 0; x < 6; ++x)
        makeMixed(grid, {x, 0, 0});
    const GridSnapshot some = grid.snapshot(std::vector<ChunkCoord>{{0, 0, 0}});
    const int arrays = counting.arrays;
    ASSERT_TRUE(fill(grid, {{3, 3, 3}, {190, 4, 4}}, kSand).ok());
    EXPECT_EQ(counting.arrays, arrays + 2);
    EXPECT_EQ(some.cell({3, 3, 3}), kRock);
    EXPECT_EQ(some.cell({40, 3, 3}), kRock);
    EXPECT_EQ(some.cell({80, 3, 3}), Cell{});
}

}  // namespace
}  // namespace karst::voxel::test
