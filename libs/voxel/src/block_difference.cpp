#include "block_difference.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "row_difference.h"

namespace karst::voxel {
namespace {

using Row = std::array<Cell, kChunkSize>;

Row rowOf(Cell cell) {
    Row row;
    row.fill(cell);
    return row;
}

const Cell* arrayOf(const Chunk* chunk) {
    return chunk && !chunk->uniform() ? chunk->cells().data() : nullptr;
}

bool sameCells(const Cell* a, const Cell* b, std::int32_t count) {
    return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(Cell)) == 0;
}

// Without an instruction for it, std::popcount is a call into the compiler's library.
std::int32_t countBits(std::uint32_t bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0fu;
    return static_cast<std::int32_t>(bits * 0x01010101u >> 24);
}

// Adds the cells of the row at (y, z) that `differ` has bits for.
void addRow(std::uint32_t differ, std::int32_t y, std::int32_t z, BlockDifference& difference) {
    const std::int32_t first = std::countr_zero(differ), end = kChunkSize - std::countl_zero(differ);
    difference.bounds = unite(difference.bounds, {{first, y, z}, {end, y + 1, z + 1}});
    difference.count += countBits(differ);
}

}  // namespace

void packBlock(const Cell* array, const CellBox& box, Cell* packed) {
    const std::int32_t width = box.max.x - box.min.x;
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z, packed += width)
            std::copy_n(array + cellIndex(box.min.x, y, z), width, packed);
    }
}

void unpackBlock(const Cell* packed, const CellBox& box, Cell* array) {
    const std::int32_t width = box.max.x - box.min.x;
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z, packed += width)
            std::copy_n(packed, width, array + cellIndex(box.min.x, y, z));
    }
}

void copyBlock(const Cell* from, Cell* to, const CellBox& box) {
    if (box == kWholeChunk) {
        std::memcpy(to, from, kCellArrayBytes);
        return;
    }
    const std::size_t bytes = static_cast<std::size_t>(box.max.x - box.min.x) * sizeof(Cell);
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
            const std::int32_t index = cellIndex(box.min.x, y, z);
            std::memcpy(to + index, from + index, bytes);
        }
    }
}

void readBlock(const Chunk* chunk, const CellBox& box, Cell* out) {
    if (chunk && !chunk->uniform()) {
        copyBlock(chunk->cells().data(), out, box);
        return;
    }
    const Cell cell = chunk ? chunk->uniformCell() : Cell{};
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z)
            std::fill_n(out + cellIndex(box.min.x, y, z), box.max.x - box.min.x, cell);
    }
}

BlockDifference compareBlock(const Chunk* before, Cell* after, const CellBox& box,
                             std::size_t materialCount) {
    BlockDifference difference;
    const Cell* array = arrayOf(before);
    const Row uniform = rowOf(before ? before->uniformCell() : Cell{});
    const auto highest = static_cast<MaterialId>(materialCount - 1);
    // Whole rows are compared, and the columns of the box picked after.
    const std::uint32_t columns = (~0u >> (kChunkSize - (box.max.x - box.min.x))) << box.min.x;
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
            const std::int32_t index = cellIndex(0, y, z);
            const RowDifference row =
                compareRow(array ? array + index : uniform.data(), after + index, highest);
            if ((row.differ & columns) == 0) continue;
            if ((row.unknown & columns) != 0) {
                difference.unknown = CellCoord{std::countr_zero(row.unknown & columns), y, z};
                return difference;
            }
            addRow(row.differ & columns, y, z, difference);
        }
    }
    return difference;
}

BlockDifference compareChunks(const Chunk* before, const Chunk* after) {
    BlockDifference difference;
    const Cell* arrays[2] = {arrayOf(before), arrayOf(after)};
    const Row uniform[2] = {rowOf(before ? before->uniformCell() : Cell{}),
                            rowOf(after ? after->uniformCell() : Cell{})};
    if (!arrays[0] && !arrays[1]) {
        if (uniform[0] != uniform[1]) difference = {kChunkCellCount, kWholeChunk, {}};
        return difference;
    }
    for (std::int32_t y = 0; y < kChunkSize; ++y) {
        for (std::int32_t z = 0; z < kChunkSize; ++z) {
            const std::int32_t index = cellIndex(0, y, z);
            const std::uint32_t differ = differingCells(arrays[0] ? arrays[0] + index : uniform[0].data(),
                                                        arrays[1] ? arrays[1] + index : uniform[1].data());
            if (differ != 0) addRow(differ, y, z, difference);
        }
    }
    return difference;
}

std::optional<CellCoord> unknownMaterialIn(const Chunk* chunk, std::size_t materialCount) {
    if (!chunk) return std::nullopt;
    if (chunk->uniform()) {
        if (chunk->uniformCell().material < materialCount) return std::nullopt;
        return CellCoord{};
    }
    const Cell* cells = chunk->cells().data();
    MaterialId highest = 0;
    for (std::int32_t i = 0; i < kChunkCellCount; ++i)
        highest = std::max(highest, cells[i].material);
    if (highest < materialCount) return std::nullopt;
    std::int32_t i = 0;
    while (cells[i].material < materialCount)
        ++i;
    return CellCoord{i % kChunkSize, i / (kChunkSize * kChunkSize), i / kChunkSize % kChunkSize};
}

std::optional<Cell> uniformAfter(const Chunk* before, const Cell* after, const CellBox& box) {
    const Cell cell = after[cellIndex(box.min)];
    const Row wanted = rowOf(cell);
    if (box != kWholeChunk) {
        // A chunk that was of one other cell still has some of it.
        if (!before || before->uniform()) return std::nullopt;
        // The last cell tells most chunks apart; the rows below start at the first.
        const std::int32_t last = kChunkCellCount - 1;
        const bool written = box.contains({kChunkSize - 1, kChunkSize - 1, kChunkSize - 1});
        if ((written ? after[last] : before->cell(last)) != cell) return std::nullopt;
    }
    const Cell* array = arrayOf(before);
    for (std::int32_t y = 0; y < kChunkSize; ++y) {
        for (std::int32_t z = 0; z < kChunkSize; ++z) {
            const std::int32_t index = cellIndex(0, y, z);
            if (!box.contains({box.min.x, y, z})) {
                if (!sameCells(array + index, wanted.data(), kChunkSize)) return std::nullopt;
                continue;
            }
            const std::int32_t right = kChunkSize - box.max.x;
            if (!sameCells(after + index + box.min.x, wanted.data(), box.max.x - box.min.x)) {
                return std::nullopt;
            }
            if (box.min.x > 0 && !sameCells(array + index, wanted.data(), box.min.x)) return std::nullopt;
            if (right > 0 && !sameCells(array + index + box.max.x, wanted.data(), right)) return std::nullopt;
        }
    }
    return cell;
}

}  // namespace karst::voxel
