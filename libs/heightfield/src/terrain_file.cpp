#include "json.h"

#include <karst/base/byte_writer.h>
#include <karst/base/checksum.h>
#include <karst/base/file_byte_source.h>
#include <karst/heightfield/terrain_asset.h>

#include <cmath>
#include <cstdio>
#include <limits>

namespace karst::heightfield {
namespace {

constexpr const char* kWhat = "terrain manifest";
constexpr std::size_t kMostManifestBytes = std::size_t{32} << 20;

std::optional<std::uint64_t> parseChecksum(std::string_view text) {
    if (text.size() != 16) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
        if (!digit && !letter) return std::nullopt;
        value = value << 4 | static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
    }
    return value;
}

// Two heights in order that floats can hold.
Result<HeightRange> parseRange(const JsonDocument::Value& object, const char* what, const char* key) {
    double values[2];
    if (Result<void> read = needNumbers(object, what, key, values, 2); !read) return read.error();
    constexpr double kMost = std::numeric_limits<float>::max();
    if (!(values[0] >= -kMost && values[1] <= kMost && values[0] <= values[1])) {
        return makeError(ErrorCode::CorruptData, "%s: %s %g..%g are not heights in order", what, key,
                         values[0], values[1]);
    }
    return HeightRange{static_cast<float>(values[0]), static_cast<float>(values[1])};
}

// Sizes and the grid's place; what parseTerrain and writeTerrain both demand.
Result<void> checkShape(const TerrainManifest& manifest) {
    const std::uint32_t cells = manifest.patchCells;
    if (cells < 2 || cells > TileLayout::kMaxTileCells || (cells & (cells - 1)) != 0) {
        return makeError(ErrorCode::CorruptData, "%s: patch_cells %u is not a power of two from 2 to %u",
                         kWhat, cells, TileLayout::kMaxTileCells);
    }
    const std::uint64_t patches = std::uint64_t{manifest.patchesX} * manifest.patchesZ;
    if (patches < 1 || patches > TerrainManifest::kMaxPatches ||
        (std::uint64_t{manifest.patchesX} * cells + 1) * (std::uint64_t{manifest.patchesZ} * cells + 1) >
            TerrainManifest::kMaxSamples) {
        return makeError(ErrorCode::CorruptData, "%s: grid %u x %u patches of %u cells is empty or too large",
                         kWhat, manifest.patchesX, manifest.patchesZ, cells);
    }
    if (!(manifest.spacingX > 0 && manifest.spacingZ > 0) || !std::isfinite(manifest.originX) ||
        !std::isfinite(manifest.originZ) ||
        !std::isfinite(manifest.originX + manifest.spacingX * manifest.samplesX()) ||
        !std::isfinite(manifest.originZ + manifest.spacingZ * manifest.samplesZ())) {
        return makeError(ErrorCode::CorruptData,
                         "%s: origin (%g, %g) and spacing (%g, %g) must be finite, the "
                         "spacing above 0",
                         kWhat, manifest.originX, manifest.originZ, manifest.spacingX, manifest.spacingZ);
    }
    if (const char* fault = relativePathFault(manifest.heightsFile)) {
        return makeError(ErrorCode::CorruptData, "%s: heights: file %s %s", kWhat,
                         jsonText(std::string_view(manifest.heightsFile).substr(0, 64)).c_str(), fault);
    }
    return {};
}

Result<void> checkErrors(const TerrainManifest& manifest, const TerrainPatch& patch, std::size_t index) {
    double before = 0;
    if (patch.errors.size() != manifest.levels() + 1) {
        return makeError(ErrorCode::CorruptData, "%s: patches[%zu]: %zu errors are not %u", kWhat, index,
                         patch.errors.size(), manifest.levels() + 1);
    }
    for (const double error : patch.errors) {
        if (!std::isfinite(error) || error < before) {
            return makeError(ErrorCode::CorruptData, "%s: patches[%zu]: error table is not monotone at %g",
                             kWhat, index, error);
        }
        before = error;
    }
    return {};
}

Result<void> parsePatches(const JsonDocument::Value& root, TerrainManifest& manifest) {
    const Result<JsonDocument::Value> patches = needMember(root, kWhat, "patches", JsonKind::Array);
    if (!patches) return patches.error();
    const std::size_t count = std::size_t{manifest.patchesX} * manifest.patchesZ;
    if (patches->size() != count) {
        return makeError(ErrorCode::CorruptData, "%s: patches: %u are not the grid's %zu", kWhat,
                         patches->size(), count);
    }
    manifest.patches.reserve(count);
    for (auto item = patches->first(); item; item = item->next()) {
        char what[64];
        const std::size_t index = manifest.patches.size();
        std::snprintf(what, sizeof what, "%s: patches[%zu]", kWhat, index);
        if (item->kind() != JsonKind::Object)
            return makeError(ErrorCode::CorruptData, "%s is no object", what);
        TerrainPatch patch;
        const Result<HeightRange> bounds = parseRange(*item, what, "bounds");
        if (!bounds) return bounds.error();
        patch.bounds = *bounds;
        patch.errors.resize(manifest.levels() + 1);
        if (Result<void> read =
                needNumbers(*item, what, "errors", patch.errors.data(), manifest.levels() + 1);
            !read)
            return read;
        if (Result<void> good = checkErrors(manifest, patch, index); !good) return good;
        manifest.patches.push_back(std::move(patch));
    }
    return {};
}

}  // namespace

Result<TerrainManifest> parseTerrain(std::string_view json) {
    JsonLimits limits;
    limits.bytes = kMostManifestBytes;
    limits.values = std::size_t{1} << 20;
    const Result<JsonDocument> document = JsonDocument::parse(json, kWhat, limits);
    if (!document) return document.error();
    const JsonDocument::Value root = document->root();
    if (root.kind() != JsonKind::Object)
        return makeError(ErrorCode::CorruptData, "%s: the JSON is not an object", kWhat);
    const Result<std::uint32_t> version = needInteger(root, kWhat, "version", 0, 0xffffffffu);
    if (!version) return version.error();
    if (*version != 1) return makeError(ErrorCode::Unsupported, "%s: version %u is not 1", kWhat, *version);
    TerrainManifest manifest;
    const Result<std::uint32_t> cells = needInteger(root, kWhat, "patch_cells", 2, TileLayout::kMaxTileCells);
    if (!cells) return cells.error();
    manifest.patchCells = *cells;
    double pair[2];
    if (Result<void> read = needNumbers(root, kWhat, "grid", pair, 2); !read) return read.error();
    for (const double side : pair) {
        if (!(side >= 1 && side <= TerrainManifest::kMaxPatches) || side != std::floor(side))
            return makeError(ErrorCode::CorruptData, "%s: grid %g is not a number of patches", kWhat, side);
    }
    manifest.patchesX = static_cast<std::uint32_t>(pair[0]);
    manifest.patchesZ = static_cast<std::uint32_t>(pair[1]);
    if (Result<void> read = needNumbers(root, kWhat, "origin", pair, 2); !read) return read.error();
    manifest.originX = pair[0];
    manifest.originZ = pair[1];
    if (Result<void> read = needNumbers(root, kWhat, "spacing", pair, 2); !read) return read.error();
    manifest.spacingX = pair[0];
    manifest.spacingZ = pair[1];

    const Result<JsonDocument::Value> heights = needMember(root, kWhat, "heights", JsonKind::Object);
    if (!heights) return heights.error();
    constexpr const char* kHeights = "terrain manifest: heights";
    const Result<JsonDocument::Value> file = needMember(*heights, kHeights, "file", JsonKind::Text);
    if (!file) return file.error();
    manifest.heightsFile = file->text();
    const Result<JsonDocument::Value> type = needMember(*heights, kHeights, "type", JsonKind::Text);
    if (!type) return type.error();
    if (type->text() != "f32" && type->text() != "u16")
        return makeError(ErrorCode::Unsupported, "%s: type %.20s is not f32 or u16", kHeights,
                         std::string(type->text()).c_str());
    manifest.sampleType = type->text() == "f32" ? TerrainSampleType::Float32 : TerrainSampleType::Quantised16;
    const Result<HeightRange> range = parseRange(*heights, kHeights, "range");
    if (!range) return range.error();
    manifest.range = *range;
    const Result<JsonDocument::Value> sum = needMember(*heights, kHeights, "xxh64", JsonKind::Text);
    if (!sum) return sum.error();
    const std::optional<std::uint64_t> checksum = parseChecksum(sum->text());
    if (!checksum)
        return makeError(ErrorCode::CorruptData, "%s: xxh64 is not 16 lower-case hexadecimal digits",
                         kHeights);
    manifest.checksum = *checksum;

    if (Result<void> good = checkShape(manifest); !good) return good.error();
    if (Result<void> read = parsePatches(root, manifest); !read) return read.error();
    return manifest;
}

Result<TerrainAsset> loadTerrain(const std::filesystem::path& manifest) {
    const auto json = readFileRange(manifest, {}, kMostManifestBytes);
    if (!json) return json.error();
    Result<TerrainManifest> parsed =
        parseTerrain({reinterpret_cast<const char*>(json->data()), json->size()});
    if (!parsed) return parsed.error();
    const std::filesystem::path folder = manifest.has_parent_path() ? manifest.parent_path() : ".";
    const auto heights = readFileRange(folder, {parsed->heightsFile}, parsed->heightsBytes());
    if (!heights) return heights.error();
    return decodeTerrain(std::move(*parsed), *heights);
}

Result<TerrainFiles> writeTerrain(const TerrainAsset& asset) {
    const TerrainManifest& manifest = asset.manifest;
    if (Result<void> good = checkShape(manifest); !good) return good.error();
    const HeightRange& range = manifest.range;
    if (!std::isfinite(range.min) || !std::isfinite(range.max) || range.min > range.max)
        return makeError(ErrorCode::CorruptData, "%s: heights: range %g..%g", kWhat, double{range.min},
                         double{range.max});
    if (asset.heights.size() != std::size_t{manifest.samplesX()} * manifest.samplesZ() ||
        manifest.patches.size() != std::size_t{manifest.patchesX} * manifest.patchesZ) {
        return makeError(ErrorCode::CorruptData, "%s: %zu heights and %zu patches are not the grid's", kWhat,
                         asset.heights.size(), manifest.patches.size());
    }
    TerrainFiles files;
    ByteWriter writer(files.heights);
    TileLayout quantised;
    quantised.quantisation = range;
    for (const float height : asset.heights) {
        if (!std::isfinite(height))
            return makeError(ErrorCode::CorruptData, "%s: a height is not finite", kWhat);
        if (manifest.sampleType == TerrainSampleType::Float32) {
            writer.f32(height);
        } else {
            writer.u16(quantised.quantise(height));
        }
    }
    TerrainManifest written = manifest;
    written.checksum = xxh64(files.heights);

    const auto numbers = [](auto a, auto b) {
        std::string text = "[";
        text += jsonNumber(a);
        text += ", ";
        text += jsonNumber(b);
        text += ']';
        return text;
    };
    char sum[20];
    std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(written.checksum));
    std::string& json = files.manifest;
    json = "{\n  \"version\": 1,\n  \"patch_cells\": " + std::to_string(manifest.patchCells);
    json += ",\n  \"grid\": " + numbers(double(manifest.patchesX), double(manifest.patchesZ));
    json += ",\n  \"origin\": " + numbers(manifest.originX, manifest.originZ);
    json += ",\n  \"spacing\": " + numbers(manifest.spacingX, manifest.spacingZ);
    json += ",\n  \"heights\": {\"file\": " + jsonText(manifest.heightsFile);
    json += manifest.sampleType == TerrainSampleType::Float32 ? ", \"type\": \"f32\"" : ", \"type\": \"u16\"";
    json += ", \"range\": " + numbers(range.min, range.max);
    json += ", \"xxh64\": \"" + std::string(sum) + "\"},\n  \"patches\": [";
    for (std::size_t i = 0; i < manifest.patches.size(); ++i) {
        const TerrainPatch& patch = manifest.patches[i];
        if (Result<void> good = checkErrors(manifest, patch, i); !good) return good.error();
        if (!std::isfinite(patch.bounds.min) || !std::isfinite(patch.bounds.max))
            return makeError(ErrorCode::CorruptData, "%s: patches[%zu]: bounds are not finite", kWhat, i);
        json += i == 0 ? "\n    {\"bounds\": " : ",\n    {\"bounds\": ";
        json += numbers(patch.bounds.min, patch.bounds.max) + ", \"errors\": [";
        for (std::size_t e = 0; e < patch.errors.size(); ++e)
            json.append(e == 0 ? "" : ", ").append(jsonNumber(patch.errors[e]));
        json += "]}";
    }
    json += "\n  ]\n}\n";
    // The heights as they read back must lie within the bounds.
    if (Result<TerrainAsset> back = decodeTerrain(std::move(written), files.heights); !back)
        return back.error();
    return files;
}

}  // namespace karst::heightfield
