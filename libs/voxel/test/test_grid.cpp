#include <karst/voxel/grid.h>

#include <cmath>
#include <limits>

#include "grid_test.h"

namespace karst::voxel::test {
namespace {

TEST(Grid, V1_OccupancyIsEightBitsAndEmptyIsOneCell) {
    Grid grid = makeGrid();
    for (int occupancy = 1; occupancy < 256; ++occupancy) {
        const Cell cell{4, static_cast<std::uint8_t>(occupancy)};
        ASSERT_TRUE(grid.setCell({occupancy, 0, 0}, cell).ok());
        ASSERT_EQ(grid.cell({occupancy, 0, 0}), cell);
    }
    // Air with an occupancy, and occupancy 0 of a material, are the empty cell.
    for (const Cell nothing : {Cell{0, 255}, Cell{0, 1}, Cell{4, 0}, Cell{13, 0}}) {
        ASSERT_TRUE(grid.setCell({5, 0, 0}, kRock).ok());
        ASSERT_TRUE(grid.setCell({5, 0, 0}, nothing).ok());
        EXPECT_EQ(grid.cell({5, 0, 0}), Cell{});
        EXPECT_EQ(grid.setCell({5, 0, 0}, nothing)->changedCells, 0);
        ASSERT_TRUE(grid.setCell({5, 0, 0}, kRock).ok());
        ASSERT_TRUE(fill(grid, {{5, 0, 0}, {6, 1, 1}}, nothing).ok());
        EXPECT_EQ(grid.cell({5, 0, 0}), Cell{});
        EXPECT_EQ(fill(grid, {{5, 0, 0}, {6, 1, 1}}, nothing)->changedCells, 0);
    }
    const MaterialTable& table = grid.materials();
    ASSERT_TRUE(grid.setCell({0, 1, 0}, {1, 51}).ok());
    EXPECT_EQ(table.waterOccupancy(grid.cell({0, 1, 0})), 51);
    EXPECT_EQ(table.solidOccupancy(grid.cell({0, 1, 0})), 0);
    EXPECT_EQ(table.waterOccupancy(grid.cell({200, 0, 0})), 0);
    EXPECT_EQ(table.solidOccupancy(grid.cell({200, 0, 0})), 200);
}

TEST(Grid, V2_OnlyWrittenChunksExistAndUnwrittenCellsReadEmpty) {
    Grid grid = makeGrid();
    EXPECT_EQ(grid.cell({0, 0, 0}), Cell{});
    EXPECT_EQ(grid.cell({-1000, 5, 1 << 27}), Cell{});
    EXPECT_EQ(grid.chunk({0, 0, 0}), nullptr);
    EXPECT_EQ(grid.chunkCount(), 0u);
    ASSERT_TRUE(grid.setCell({-1, -1, -1}, kRock).ok());
    EXPECT_EQ(grid.chunkCount(), 1u);
    EXPECT_NE(grid.chunk({-1, -1, -1}), nullptr);
    EXPECT_EQ(grid.chunk({0, 0, 0}), nullptr);
    EXPECT_EQ(grid.cell({-2, -1, -1}), Cell{});
    // Writing empty cells into nothing makes nothing.
    ASSERT_TRUE(fill(grid, {{100, 100, 100}, {200, 110, 110}}, {}).ok());
    EXPECT_EQ(grid.chunkCount(), 1u);
    // A box over a hundred chunks that writes in one of them.
    const CellBox wide{{-320, 0, 0}, {320, 64, 96}};
    const auto summary = grid.edit(wide, [](const EditBlock& block) {
        if (block.chunk == ChunkCoord{-7, 1, 2}) block.at({-200, 40, 70}) = kSand;
    });
    EXPECT_EQ(summary->changedCells, 1);
    EXPECT_EQ(grid.chunkCount(), 2u);
}

TEST(Grid, V2_NegativeCoordinatesWorkLikePositiveOnes) {
    EXPECT_EQ(chunkOf({-1, -32, -33}), (ChunkCoord{-1, -1, -2}));
    EXPECT_EQ(chunkOf({0, 31, 32}), (ChunkCoord{0, 0, 1}));
    EXPECT_EQ(firstCell({-1, 0, 2}), (CellCoord{-32, 0, 64}));
    const CellBox box{{-40, -33, -1}, {3, 1, 70}};
    // The same edit at many places, moved by whole chunks, is the same chunks.
    Grid first = makeGrid();
    ASSERT_TRUE(fill(first, box, kRock).ok());
    for (const ChunkCoord move :
         {ChunkCoord{2, 2, 1}, ChunkCoord{-9, 0, -3}, ChunkCoord{0, -(1 << 22), 1 << 22}}) {
        const CellCoord by = firstCell(move);
        const CellBox moved{{box.min.x + by.x, box.min.y + by.y, box.min.z + by.z},
                            {box.max.x + by.x, box.max.y + by.y, box.max.z + by.z}};
        Grid grid = makeGrid();
        const auto summary = fill(grid, moved, kRock);
        EXPECT_EQ(summary->changedCells, box.cellCount());
        EXPECT_EQ(summary->bounds, moved);
        ASSERT_EQ(grid.chunkCount(), 3u * 3 * 4);
        first.snapshot().forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
            const Chunk* other = grid.chunk({c.x + move.x, c.y + move.y, c.z + move.z});
            ASSERT_NE(other, nullptr);
            std::vector<Cell> a(kChunkCellCount), b(kChunkCellCount);
            chunk.copyTo(a);
            other->copyTo(b);
            ASSERT_EQ(a, b);
        });
        EXPECT_EQ(grid.cell(moved.min), kRock);
        EXPECT_EQ(grid.cell({moved.min.x - 1, moved.min.y, moved.min.z}), Cell{});
        EXPECT_EQ(grid.cell(moved.max), Cell{});
    }
}

TEST(Grid, V3_WhatAChunkTakesInMemory) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    Grid grid = makeGrid(65536, externals);
    ASSERT_TRUE(grid.setCell({0, 0, 0}, kRock).ok());
    const auto perChunk = [&](int count, auto&& make) {
        const std::size_t known = grid.memoryBytes();
        const std::int64_t real = counting.liveBytes;
        for (int i = 0; i < count; ++i)
            make(ChunkCoord{i % 8, 1 + i / 64, i / 8 % 8});
        // What it says is what it takes, up to the histories, which are not the allocator's.
        EXPECT_GE(grid.memoryBytes() - known, static_cast<std::size_t>(counting.liveBytes - real));
        return (grid.memoryBytes() - known) / static_cast<std::size_t>(count);
    };
    EXPECT_LT(perChunk(512, [&](ChunkCoord c) { ASSERT_TRUE(fill(grid, chunkBox(c), kRock).ok()); }), 400u);
    EXPECT_LT(perChunk(512, [&](ChunkCoord c) { ASSERT_TRUE(grid.setCell(firstCell(c), kSand).ok()); }),
              66u * 1024);
    EXPECT_LT(grid.memoryBytes(), 513u * 66 * 1024 + 65536 + 16384);
    // Full again, they are one record again.
    const std::size_t full = grid.memoryBytes();
    for (int i = 0; i < 512; ++i)
        ASSERT_TRUE(grid.setCell(firstCell({i % 8, 1 + i / 64, i / 8 % 8}), kRock).ok());
    EXPECT_LT(grid.memoryBytes() + 512 * kArrayBytes, full + 1000);
}

TEST(Grid, V5_ACloneHasAGenerationOfItsOwnAndSharesEveryChunk) {
    CountingAllocator counting;
    Externals externals;
    externals.allocator = &counting;
    Grid grid = makeGrid(65536, externals);
    makeMixed(grid, {0, 0, 0});
    makeMixed(grid, {-1, 3, 5});
    const int arrays = counting.arrays;
    Grid clone = grid.clone();
    EXPECT_EQ(counting.arrays, arrays);
    EXPECT_EQ(clone.revision(), grid.revision());
    EXPECT_NE(clone.generation(), grid.generation());
    EXPECT_NE(clone.generation(), GridGeneration());
    EXPECT_NE(makeGrid().generation(), makeGrid().generation());
    EXPECT_EQ(clone.chunk({0, 0, 0}), grid.chunk({0, 0, 0}));
    EXPECT_EQ(clone.chunk({-1, 3, 5}), grid.chunk({-1, 3, 5}));
    EXPECT_EQ(clone.placement(), grid.placement());
    EXPECT_EQ(clone.materials(), grid.materials());
    // A reader of one is no reader of the other, at the very same revision.
    EXPECT_TRUE(clone.changesSince(grid.generation(), grid.revision()).fullRefresh);
    EXPECT_FALSE(clone.changesSince(clone.generation(), clone.revision()).fullRefresh);
    EXPECT_TRUE(clone.changesSince(clone.generation(), clone.revision() - 1).fullRefresh);
    // Both go on from the shared revision, each alone.
    ASSERT_TRUE(clone.setCell({1, 1, 1}, kSand).ok());
    ASSERT_TRUE(grid.setCell({2, 2, 2}, kSand).ok());
    EXPECT_EQ(clone.revision(), grid.revision());
    EXPECT_EQ(grid.cell({1, 1, 1}), kRock);
    EXPECT_EQ(clone.cell({2, 2, 2}), kRock);
    EXPECT_EQ(clone.chunk({-1, 3, 5}), grid.chunk({-1, 3, 5}));
    const GridChanges changes = clone.changesSince(clone.generation(), clone.revision() - 1);
    ASSERT_EQ(changes.changed.size(), 1u);
    EXPECT_EQ(changes.changed[0], (ChunkChange{{0, 0, 0}, {{1, 1, 1}, {2, 2, 2}}}));
}

TEST(Grid, V5_EachEditThatChangesSomethingAddsOne) {
    Grid grid = makeGrid();
    EXPECT_EQ(grid.revision(), 0u);
    EXPECT_EQ(grid.setCell({0, 0, 0}, kRock)->revision, 1u);
    EXPECT_EQ(fill(grid, {{-40, 0, 0}, {40, 40, 40}}, kSand)->revision, 2u);
    EXPECT_EQ(fill(grid, {{-40, 0, 0}, {40, 40, 40}}, kSand)->revision, 2u);
    EXPECT_EQ(grid.setCell({0, 0, 0}, kSand)->revision, 2u);
    EXPECT_EQ(grid.clear().revision, 3u);
    EXPECT_EQ(grid.clear().revision, 3u);
    EXPECT_EQ(grid.revision(), 3u);
    Grid moved = std::move(grid);
    EXPECT_EQ(moved.revision(), 3u);
}

TEST(Grid, RefusesWrongDefinitionsByName) {
    const auto message = [](auto&& change) {
        GridDefinition definition;
        change(definition);
        const auto grid = Grid::create(definition);
        return grid.ok() ? std::string() : grid.error().message;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double size : {0.0, -4.0, nan, infinity})
        EXPECT_NE(message([&](GridDefinition& d) { d.placement.cellSize = size; }).find("cell size"),
                  std::string::npos);
    EXPECT_NE(message([&](GridDefinition& d) { d.placement.origin.y = nan; }).find("origin"),
              std::string::npos);
    EXPECT_NE(message([&](GridDefinition& d) { d.placement.origin.z = infinity; }).find("origin"),
              std::string::npos);
    EXPECT_NE(message([&](GridDefinition& d) { d.removalLogCapacity = 0; }).find("removal log"),
              std::string::npos);
    EXPECT_EQ(message([](GridDefinition&) {}), "");
}

}  // namespace
}  // namespace karst::voxel::test
