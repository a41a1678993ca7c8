#include "tile_payload.h"

#include <karst/base/byte_reader.h>
#include <karst/base/byte_writer.h>
#include <karst/base/checksum.h>
#include <karst/heightfield/tile_codec.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace karst::heightfield {
namespace {

constexpr std::uint32_t kMagicV2 = 0x4c49544a;  // "JTIL"
constexpr std::uint32_t kMagicV3 = 0x4c49544b;  // "KTIL"
constexpr std::size_t kChecksumAtV2 = 36, kChecksumAtV3 = 52;
constexpr std::uint16_t kFlagHoles = 1;
constexpr std::uint8_t kRawSamples = 0, kPlanePrediction = 1;  // sample coding

[[gnu::format(printf, 2, 3)]] Error corrupt(const TileKey& key, const char* format, ...) {
    char text[160];
    std::va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return makeError(ErrorCode::CorruptData, "tile %d/%u-%u: %s", key.level, key.x, key.z, text);
}

std::size_t sampleCount(const TileLayout& layout) {
    return std::size_t{layout.tileSide()} * layout.tileSide();
}
std::size_t holeWords(const TileLayout& layout) {
    return (std::size_t{layout.tileCells} * layout.tileCells + 63) / 64;
}
std::uint32_t errorCount(const TileLayout& layout) {
    return layout.tileLevels() + 1;
}

bool anyHole(std::span<const std::uint64_t> holes) {
    return std::any_of(holes.begin(), holes.end(), [](std::uint64_t word) { return word != 0; });
}

// Low 32 bits of XXH64 over all that follows the checksum's field, seeded with that of all before it.
std::uint32_t checksumOf(std::span<const std::byte> bytes, std::size_t field) {
    return static_cast<std::uint32_t>(xxh64(bytes.subspan(field + 4), xxh64(bytes.first(field))));
}

Result<void> checkBoundsAndErrors(const TileKey& key, const HeightRange& bounds,
                                  std::span<const double> errors) {
    if (!std::isfinite(bounds.min) || !std::isfinite(bounds.max))
        return corrupt(key, "bounds %g..%g are not finite", double{bounds.min}, double{bounds.max});
    if (bounds.min > bounds.max)
        return corrupt(key, "bounds %g..%g are out of order", double{bounds.min}, double{bounds.max});
    double before = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        if (!std::isfinite(errors[i]) || errors[i] < 0)
            return corrupt(key, "error table: entry %zu is %g", i, errors[i]);
        if (errors[i] < before)
            return corrupt(key, "error table: entry %zu, %g, is below the one before, %g", i, errors[i],
                           before);
        before = errors[i];
    }
    return {};
}

// Bits past the last cell; only tiles of 2 x 2 and 4 x 4 cells have any.
bool hasStrayHoles(const TileLayout& layout, std::span<const std::uint64_t> holes) {
    const std::size_t used = std::size_t{layout.tileCells} * layout.tileCells % 64;
    return used != 0 && (holes.back() >> used) != 0;
}

// The header's fields that name the tile, common to both versions.
Result<void> checkKey(const TileLayout& layout, const TileKey& key, const TileKey& stored,
                      std::uint32_t tileCells) {
    if (!(stored == key))
        return corrupt(key, "key: the bytes are of tile %d/%u-%u", stored.level, stored.x, stored.z);
    if (tileCells != layout.tileCells)
        return corrupt(key, "tile cells: %u is not the layout's %u", tileCells, layout.tileCells);
    return {};
}

Result<void> checkErrorTable(const TileLayout& layout, const TileKey& key, std::int32_t firstLevel,
                             std::uint32_t count) {
    if (firstLevel != key.level) return corrupt(key, "first error level: %d is not the tile's", firstLevel);
    if (count != errorCount(layout))
        return corrupt(key, "error count: %u is not the layout's %u", count, errorCount(layout));
    return {};
}

Result<void> checkSum(const TileKey& key, std::span<const std::byte> bytes, std::size_t field,
                      std::uint32_t stored) {
    const std::uint32_t found = checksumOf(bytes, field);
    if (found != stored) return corrupt(key, "checksum: stored 0x%08x, found 0x%08x", stored, found);
    return {};
}

Result<void> checkKeyIsStored(const TileLayout& layout, const TileKey& key) {
    if (key.level < 0 || !layout.contains(key)) {
        return makeError(ErrorCode::InvalidArgument, "tile %d/%u-%u: is no stored tile of the layout",
                         key.level, key.x, key.z);
    }
    return {};
}

void readErrors(ByteReader& reader, std::uint32_t count, std::vector<double>& errors) {
    errors.resize(count);
    for (double& error : errors)
        error = reader.f64();
}

}  // namespace

Result<void> validate(const TileContent& content, const TileLayout& layout) {
    const TileKey& key = content.key;
    if (Result<void> stored = checkKeyIsStored(layout, key); !stored) return stored;
    if (content.samples.size() != sampleCount(layout))
        return corrupt(key, "samples: %zu are not the layout's %zu", content.samples.size(),
                       sampleCount(layout));
    if (content.errors.size() != errorCount(layout))
        return corrupt(key, "error count: %zu is not the layout's %u", content.errors.size(),
                       errorCount(layout));
    if (!content.holes.empty() && content.holes.size() != holeWords(layout))
        return corrupt(key, "hole mask: %zu words are not the layout's %zu", content.holes.size(),
                       holeWords(layout));
    if (!content.holes.empty() && hasStrayHoles(layout, content.holes))
        return corrupt(key, "hole mask: a bit past the last cell is set");
    if (content.materialLayers > kMaxMaterialLayers)
        return corrupt(key, "material layers: %u are more than %u", content.materialLayers,
                       kMaxMaterialLayers);
    if (content.materials.size() != content.materialLayers * sampleCount(layout))
        return corrupt(key, "materials: %zu weights are not %u layers", content.materials.size(),
                       content.materialLayers);
    return checkBoundsAndErrors(key, content.bounds, content.errors);
}

Result<void> encodeTileV2(const TileLayout& layout, const TileContent& content, std::vector<std::byte>& out) {
    if (Result<void> valid = validate(content, layout); !valid) return valid;
    out.clear();
    ByteWriter writer(out);
    writer.u32(kMagicV2);
    writer.u16(2);
    writer.u16(static_cast<std::uint16_t>(layout.tileCells));
    writer.i32(content.key.level);
    writer.u32(content.key.x);
    writer.u32(content.key.z);
    writer.i32(content.key.level);  // first error level
    writer.u16(static_cast<std::uint16_t>(content.errors.size()));
    writer.u16(static_cast<std::uint16_t>(layout.tileSide()));
    writer.f32(content.bounds.min);
    writer.f32(content.bounds.max);
    writer.u32(0);  // checksum
    for (const double error : content.errors)
        writer.f64(error);
    const std::size_t at = out.size();
    out.resize(at + content.samples.size_bytes());
    payload::writeSamples(content.samples, out.data() + at);
    writer.u32At(kChecksumAtV2, checksumOf(out, kChecksumAtV2));
    return {};
}

Result<void> decodeTileV2(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                          QuantisedTile& out) {
    if (Result<void> stored = checkKeyIsStored(layout, key); !stored) return stored;
    const std::size_t size =
        kTileV2HeaderBytes + errorCount(layout) * sizeof(double) + sampleCount(layout) * 2;
    ByteReader reader(bytes);
    const std::uint32_t magic = reader.u32();
    if (reader.failed() || magic != kMagicV2) return corrupt(key, "magic: 0x%08x is not JTIL", magic);
    const std::uint32_t version = reader.u16();
    if (!reader.failed() && version != 2) return corrupt(key, "version: %u is not 2", version);
    if (bytes.size() != size)
        return corrupt(key, "file size: %zu bytes are not the layout's %zu", bytes.size(), size);
    const std::uint32_t tileCells = reader.u16();
    TileKey stored;
    stored.level = reader.i32();
    stored.x = reader.u32();
    stored.z = reader.u32();
    if (Result<void> good = checkKey(layout, key, stored, tileCells); !good) return good;
    const std::int32_t firstErrorLevel = reader.i32();
    const std::uint32_t errors = reader.u16();
    if (Result<void> good = checkErrorTable(layout, key, firstErrorLevel, errors); !good) return good;
    const std::uint32_t side = reader.u16();
    if (side != layout.tileSide())
        return corrupt(key, "samples a side: %u are not the layout's %u", side, layout.tileSide());
    const float low = reader.f32(), high = reader.f32();
    if (Result<void> good = checkSum(key, bytes, kChecksumAtV2, reader.u32()); !good) return good;
    out.key = key;
    out.bounds = {low, high};
    readErrors(reader, errors, out.errors);
    if (Result<void> good = checkBoundsAndErrors(key, out.bounds, out.errors); !good) return good;
    out.samples.resize(sampleCount(layout));
    payload::readSamples(reader.bytes(out.samples.size() * 2).data(), out.samples);
    out.holes.clear();
    out.materialLayers = 0;
    out.materials.clear();
    return {};
}

Result<void> encodeTileV3(const TileLayout& layout, const TileContent& content, BlockCodec* codec,
                          TileScratch& scratch, std::vector<std::byte>& out) {
    if (Result<void> valid = validate(content, layout); !valid) return valid;
    const std::size_t side = layout.tileSide(), samples = content.samples.size();
    const bool holes = anyHole(content.holes);
    const std::size_t holeBytes = holes ? content.holes.size_bytes() : 0;
    const std::size_t rawSize = samples * 2 + holeBytes + content.materials.size();
    const auto writeRest = [&](std::byte* at, bool predicted) {
        if (holes) payload::writeWords(content.holes, at);
        at += holeBytes;
        for (std::uint32_t layer = 0; layer < content.materialLayers; ++layer, at += samples) {
            const auto weights = content.materials.subspan(layer * samples, samples);
            if (predicted) {
                payload::writeDifferences(weights, side, at);
            } else {
                std::transform(weights.begin(), weights.end(), at,
                               [](std::uint8_t weight) { return static_cast<std::byte>(weight); });
            }
        }
    };

    const std::size_t payloadAt = kTileV3HeaderBytes + content.errors.size_bytes();
    std::size_t storedSize = rawSize;
    if (codec != nullptr) {
        scratch.payload.resize(rawSize);
        payload::writePredicted(content.samples, side, scratch.payload.data());
        writeRest(scratch.payload.data() + samples * 2, true);
        out.resize(payloadAt + codec->compressBound(rawSize));
        const Result<std::size_t> compressed =
            codec->compress(scratch.payload, samples, std::span(out).subspan(payloadAt));
        if (!compressed) return compressed.error();
        if (*compressed < rawSize) {
            storedSize = *compressed;
        } else {
            codec = nullptr;
        }
    }
    out.resize(payloadAt + storedSize);
    if (codec == nullptr) {
        payload::writeSamples(content.samples, out.data() + payloadAt);
        writeRest(out.data() + payloadAt + samples * 2, false);
    }

    // The header is written apart and laid over the front.
    std::vector<std::byte>& header = scratch.payload;
    header.clear();
    ByteWriter writer(header);
    writer.u32(kMagicV3);
    writer.u16(3);
    writer.u16(static_cast<std::uint16_t>(layout.tileCells));
    writer.i32(content.key.level);
    writer.u32(content.key.x);
    writer.u32(content.key.z);
    writer.i32(content.key.level);  // first error level
    writer.u16(static_cast<std::uint16_t>(content.errors.size()));
    writer.u16(holes ? kFlagHoles : 0);
    writer.u8(static_cast<std::uint8_t>(codec != nullptr ? codec->id() : CodecId::None));
    writer.u8(codec != nullptr ? kPlanePrediction : kRawSamples);
    writer.u8(static_cast<std::uint8_t>(content.materialLayers));
    writer.u8(0);
    writer.f32(content.bounds.min);
    writer.f32(content.bounds.max);
    writer.u32(static_cast<std::uint32_t>(rawSize));
    writer.u32(static_cast<std::uint32_t>(storedSize));
    writer.u32(0);  // reserved
    writer.u32(0);  // checksum
    for (const double error : content.errors)
        writer.f64(error);
    std::copy(header.begin(), header.end(), out.begin());
    ByteWriter(out).u32At(kChecksumAtV3, checksumOf(out, kChecksumAtV3));
    return {};
}

Result<void> decodeTileV3(const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes,
                          BlockCodec* codec, TileScratch& scratch, QuantisedTile& out) {
    if (Result<void> stored = checkKeyIsStored(layout, key); !stored) return stored;
    ByteReader reader(bytes);
    const std::uint32_t magic = reader.u32();
    if (reader.failed() || magic != kMagicV3) return corrupt(key, "magic: 0x%08x is not KTIL", magic);
    const std::uint32_t version = reader.u16();
    if (!reader.failed() && version != 3) return corrupt(key, "version: %u is not 3", version);
    const std::size_t payloadAt = kTileV3HeaderBytes + errorCount(layout) * sizeof(double);
    if (bytes.size() < payloadAt)
        return corrupt(key, "file size: %zu bytes are less than a header and its %u errors", bytes.size(),
                       errorCount(layout));
    const std::uint32_t tileCells = reader.u16();
    TileKey stored;
    stored.level = reader.i32();
    stored.x = reader.u32();
    stored.z = reader.u32();
    if (Result<void> good = checkKey(layout, key, stored, tileCells); !good) return good;
    const std::int32_t firstErrorLevel = reader.i32();
    const std::uint32_t errors = reader.u16();
    if (Result<void> good = checkErrorTable(layout, key, firstErrorLevel, errors); !good) return good;
    const std::uint32_t flags = reader.u16();
    if ((flags & ~std::uint32_t{kFlagHoles}) != 0)
        return corrupt(key, "flags: 0x%04x has unknown ones", flags);
    const auto codecId = static_cast<CodecId>(reader.u8());
    const std::uint32_t coding = reader.u8();
    if (coding != kRawSamples && coding != kPlanePrediction)
        return corrupt(key, "sample coding: %u is not 0 or 1", coding);
    const std::uint32_t layers = reader.u8();
    if (layers > kMaxMaterialLayers)
        return corrupt(key, "material layers: %u are more than %u", layers, kMaxMaterialLayers);
    if (const std::uint32_t reserved = reader.u8(); reserved != 0)
        return corrupt(key, "reserved byte: %u is not 0", reserved);
    const float low = reader.f32(), high = reader.f32();
    const std::size_t rawStored = reader.u32(), storedSize = reader.u32();
    const std::size_t samples = sampleCount(layout), side = layout.tileSide();
    const std::size_t words = (flags & kFlagHoles) != 0 ? holeWords(layout) : 0;
    const std::size_t rawSize = samples * 2 + words * sizeof(std::uint64_t) + layers * samples;
    if (rawStored != rawSize)
        return corrupt(key, "uncompressed size: %zu is not the layout's %zu", rawStored, rawSize);
    if (storedSize != bytes.size() - payloadAt)
        return corrupt(key, "compressed size: %zu is not the %zu bytes that follow", storedSize,
                       bytes.size() - payloadAt);
    if (const std::uint32_t reserved = reader.u32(); reserved != 0)
        return corrupt(key, "reserved word: %u is not 0", reserved);
    if (Result<void> good = checkSum(key, bytes, kChecksumAtV3, reader.u32()); !good) return good;
    out.key = key;
    out.bounds = {low, high};
    readErrors(reader, errors, out.errors);
    if (Result<void> good = checkBoundsAndErrors(key, out.bounds, out.errors); !good) return good;

    const std::span<const std::byte> payload = reader.bytes(storedSize);
    const std::byte* raw = payload.data();
    if (codecId == CodecId::None) {
        if (storedSize != rawSize)
            return corrupt(key, "compressed size: %zu without a codec is not %zu", storedSize, rawSize);
    } else {
        if (codec == nullptr || codec->id() != codecId) {
            return makeError(ErrorCode::Unsupported, "tile %d/%u-%u: codec: %u is not at hand", key.level,
                             key.x, key.z, static_cast<unsigned>(codecId));
        }
        scratch.payload.resize(rawSize);
        if (Result<void> good = codec->decompress(payload, scratch.payload); !good)
            return corrupt(key, "payload: %s", good.error().message.c_str());
        raw = scratch.payload.data();
    }

    out.samples.resize(samples);
    if (coding == kPlanePrediction) {
        payload::readPredicted(raw, side, out.samples);
    } else {
        payload::readSamples(raw, out.samples);
    }
    raw += samples * 2;
    out.holes.resize(words);
    payload::readWords(raw, out.holes);
    raw += words * sizeof(std::uint64_t);
    if (words != 0 && hasStrayHoles(layout, out.holes))
        return corrupt(key, "hole mask: a bit past the last cell is set");
    out.materialLayers = layers;
    out.materials.resize(layers * samples);
    for (std::uint32_t layer = 0; layer < layers; ++layer, raw += samples) {
        const auto weights = std::span(out.materials).subspan(layer * samples, samples);
        if (coding == kPlanePrediction) {
            payload::readDifferences(raw, side, weights);
        } else {
            std::transform(raw, raw + samples, weights.begin(),
                           [](std::byte weight) { return static_cast<std::uint8_t>(weight); });
        }
    }
    return {};
}

}  // namespace karst::heightfield
