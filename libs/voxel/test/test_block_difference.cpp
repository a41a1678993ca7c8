#include "block_difference.h"

#include <gtest/gtest.h>

#include <array>

#include "grid_test.h"
#include "row_difference.h"

namespace karst::voxel::test {
namespace {

// Chunks of several kinds: null, uniform, of few different cells, of one odd cell.
ChunkRef randomChunk(Random& random) {
    const auto cell = [&] {
        return Cell{static_cast<MaterialId>(random.integer(1, 3)),
                    static_cast<std::uint8_t>(random.integer(254, 255))};
    };
    const int kind = random.integer(0, 3);
    if (kind == 0) return {};
    if (kind == 1) return Chunk::makeUniform(cell(), heapAllocator());
    std::vector<Cell> cells(kChunkCellCount, cell());
    if (kind == 2) {
        cells[std::size_t(random.integer(0, kChunkCellCount - 1))] = cell();
    } else {
        for (Cell& c : cells)
            c = random.chance(0.1) ? Cell{} : cell();
    }
    return Chunk::make(cells, heapAllocator());
}

Cell cellOf(const ChunkRef& chunk, CellCoord c) {
    return chunk ? chunk->cell(cellIndex(c)) : Cell{};
}

TEST(BlockDifference, V4_FindsExactlyTheCellsThatDiffer) {
    Random random(4);
    std::vector<Cell> scratch(kChunkCellCount, Cell{200, 200});
    int unchanged = 0, unknown = 0, uniform = 0;
    for (int n = 0; n < 1500; ++n) {
        const ChunkRef before = randomChunk(random);
        const CellBox box = random.chance(0.2) ? kWholeChunk : randomBox(random, kWholeChunk, 32);
        std::fill(scratch.begin(), scratch.end(), Cell{200, 200});
        readBlock(before.get(), box, scratch.data());
        forEachCell(kWholeChunk, [&](CellCoord c) {
            const Cell got = scratch[std::size_t(cellIndex(c))];
            if (got != (box.contains(c) ? cellOf(before, c) : Cell{200, 200})) ADD_FAILURE();
        });
        // Writes: nothing, one cell, all the same, many; sometimes in another spelling of empty or unknown.
        const int kind = random.integer(0, 4);
        const Cell ink = random.chance(0.1)   ? Cell{14, 1}
                         : random.chance(0.2) ? Cell{0, 77}
                                              : Cell{static_cast<MaterialId>(random.integer(1, 13)), 255};
        const CellBox part = randomBox(random, box, 32);
        forEachCell(kind == 3 ? box : part, [&](CellCoord c) {
            Cell& cell = scratch[std::size_t(cellIndex(c))];
            if (kind == 1 && c == part.min) cell = ink;
            if (kind == 2 && random.chance(0.3)) cell = ink;
            if (kind >= 3) cell = ink;
        });
        BlockDifference want;
        forEachCell(box, [&](CellCoord c) {
            const Cell after = canonical(scratch[std::size_t(cellIndex(c))]);
            if (after == cellOf(before, c)) return;
            if (after.material >= 14 && !want.unknown) want.unknown = c;
            want.bounds = unite(want.bounds, {c, {c.x + 1, c.y + 1, c.z + 1}});
            ++want.count;
        });
        std::vector<Cell> result(kChunkCellCount);
        bool equal = true;
        forEachCell(kWholeChunk, [&](CellCoord c) {
            result[std::size_t(cellIndex(c))] =
                box.contains(c) ? canonical(scratch[std::size_t(cellIndex(c))]) : cellOf(before, c);
        });
        for (const Cell cell : result)
            equal = equal && cell == result[0];

        const BlockDifference got = compareBlock(before.get(), scratch.data(), box, 14);
        ASSERT_EQ(got.unknown, want.unknown);
        if (got.unknown) {
            ++unknown;
            continue;
        }
        ASSERT_EQ(got.count, want.count);
        ASSERT_EQ(got.bounds, want.bounds);
        if (got.count == 0) {
            ++unchanged;
            continue;
        }
        const auto one = uniformAfter(before.get(), scratch.data(), box);
        ASSERT_EQ(one.has_value(), equal);
        if (one) {
            ASSERT_EQ(*one, result[0]);
            ++uniform;
        }
        forEachCell(got.bounds, [&](CellCoord c) {
            const Cell cell = scratch[std::size_t(cellIndex(c))];
            if (cell != canonical(cell)) ADD_FAILURE();
        });
    }
    EXPECT_GT(unchanged, 100);
    EXPECT_GT(unknown, 50);
    EXPECT_GT(uniform, 50);
}

TEST(BlockDifference, V4_RowsAreComparedAlikeOnEveryProcessor) {
    Random random(11);
    std::array<Cell, 32> before, after;
    for (int n = 0; n < 20000; ++n) {
        const bool small = random.chance(0.5);
        const auto byte = [&] { return static_cast<std::uint8_t>(random.integer(0, small ? 2 : 255)); };
        for (std::size_t i = 0; i < 32; ++i) {
            before[i] = canonical({byte(), byte()});
            after[i] = random.chance(0.5) ? before[i] : Cell{byte(), byte()};
        }
        auto plain = after;
        const auto highest = static_cast<MaterialId>(random.chance(0.1) ? 255 : random.integer(0, 254));
        const RowDifference want = compareRowPlain(before.data(), plain.data(), highest);
        const RowDifference got = compareRow(before.data(), after.data(), highest);
        ASSERT_EQ(got.differ, want.differ);
        ASSERT_EQ(got.unknown, want.unknown);
        ASSERT_EQ(after, plain);
        ASSERT_EQ(differingCells(before.data(), after.data()), want.differ);
        ASSERT_EQ(differingCellsPlain(before.data(), after.data()), want.differ);
    }
}

TEST(BlockDifference, V4_ComparesWholeChunks) {
    Random random(5);
    for (int n = 0; n < 300; ++n) {
        const ChunkRef a = randomChunk(random), b = random.chance(0.1) ? a : randomChunk(random);
        BlockDifference want;
        forEachCell(kWholeChunk, [&](CellCoord c) {
            if (cellOf(a, c) == cellOf(b, c)) return;
            want.bounds = unite(want.bounds, {c, {c.x + 1, c.y + 1, c.z + 1}});
            ++want.count;
        });
        const BlockDifference got = compareChunks(a.get(), b.get());
        ASSERT_EQ(got.count, want.count);
        ASSERT_EQ(got.bounds, want.bounds);
    }
}

TEST(BlockDifference, V4_NamesTheFirstUnknownMaterial) {
    EXPECT_EQ(unknownMaterialIn(nullptr, 1), std::nullopt);
    const ChunkRef uniform = Chunk::makeUniform({14, 3}, heapAllocator());
    EXPECT_EQ(unknownMaterialIn(uniform.get(), 15), std::nullopt);
    EXPECT_EQ(unknownMaterialIn(uniform.get(), 14), (CellCoord{0, 0, 0}));
    std::vector<Cell> cells(kChunkCellCount, kRock);
    cells[std::size_t(cellIndex(3, 4, 5))] = {14, 1};
    cells[std::size_t(cellIndex(3, 4, 6))] = {15, 1};
    const ChunkRef mixed = Chunk::make(cells, heapAllocator());
    EXPECT_EQ(unknownMaterialIn(mixed.get(), 16), std::nullopt);
    EXPECT_EQ(unknownMaterialIn(mixed.get(), 15), (CellCoord{3, 4, 6}));
    EXPECT_EQ(unknownMaterialIn(mixed.get(), 14), (CellCoord{3, 4, 5}));
}

}  // namespace
}  // namespace karst::voxel::test
