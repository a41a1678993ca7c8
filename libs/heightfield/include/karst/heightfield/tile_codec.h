#pragma once

#include <karst/base/result.h>
#include <karst/heightfield/block_codec.h>
#include <karst/heightfield/height_tile.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::heightfield {

// The bytes of stored tiles: version 2 (.jtile, docs/formats/tile_v2.md) and version 3 (docs/formats/
// tile_v3.md; spec rows H6, HX2). All numbers are little-endian. Decoders take bytes that nobody vouches for:
// every size follows from the layout before anything is read or allocated, and an error names the tile
// (level/x-z) and the field.

/// Version 2: 40 bytes of header, f64 errors, u16 samples.
inline constexpr std::size_t kTileV2HeaderBytes = 40;
/// Version 3: 56 bytes of header, f64 errors, payload.
inline constexpr std::size_t kTileV3HeaderBytes = 56;
inline constexpr std::uint32_t kMaxMaterialLayers = 4;

/// What a stored tile holds, seen where it lies. Shapes as in HeightTile, samples quantised with the layout's
/// range.
struct TileContent {
    TileKey key;
    std::span<const std::uint16_t> samples;  ///< side * side, row-major with the apron
    HeightRange bounds;
    /// For levels key.level .. key.level + tileLevels(): tileLevels() + 1 entries, monotone.
    std::span<const double> errors;
    /// One bit a cell, (cells * cells + 63) / 64 words, bits past the last cell 0; or empty.
    std::span<const std::uint64_t> holes;
    std::uint32_t materialLayers = 0;         ///< 0 .. kMaxMaterialLayers
    std::span<const std::uint8_t> materials;  ///< materialLayers * side * side
};

/// The same, with memory of its own.
struct QuantisedTile {
    TileKey key;
    std::vector<std::uint16_t> samples;
    HeightRange bounds;
    std::vector<double> errors;
    std::vector<std::uint64_t> holes;
    std::uint32_t materialLayers = 0;
    std::vector<std::uint8_t> materials;

    TileContent content() const { return {key, samples, bounds, errors, holes, materialLayers, materials}; }
    bool operator==(const QuantisedTile&) const = default;
};

/// Working memory that encoders and decoders reuse; one per thread. Its content means nothing to the caller.
struct TileScratch {
    std::vector<std::byte> payload;
    QuantisedTile tile;
};

/// Refuses content that no tile of the layout can have: foreign key, wrong sizes, bounds that are not finite
/// or out of order, an error table that is not monotone.
Result<void> validate(const TileContent& content, const TileLayout& layout);

// Encoders replace `out` (and reuse its memory). The same content gives the same bytes. They fail where
// validate() does, and with the codec's error.

/// Holes and materials are left out: version 2 has none, so holes become level ground.
Result<void> encodeTileV2(const TileLayout& layout, const TileContent& content, std::vector<std::byte>& out);

/// With a codec the samples are predicted and compressed; a payload that does not shrink is stored as it is.
Result<void> encodeTileV3(const TileLayout& layout, const TileContent& content, BlockCodec* codec,
                          TileScratch& scratch, std::vector<std::byte>& out);

/// The same from a tile in memory, whose heights are quantised with the layout's range first.
Result<void> encodeTileV2(const TileLayout& layout, const HeightTile& tile, TileScratch& scratch,
                          std::vector<std::byte>& out);
Result<void> encodeTileV3(const TileLayout& layout, const HeightTile& tile, BlockCodec* codec,
                          TileScratch& scratch, std::vector<std::byte>& out);

// Decoders demand the tile that was asked for: bytes of another key are an error. `layout` is valid.

/// Exactly what was stored, into a tile whose memory is reused; for tools that convert or verify.
Result<void> decodeTileV2(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                          QuantisedTile& out);
Result<void> decodeTileV3(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                          BlockCodec* codec, TileScratch& scratch, QuantisedTile& out);

/// A tile to draw, never null. Unsupported where the block needs a codec that was not given.
Result<TilePtr> decodeTileV2(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                             TileScratch& scratch);
Result<TilePtr> decodeTileV3(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                             BlockCodec* codec, TileScratch& scratch);

// The version of a package's manifest chooses.
Result<void> encodeTile(std::uint32_t version, const TileLayout& layout, const TileContent& content,
                        BlockCodec* codec, TileScratch& scratch, std::vector<std::byte>& out);
Result<void> decodeTile(std::uint32_t version, const TileLayout& layout, const TileKey& key,
                        std::span<const std::byte> bytes, BlockCodec* codec, TileScratch& scratch,
                        QuantisedTile& out);
Result<TilePtr> decodeTile(std::uint32_t version, const TileLayout& layout, const TileKey& key,
                           std::span<const std::byte> bytes, BlockCodec* codec, TileScratch& scratch);

/// The tile of valid content: heights as layout.dequantise() gives them, an all-zero hole mask left out.
TilePtr makeTile(const TileLayout& layout, const TileContent& content);

/// The content of a tile in memory (its errors begin at its own level).
void quantiseTile(const TileLayout& layout, const HeightTile& tile, QuantisedTile& out);

/// The most bytes that a tile of this layout can take in any version; what is longer is no tile.
std::size_t maxTileBytes(const TileLayout& layout);

}  // namespace karst::heightfield
