#include <gtest/gtest.h>
#include <karst/voxel/chunk.h>

#include <vector>

#include "grid_test.h"

namespace karst::voxel::test {
namespace {

TEST(Chunk, V1_AirOrOccupancyZeroIsStoredAsTheOneEmptyCell) {
    std::vector<Cell> cells(kChunkCellCount, kRock);
    cells[0] = {kAir, 255};
    cells[1] = {4, 0};
    cells[2] = {4, 1};
    cells[kChunkCellCount - 1] = {0, 7};
    const ChunkRef chunk = Chunk::make(cells, heapAllocator());
    EXPECT_EQ(chunk->cell(0), Cell{});
    EXPECT_EQ(chunk->cell(1), Cell{});
    EXPECT_EQ(chunk->cell(2), (Cell{4, 1}));
    EXPECT_EQ(chunk->cell(3), kRock);
    EXPECT_EQ(chunk->cells().back(), Cell{});
    EXPECT_EQ(Chunk::makeUniform({0, 9}, heapAllocator())->uniformCell(), Cell{});
    EXPECT_EQ(Chunk::makeUniform({9, 0}, heapAllocator())->uniformCell(), Cell{});
    // Both spellings of nothing are the same cell, so this chunk is one of nothing.
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = i % 2 ? Cell{0, 255} : Cell{7, 0};
    const ChunkRef nothing = Chunk::make(cells, heapAllocator());
    ASSERT_TRUE(nothing->uniform());
    EXPECT_EQ(nothing->uniformCell(), Cell{});
}

TEST(Chunk, V2_HoldsItsCellsInTheOrderOfTheIndex) {
    std::vector<Cell> cells(kChunkCellCount);
    Random random(1);
    for (Cell& cell : cells)
        cell = {static_cast<MaterialId>(random.integer(1, 13)),
                static_cast<std::uint8_t>(random.integer(1, 255))};
    const ChunkRef chunk = Chunk::make(cells, heapAllocator());
    std::vector<Cell> out(kChunkCellCount);
    chunk->copyTo(out);
    EXPECT_EQ(out, cells);
    EXPECT_TRUE(std::equal(cells.begin(), cells.end(), chunk->cells().begin(), chunk->cells().end()));
    for (int i = 0; i < kChunkCellCount; ++i)
        ASSERT_EQ(chunk->cell(i), cells[std::size_t(i)]);
    // x fastest, then z, then y; coordinates of the grid are as good as those of the chunk.
    EXPECT_EQ(cellIndex(1, 0, 0), 1);
    EXPECT_EQ(cellIndex(0, 0, 1), 32);
    EXPECT_EQ(cellIndex(0, 1, 0), 1024);
    EXPECT_EQ(cellIndex(-1, -1, -1), kChunkCellCount - 1);
    EXPECT_EQ(cellIndex(-32, 64, 32), 0);
}

TEST(Chunk, V2_AnArrayOfEqualCellsIsOneRecord) {
    std::vector<Cell> cells(kChunkCellCount, kSand);
    ChunkRef chunk = Chunk::make(cells, heapAllocator());
    EXPECT_TRUE(chunk->uniform());
    EXPECT_TRUE(chunk->cells().empty());
    EXPECT_EQ(chunk->uniformCell(), kSand);
    EXPECT_EQ(chunk->cell(777), kSand);
    std::vector<Cell> out(kChunkCellCount);
    chunk->copyTo(out);
    EXPECT_EQ(out, cells);
    EXPECT_LT(chunk->memoryBytes(), 256u);
    for (const std::size_t odd : {std::size_t{0}, std::size_t{31}, std::size_t{16000}, cells.size() - 1}) {
        cells[odd].occupancy = 99;
        chunk = Chunk::make(cells, heapAllocator());
        EXPECT_FALSE(chunk->uniform()) << odd;
        cells[odd] = kSand;
    }
    EXPECT_LE(chunk->memoryBytes(), 66u * 1024);
    EXPECT_GE(chunk->memoryBytes(), kArrayBytes);
}

TEST(Chunk, V3_IsFreedWithItsLastReference) {
    CountingAllocator counting;
    {
        std::vector<Cell> cells(kChunkCellCount, kSand);
        cells[5] = kRock;
        ChunkRef chunk = Chunk::make(cells, counting);
        EXPECT_EQ(counting.arrays, 1);
        EXPECT_EQ(counting.liveBytes, static_cast<std::int64_t>(chunk->memoryBytes()));
        ChunkRef second = chunk;
        EXPECT_TRUE(second == chunk);
        ChunkRef third = std::move(second);
        chunk = ChunkRef();
        second = third;
        third = Chunk::makeUniform(kRock, counting);
        EXPECT_EQ(second->cell(5), kRock);
        EXPECT_FALSE(second == third);
        EXPECT_EQ(counting.arrays, 1);
        const ChunkRef& self = second;
        second = self;
        EXPECT_EQ(second->cell(4), kSand);
    }
    EXPECT_EQ(counting.liveBytes, 0);
}

}  // namespace
}  // namespace karst::voxel::test
