#include "block_difference.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace karst::voxel {
namespace {

constexpr std::size_t kRowBytes = kChunkSize * sizeof(Cell);

using Row = std::array<Cell, kChunkSize>;

Row rowOf(Cell cell) {
    Row row;
    row.fill(cell);
    return row;
}

bool sameCells(const Cell* a, const Cell* b, std::int32_t count) {
    return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(Cell)) == 0;
}

// Adds what differs in one row to `difference`.
void addRow(const Cell* before, const Cell* after, const CellBox& box, std::int32_t y, std::int32_t z,
            BlockDifference& difference) {
    const std::int32_t width = box.max.x - box.min.x;
    std::int32_t count = 0;
    for (std::int32_t i = 0; i < width; ++i)
        count += before[i] == after[i] ? 0 : 1;
    if (count == 0) return;
    std::int32_t first = 0, last = width - 1;
    while (before[first] == after[first])
        ++first;
    while (before[last] == after[last])
        --last;
    const CellBox cells{{box.min.x + first, y, z}, {box.min.x + last + 1, y + 1, z + 1}};
    difference.bounds = unite(difference.bounds, cells);
    difference.count += count;
}

}  // namespace

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
    const Cell* array = before && !before->uniform() ? before->cells().data() : nullptr;
    const Row uniform = rowOf(before ? before->uniformCell() : Cell{});
    const std::int32_t width = box.max.x - box.min.x;
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
            const std::int32_t index = cellIndex(box.min.x, y, z);
            const Cell* old = array ? array + index : uniform.data();
            Cell* row = after + index;
            if (sameCells(old, row, width)) continue;
            MaterialId highest = 0;
            for (std::int32_t i = 0; i < width; ++i) {
                row[i] = canonical(row[i]);
                highest = std::max(highest, row[i].material);
            }
            if (highest >= materialCount) {
                std::int32_t i = 0;
                while (row[i].material < materialCount)
                    ++i;
                difference.unknown = CellCoord{box.min.x + i, y, z};
                return difference;
            }
            addRow(old, row, box, y, z, difference);
        }
    }
    return difference;
}

BlockDifference compareChunks(const Chunk* before, const Chunk* after) {
    BlockDifference difference;
    const auto arrayOf = [](const Chunk* chunk) {
        return chunk && !chunk->uniform() ? chunk->cells().data() : nullptr;
    };
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
            const Cell* a = arrays[0] ? arrays[0] + index : uniform[0].data();
            const Cell* b = arrays[1] ? arrays[1] + index : uniform[1].data();
            if (std::memcmp(a, b, kRowBytes) != 0) addRow(a, b, kWholeChunk, y, z, difference);
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
    const Cell* array = before && !before->uniform() ? before->cells().data() : nullptr;
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
