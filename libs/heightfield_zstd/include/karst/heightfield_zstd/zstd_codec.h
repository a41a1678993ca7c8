#pragma once

#include <karst/heightfield/block_codec.h>

#include <memory>

namespace karst::heightfield {

/// Compresses tiles as zstd frames (RFC 8878): CodecId::Zstd. `level` 1 (fast) .. 19; predicted samples gain
/// little past 1. Never null. About 1 MB of working memory once used; make one per thread.
std::unique_ptr<BlockCodec> makeZstdCodec(int level = 1);

}  // namespace karst::heightfield
