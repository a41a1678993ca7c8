#pragma once

#include "database.h"

#include <karst/voxel/chunk_store.h>

#include <vector>

namespace karst::voxel {

// The table of chunks of docs/formats/voxel_store_v1.md.

/// The chunks in `box`, or all, in the order of ChunkCoord.
Result<std::vector<ChunkReplacement>> readChunks(Database& database, const std::optional<ChunkBox>& box,
                                                 std::size_t materialCount, const Externals& externals);
/// In the present transaction.
Result<void> removeChunks(Database& database, const std::optional<ChunkBox>& box);
Result<void> removeChunks(Database& database, std::span<const ChunkCoord> chunks);
Result<void> writeChunks(Database& database, std::span<const ChunkReplacement> chunks, StoreRevision revision,
                         const Externals& externals);

/// Fills the counts and bounds of `info`.
Result<void> summariseChunks(Database& database, StoreInfo& info);

}  // namespace karst::voxel
