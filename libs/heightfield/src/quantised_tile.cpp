#include <karst/heightfield/tile_codec.h>

#include <algorithm>

namespace karst::heightfield {
namespace {

// A tile that can be stored: validate()d, with errors from its own level on.
Result<void> quantiseChecked(const TileLayout& layout, const HeightTile& tile, QuantisedTile& out) {
    if (Result<void> valid = validate(tile, layout); !valid) return valid;
    if (tile.firstErrorLevel != tile.key.level) {
        return makeError(ErrorCode::CorruptData, "tile %d/%u-%u: first error level: %d is not the tile's",
                         tile.key.level, tile.key.x, tile.key.z, tile.firstErrorLevel);
    }
    quantiseTile(layout, tile, out);
    return {};
}

}  // namespace

TilePtr makeTile(const TileLayout& layout, const TileContent& content) {
    auto tile = std::make_shared<HeightTile>();
    tile->key = content.key;
    tile->side = layout.tileSide();
    tile->bounds = content.bounds;
    tile->firstErrorLevel = content.key.level;
    tile->errors.assign(content.errors.begin(), content.errors.end());
    // TileLayout::dequantise with its quotient outside the loop.
    const double low = layout.quantisation.min;
    const double step = (double{layout.quantisation.max} - layout.quantisation.min) / 65535.0;
    tile->samples.resize(content.samples.size());
    std::transform(content.samples.begin(), content.samples.end(), tile->samples.begin(),
                   [=](std::uint16_t value) { return static_cast<float>(low + value * step); });
    if (std::any_of(content.holes.begin(), content.holes.end(),
                    [](std::uint64_t word) { return word != 0; })) {
        tile->holes.assign(content.holes.begin(), content.holes.end());
    }
    tile->materialLayers = content.materialLayers;
    tile->materials.assign(content.materials.begin(), content.materials.end());
    return tile;
}

void quantiseTile(const TileLayout& layout, const HeightTile& tile, QuantisedTile& out) {
    out.key = tile.key;
    out.samples.resize(tile.samples.size());
    std::transform(tile.samples.begin(), tile.samples.end(), out.samples.begin(),
                   [&](float height) { return layout.quantise(height); });
    out.bounds = tile.bounds;
    out.errors = tile.errors;
    out.holes = tile.holes;
    out.materialLayers = tile.materialLayers;
    out.materials = tile.materials;
}

Result<void> encodeTileV2(const TileLayout& layout, const HeightTile& tile, TileScratch& scratch,
                          std::vector<std::byte>& out) {
    if (Result<void> good = quantiseChecked(layout, tile, scratch.tile); !good) return good;
    return encodeTileV2(layout, scratch.tile.content(), out);
}

Result<void> encodeTileV3(const TileLayout& layout, const HeightTile& tile, BlockCodec* codec,
                          TileScratch& scratch, std::vector<std::byte>& out) {
    if (Result<void> good = quantiseChecked(layout, tile, scratch.tile); !good) return good;
    return encodeTileV3(layout, scratch.tile.content(), codec, scratch, out);
}

Result<TilePtr> decodeTileV2(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                             TileScratch& scratch) {
    if (Result<void> good = decodeTileV2(layout, key, bytes, scratch.tile); !good) return good.error();
    return makeTile(layout, scratch.tile.content());
}

Result<TilePtr> decodeTileV3(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                             BlockCodec* codec, TileScratch& scratch) {
    if (Result<void> good = decodeTileV3(layout, key, bytes, codec, scratch, scratch.tile); !good)
        return good.error();
    return makeTile(layout, scratch.tile.content());
}

Result<void> encodeTile(std::uint32_t version, const TileLayout& layout, const TileContent& content,
                        BlockCodec* codec, TileScratch& scratch, std::vector<std::byte>& out) {
    return version == 2 ? encodeTileV2(layout, content, out)
                        : encodeTileV3(layout, content, codec, scratch, out);
}

Result<void> decodeTile(std::uint32_t version, const TileLayout& layout, const TileKey& key,
                        std::span<const std::byte> bytes, BlockCodec* codec, TileScratch& scratch,
                        QuantisedTile& out) {
    return version == 2 ? decodeTileV2(layout, key, bytes, out)
                        : decodeTileV3(layout, key, bytes, codec, scratch, out);
}

Result<TilePtr> decodeTile(std::uint32_t version, const TileLayout& layout, const TileKey& key,
                           std::span<const std::byte> bytes, BlockCodec* codec, TileScratch& scratch) {
    return version == 2 ? decodeTileV2(layout, key, bytes, scratch)
                        : decodeTileV3(layout, key, bytes, codec, scratch);
}

std::size_t maxTileBytes(const TileLayout& layout) {
    const std::size_t samples = std::size_t{layout.tileSide()} * layout.tileSide();
    const std::size_t cells = std::size_t{layout.tileCells} * layout.tileCells;
    return kTileV3HeaderBytes + (layout.tileLevels() + 1) * sizeof(double) + samples * 2 +
           (cells + 63) / 64 * sizeof(std::uint64_t) + kMaxMaterialLayers * samples;
}

std::string_view codecName(CodecId id) {
    return id == CodecId::Zstd ? "zstd" : "none";
}

std::optional<CodecId> codecFromName(std::string_view name) {
    for (const CodecId id : {CodecId::None, CodecId::Zstd}) {
        if (name == codecName(id)) return id;
    }
    return std::nullopt;
}

}  // namespace karst::heightfield
