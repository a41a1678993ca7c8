#include "json.h"

#include <karst/base/byte_reader.h>
#include <karst/base/byte_writer.h>
#include <karst/base/checksum.h>
#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_format.h>
#include <karst/heightfield/tile_codec.h>

#include <algorithm>
#include <limits>

namespace karst::heightfield {
namespace {

constexpr std::string_view kMagic = "KARSTPKG";
constexpr std::size_t kJsonAt = 64, kChecksumAt = 60;

std::uint32_t checksumOf(std::span<const std::byte> head) {
    return static_cast<std::uint32_t>(xxh64(head.subspan(kChecksumAt + 4), xxh64(head.first(kChecksumAt))));
}

std::string numbers(double a, double b) {
    std::string text = "[";
    text += jsonNumber(a);
    text += ", ";
    text += jsonNumber(b);
    text += ']';
    return text;
}

std::uint32_t storedTiles(std::uint32_t samples, std::uint32_t tileCells, std::int32_t level) {
    const std::uint64_t span = std::uint64_t{tileCells} << level;
    return static_cast<std::uint32_t>((samples - 1 + span - 1) / span);
}

Result<std::uint32_t> toUnsigned(double value, const char* key) {
    if (!(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max()) ||
        value != static_cast<double>(static_cast<std::uint32_t>(value))) {
        return makeError(ErrorCode::CorruptData, "manifest: layout: %s %g is not a whole number", key, value);
    }
    return static_cast<std::uint32_t>(value);
}

Result<TileLayout> parseLayout(const JsonDocument::Value& root) {
    const Result<JsonDocument::Value> object = needMember(root, "manifest", "layout", JsonKind::Object);
    if (!object) return object.error();
    constexpr const char* kWhat = "manifest: layout";
    constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
    TileLayout layout;
    const Result<std::uint32_t> cells = needInteger(*object, kWhat, "tile_cells", 0, kAny);
    if (!cells) return cells.error();
    layout.tileCells = *cells;
    const Result<std::uint32_t> levels = needInteger(*object, kWhat, "levels", 0, kAny);
    if (!levels) return levels.error();
    layout.storedLevels = *levels;
    const auto pair = [&](const char* key, std::uint32_t& a, std::uint32_t& b) -> Result<void> {
        double values[2];
        if (Result<void> read = needNumbers(*object, kWhat, key, values, 2); !read) return read;
        const Result<std::uint32_t> first = toUnsigned(values[0], key), second = toUnsigned(values[1], key);
        if (!first) return first.error();
        if (!second) return second.error();
        a = *first;
        b = *second;
        return {};
    };
    if (Result<void> read = pair("roots", layout.rootsX, layout.rootsZ); !read) return read.error();
    if (Result<void> read = pair("samples", layout.samplesX, layout.samplesZ); !read) return read.error();
    double values[2];
    if (Result<void> read = needNumbers(*object, kWhat, "origin", values, 2); !read) return read.error();
    layout.originX = values[0];
    layout.originZ = values[1];
    if (Result<void> read = needNumbers(*object, kWhat, "spacing", values, 2); !read) return read.error();
    layout.spacingX = values[0];
    layout.spacingZ = values[1];
    if (Result<void> read = needNumbers(*object, kWhat, "height_range", values, 2); !read)
        return read.error();
    for (const double value : values) {
        // Converting a double that no float can hold is undefined.
        if (!(value >= -double{std::numeric_limits<float>::max()} &&
              value <= double{std::numeric_limits<float>::max()})) {
            return makeError(ErrorCode::CorruptData, "%s: height_range %g is too large", kWhat, value);
        }
    }
    layout.quantisation = {static_cast<float>(values[0]), static_cast<float>(values[1])};
    if (Result<void> valid = validate(layout); !valid) {
        return makeError(ErrorCode::CorruptData, "manifest: %s", valid.error().message.c_str());
    }
    return layout;
}

}  // namespace

std::string writeManifest(const PackageManifest& manifest, PackageForm form) {
    const TileLayout& layout = manifest.layout;
    std::string text = "{\n  \"version\": " + std::to_string(manifest.version) + ",\n  \"layout\": {\n";
    text += "    \"tile_cells\": " + std::to_string(layout.tileCells) + ",\n";
    text += "    \"levels\": " + std::to_string(layout.storedLevels) + ",\n";
    text += "    \"roots\": " + numbers(layout.rootsX, layout.rootsZ) + ",\n";
    text += "    \"samples\": " + numbers(layout.samplesX, layout.samplesZ) + ",\n";
    text += "    \"origin\": " + numbers(layout.originX, layout.originZ) + ",\n";
    text += "    \"spacing\": " + numbers(layout.spacingX, layout.spacingZ) + ",\n";
    text += "    \"height_range\": [" + jsonNumber(layout.quantisation.min) + ", " +
            jsonNumber(layout.quantisation.max) + "]\n  }";
    if (manifest.version >= 3) text += ",\n  \"codec\": " + jsonText(codecName(manifest.codec));
    if (form == PackageForm::Folder) text += ",\n  \"tiles\": " + jsonText(manifest.tiles);
    return text + "\n}\n";
}

Result<PackageManifest> parseManifest(std::string_view json, PackageForm form) {
    const Result<JsonDocument> document = JsonDocument::parse(json, "manifest");
    if (!document) return document.error();
    const JsonDocument::Value root = document->root();
    if (root.kind() != JsonKind::Object)
        return makeError(ErrorCode::CorruptData, "manifest: the JSON is not an object");
    PackageManifest manifest;
    const Result<std::uint32_t> version =
        needInteger(root, "manifest", "version", 0, std::numeric_limits<std::uint32_t>::max());
    if (!version) return version.error();
    manifest.version = *version;
    if (manifest.version != 3 && (manifest.version != 2 || form == PackageForm::File)) {
        return makeError(ErrorCode::Unsupported, "manifest: version %u is not %s", manifest.version,
                         form == PackageForm::File ? "3" : "2 or 3");
    }
    const Result<TileLayout> layout = parseLayout(root);
    if (!layout) return layout.error();
    manifest.layout = *layout;
    if (manifest.version == 3) {
        const Result<JsonDocument::Value> codec = needMember(root, "manifest", "codec", JsonKind::Text);
        if (!codec) return codec.error();
        const std::optional<CodecId> id = codecFromName(codec->text());
        if (!id) {
            return makeError(ErrorCode::Unsupported, "manifest: codec %.40s is unknown",
                             std::string(codec->text()).c_str());
        }
        manifest.codec = *id;
    }
    if (form == PackageForm::Folder) {
        const Result<JsonDocument::Value> tiles = needMember(root, "manifest", "tiles", JsonKind::Text);
        if (!tiles) return tiles.error();
        if (Result<void> valid = validateTilesPath(tiles->text()); !valid) return valid.error();
        manifest.tiles = tiles->text();
    }
    return manifest;
}

Result<void> validateTilesPath(std::string_view path) {
    const char* fault = path.size() > 255 ? "is longer than 255 bytes" : relativePathFault(path);
    if (fault == nullptr) return {};
    return makeError(ErrorCode::CorruptData, "manifest: tiles %s %s", jsonText(path.substr(0, 64)).c_str(),
                     fault);
}

std::string tilePath(const PackageManifest& manifest, const TileKey& key) {
    return manifest.tiles + "/" + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" +
           std::to_string(key.z) + (manifest.version == 2 ? ".jtile" : ".ktile");
}

std::uint32_t storedTilesX(const TileLayout& layout, std::int32_t level) {
    return storedTiles(layout.samplesX, layout.tileCells, level);
}

std::uint32_t storedTilesZ(const TileLayout& layout, std::int32_t level) {
    return storedTiles(layout.samplesZ, layout.tileCells, level);
}

std::uint64_t storedTileCount(const TileLayout& layout) {
    std::uint64_t count = 0;
    for (std::int32_t level = layout.rootLevel(); level >= 0; --level)
        count += std::uint64_t{storedTilesX(layout, level)} * storedTilesZ(layout, level);
    return count;
}

std::uint64_t storedTileIndex(const TileLayout& layout, const TileKey& key) {
    KARST_ASSERT(key.level >= 0 && layout.contains(key));
    std::uint64_t index = 0;
    for (std::int32_t level = layout.rootLevel(); level > key.level; --level)
        index += std::uint64_t{storedTilesX(layout, level)} * storedTilesZ(layout, level);
    return index + std::uint64_t{key.z} * storedTilesX(layout, key.level) + key.x;
}

TileKey storedTileAt(const TileLayout& layout, std::uint64_t index) {
    std::int32_t level = layout.rootLevel();
    while (true) {
        const std::uint64_t count = std::uint64_t{storedTilesX(layout, level)} * storedTilesZ(layout, level);
        if (index < count || level == 0) break;
        index -= count;
        --level;
    }
    const std::uint32_t columns = storedTilesX(layout, level);
    return {level, static_cast<std::uint32_t>(index % columns), static_cast<std::uint32_t>(index / columns)};
}

std::uint64_t packageDataOffset(const TileLayout& layout) {
    return kPackageHeadBytes + storedTileCount(layout) * kIndexEntryBytes;
}

Result<std::vector<std::byte>> writePackageHead(const PackageHead& head) {
    const PackageManifest& manifest = head.manifest;
    if (manifest.version != 3) {
        return makeError(ErrorCode::InvalidArgument, "package: version %u cannot be one file",
                         manifest.version);
    }
    if (Result<void> valid = validate(manifest.layout); !valid) return valid.error();
    if (head.fileBytes < packageDataOffset(manifest.layout)) {
        return makeError(ErrorCode::InvalidArgument, "package: %llu file bytes do not hold the index",
                         static_cast<unsigned long long>(head.fileBytes));
    }
    const std::string json = writeManifest(manifest, PackageForm::File);
    std::vector<std::byte> bytes;
    bytes.reserve(kPackageHeadBytes);
    ByteWriter writer(bytes);
    writer.bytes(std::as_bytes(std::span(kMagic)));
    writer.u32(3);
    writer.u32(static_cast<std::uint32_t>(json.size()));
    writer.u64(storedTileCount(manifest.layout));
    writer.u64(head.fileBytes);
    bytes.resize(kJsonAt);
    writer.bytes(std::as_bytes(std::span(json)));
    KARST_ASSERT(bytes.size() <= kPackageHeadBytes);
    bytes.resize(kPackageHeadBytes, std::byte{' '});
    writer.u32At(kChecksumAt, checksumOf(bytes));
    return bytes;
}

Result<PackageHead> readPackageHead(std::span<const std::byte> bytes) {
    using Long = unsigned long long;
    if (bytes.size() < kPackageHeadBytes)
        return makeError(ErrorCode::CorruptData, "package: head: %zu bytes are less than %zu", bytes.size(),
                         kPackageHeadBytes);
    bytes = bytes.first(kPackageHeadBytes);
    ByteReader reader(bytes);
    const std::span<const std::byte> magic = reader.bytes(kMagic.size());
    if (!std::ranges::equal(magic, std::as_bytes(std::span(kMagic))))
        return makeError(ErrorCode::CorruptData, "package: head: magic is not KARSTPKG");
    const std::uint32_t version = reader.u32();
    if (version != 3) return makeError(ErrorCode::Unsupported, "package: head: version %u is not 3", version);
    const std::uint32_t jsonBytes = reader.u32();
    if (jsonBytes > kPackageHeadBytes - kJsonAt)
        return makeError(ErrorCode::CorruptData, "package: head: %u bytes of JSON do not fit", jsonBytes);
    const std::uint64_t entries = reader.u64(), fileBytes = reader.u64();
    while (reader.position() < kChecksumAt) {
        if (reader.u8() != 0)
            return makeError(ErrorCode::CorruptData, "package: head: reserved byte %zu is not 0",
                             reader.position() - 1);
    }
    const std::uint32_t stored = reader.u32(), found = checksumOf(bytes);
    if (stored != found)
        return makeError(ErrorCode::CorruptData, "package: head: checksum: stored 0x%08x, found 0x%08x",
                         stored, found);
    const std::span<const std::byte> json = reader.bytes(jsonBytes);
    const Result<PackageManifest> manifest =
        parseManifest({reinterpret_cast<const char*>(json.data()), json.size()}, PackageForm::File);
    if (!manifest) return manifest.error();
    const std::uint64_t expected = storedTileCount(manifest->layout);
    if (entries != expected)
        return makeError(ErrorCode::CorruptData,
                         "package: head: %llu index entries are not the layout's %llu", Long{entries},
                         Long{expected});
    if (fileBytes < packageDataOffset(manifest->layout))
        return makeError(ErrorCode::CorruptData, "package: head: %llu file bytes do not hold the index",
                         Long{fileBytes});
    return PackageHead{*manifest, fileBytes};
}

void writeIndex(std::span<const IndexEntry> entries, std::vector<std::byte>& out) {
    ByteWriter writer(out);
    for (const IndexEntry& entry : entries) {
        writer.u64(entry.offset);
        writer.u32(entry.size);
    }
}

Result<IndexEntry> readIndexEntry(const PackageHead& head, const TileKey& key,
                                  std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    IndexEntry entry;
    entry.offset = reader.u64();
    entry.size = reader.u32();
    const TileLayout& layout = head.manifest.layout;
    const auto refuse = [&](ErrorCode code, const char* why) {
        return makeError(code, "tile %d/%u-%u: index entry: %u bytes at %llu %s", key.level, key.x, key.z,
                         entry.size, static_cast<unsigned long long>(entry.offset), why);
    };
    if (reader.failed()) return refuse(ErrorCode::CorruptData, "is cut short");
    if (entry.size == 0) {
        return makeError(ErrorCode::NotFound, "tile %d/%u-%u: is not in the package", key.level, key.x,
                         key.z);
    }
    if (entry.size > maxTileBytes(layout))
        return refuse(ErrorCode::CorruptData, "is larger than any tile of the layout");
    if (entry.offset < packageDataOffset(layout) || entry.offset > head.fileBytes ||
        entry.size > head.fileBytes - entry.offset) {
        return refuse(ErrorCode::CorruptData, "does not lie within the file's blocks");
    }
    return entry;
}

}  // namespace karst::heightfield
