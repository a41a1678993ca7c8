#pragma once

#include "bit_stream.h"

#include <karst/base/result.h>
#include <karst/voxel/chunk_codec.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel {

/// Appends the residuals of a plane, mostly zeros, as bits: a prefix code, then for each residual that is not
/// 0 how many zeros come before it and its value, from the top layer down. docs/formats/voxel_chunk_v1.md
void encodeResidual(const std::uint8_t* residual, ChunkCodecScratch& scratch, std::vector<std::byte>& out);

/// Reads all of `bytes`, which are at `offset` of the chunk's bytes, and writes all 32768 residuals.
Result<void> decodeResidual(std::span<const std::byte> bytes, std::size_t offset, std::uint8_t* residual);

}  // namespace karst::voxel
