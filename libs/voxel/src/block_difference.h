#pragma once

#include <karst/voxel/chunk.h>

#include <optional>

namespace karst::voxel {

// Boxes here are local: 0 <= min < max <= 32 within a chunk.

inline constexpr CellBox kWholeChunk{{0, 0, 0}, {kChunkSize, kChunkSize, kChunkSize}};
inline constexpr std::size_t kCellArrayBytes = kChunkCellCount * sizeof(Cell);

/// What an edit changes in a chunk.
struct BlockDifference {
    std::int32_t count = 0;
    /// The smallest box around the cells that differ.
    CellBox bounds;
    /// The first written cell whose material the grid does not know.
    std::optional<CellCoord> unknown;
};

/// The cells of `box`, or empty cells for a null chunk, into the array `out`.
void readBlock(const Chunk* chunk, const CellBox& box, Cell* out);

/// Compares the cells of `box` in the array `after` with the chunk's (null: empty) and makes those that
/// differ canonical before. Stops at the first cell whose material is not below `materialCount`.
BlockDifference compareBlock(const Chunk* before, Cell* after, const CellBox& box, std::size_t materialCount);

/// The same for whole chunks, null being empty.
BlockDifference compareChunks(const Chunk* before, const Chunk* after);

/// The first cell of the chunk (null: none) whose material is not below `materialCount`.
std::optional<CellCoord> unknownMaterialIn(const Chunk* chunk, std::size_t materialCount);

/// The one cell that the chunk consists of once `box` of the array `after` is written into it, if so.
std::optional<Cell> uniformAfter(const Chunk* before, const Cell* after, const CellBox& box);

/// Copies the cells of `box` from one array into the other.
void copyBlock(const Cell* from, Cell* to, const CellBox& box);

/// Copies the cells of `box` out of an array into one of `box.cellCount()` cells, and back.
void packBlock(const Cell* array, const CellBox& box, Cell* packed);
void unpackBlock(const Cell* packed, const CellBox& box, Cell* array);

}  // namespace karst::voxel
