#pragma once

#include <karst/base/result.h>
#include <karst/voxel/chunk.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace karst::voxel {

/// The chunk codec: the 32768 cells of a chunk as bytes of their own checksum, version 1 of
/// docs/formats/voxel_chunk_v1.md. Lossless and deterministic: equal cells give equal bytes on every machine.
/// A uniform chunk takes 8 bytes, terrain a few thousand, random cells at most kMaxChunkBytes.

/// The version that encodeChunk() writes; decodeChunk() reads this one only.
inline constexpr std::uint8_t kChunkCodecVersion = 1;
/// What a chunk takes at most.
inline constexpr std::size_t kMaxChunkBytes = 2 * kChunkCellCount + 512;

/// Working memory of the codec, about 450 KiB once used. Make one per thread and use it again: encoding and
/// decoding then allocate nothing.
struct ChunkCodecScratch {
    std::vector<std::uint8_t> occupancy, residual, line, materials;
    std::vector<std::uint32_t> tokens;
    std::vector<std::byte> stream;
    std::vector<Cell> cells;
};

/// Replaces `out` by the coded cells. `cells` holds 32768 canonical ones in the order of cellIndex().
void encodeChunkCells(std::span<const Cell> cells, ChunkCodecScratch& scratch, std::vector<std::byte>& out);
void encodeChunk(const Chunk& chunk, ChunkCodecScratch& scratch, std::vector<std::byte>& out);

/// Bytes that nobody vouches for. Writes `cells`, 32768 of them; where it returns a cell, all cells are that
/// one and `cells` was left alone. `materialCount` is the size of the material table, 1 to 256; a material
/// past it is an error. Errors, which name the field and its offset: CorruptData; Unsupported for another
/// version. What `cells` holds after an error is not said.
Result<std::optional<Cell>> decodeChunkCells(std::span<const std::byte> bytes, std::size_t materialCount,
                                             ChunkCodecScratch& scratch, std::span<Cell> cells);
Result<ChunkRef> decodeChunk(std::span<const std::byte> bytes, std::size_t materialCount,
                             ChunkCodecScratch& scratch, Allocator& allocator);

}  // namespace karst::voxel
