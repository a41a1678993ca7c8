#pragma once

#include <karst/base/result.h>
#include <karst/voxel/chunk_codec.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel {

/// The materials of a chunk that has several. `palette` are the ids that occur besides air, the one first
/// that most columns begin with. docs/formats/voxel_chunk_v1.md, Materials.

/// Appends for each column that is not empty where its material changes, going down. False where that takes
/// more than `mostBytes`; `out` then has a part of it.
bool encodeColumns(const std::uint8_t* materials, const std::uint8_t* occupancy, const std::uint8_t* tops,
                   std::span<const std::uint8_t> palette, std::size_t mostBytes, std::vector<std::byte>& out);
/// Reads all of `bytes`, which are at `offset` of the chunk's bytes, and writes the plane of changes that
/// mergeColumns() takes.
Result<void> decodeColumns(std::span<const std::byte> bytes, std::size_t offset, const std::uint8_t* tops,
                           std::span<const std::uint8_t> palette, std::uint8_t* changes);

/// How many bytes encodePacked() appends.
std::size_t packedBytes(const std::uint8_t* occupancy, std::size_t paletteSize);
/// Appends the place in the palette of each cell that is not empty, in as many bits as that takes.
void encodePacked(const std::uint8_t* materials, const std::uint8_t* occupancy,
                  std::span<const std::uint8_t> palette, std::vector<std::byte>& out);
/// As decodeColumns; the plane of changes gets an entry for each cell that is not empty.
Result<void> decodePacked(std::span<const std::byte> bytes, std::size_t offset, const std::uint8_t* occupancy,
                          std::span<const std::uint8_t> palette, std::uint8_t* changes);

}  // namespace karst::voxel
