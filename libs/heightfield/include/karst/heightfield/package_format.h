#pragma once

#include <karst/base/result.h>
#include <karst/heightfield/block_codec.h>
#include <karst/heightfield/tile_layout.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace karst::heightfield {

// The bytes of packages around their tiles, to and from memory only (spec rows H6, HX2; docs/formats/
// package_v2.md, package_v3.md). A package is a folder (versions 2 and 3: terrain.json and a file a tile) or
// one file (version 3: a head of 4096 bytes, an index, tile blocks). Readers take bytes that nobody vouches
// for.

enum class PackageForm { Folder, File };

/// The manifest's name in a folder.
inline constexpr std::string_view kManifestName = "terrain.json";

/// What terrain.json says, or the JSON in a single file's head.
struct PackageManifest {
    std::uint32_t version = 2;  ///< 2 or 3
    TileLayout layout;
    CodecId codec = CodecId::None;  ///< version 3: what tiles may be compressed with
    /// The tiles' folder, relative to the package; see validateTilesPath. Unused in a single file.
    std::string tiles = "tiles";

    bool operator==(const PackageManifest&) const = default;
};

/// The manifest as JSON text with a newline at its end; a single file's without `tiles`.
std::string writeManifest(const PackageManifest& manifest, PackageForm form = PackageForm::Folder);

/// Refuses by name what is missing, of another kind, or out of range; keys it does not know are ignored. At
/// most 1 MiB.
Result<PackageManifest> parseManifest(std::string_view json, PackageForm form = PackageForm::Folder);

/// A tiles folder must be a path within the package of at most 255 bytes, as relativePathFault() of
/// base/file_byte_source.h says.
Result<void> validateTilesPath(std::string_view path);

/// Where a tile lies in a folder, relative to the package: <tiles>/<level>/<x>-<z>.jtile (version 2) or
/// .ktile (version 3).
std::string tilePath(const PackageManifest& manifest, const TileKey& key);

// Stored tiles are exactly those of levels 0 .. rootLevel() that hold ground: a full rectangle at each level.
// Their order: coarsest level first, then row by row.

std::uint32_t storedTilesX(const TileLayout& layout, std::int32_t level);
std::uint32_t storedTilesZ(const TileLayout& layout, std::int32_t level);
std::uint64_t storedTileCount(const TileLayout& layout);
/// `key` is a stored tile's: layout.contains(key) with key.level >= 0.
std::uint64_t storedTileIndex(const TileLayout& layout, const TileKey& key);
/// `index` < storedTileCount(layout).
TileKey storedTileAt(const TileLayout& layout, std::uint64_t index);

// One file, version 3: the head, then 12 bytes of index a stored tile in the order above, then blocks in any
// order.

inline constexpr std::size_t kPackageHeadBytes = 4096;
inline constexpr std::size_t kIndexEntryBytes = 12;

/// Where a tile's block lies in the file; size 0 for a tile that is missing.
struct IndexEntry {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    bool operator==(const IndexEntry&) const = default;
};

struct PackageHead {
    PackageManifest manifest;
    std::uint64_t fileBytes = 0;  ///< of the whole file
};

/// Where the first block begins: right after the index.
std::uint64_t packageDataOffset(const TileLayout& layout);

/// Exactly kPackageHeadBytes. Fails on an invalid layout, a version other than 3, or too few file bytes.
Result<std::vector<std::byte>> writePackageHead(const PackageHead& head);
Result<PackageHead> readPackageHead(std::span<const std::byte> bytes);

/// Appends the entries' bytes to `out`.
void writeIndex(std::span<const IndexEntry> entries, std::vector<std::byte>& out);

/// The entry of one tile from its kIndexEntryBytes. Refuses a block that does not lie within the file's data
/// or is larger than any tile of the layout; NotFound where the tile is missing.
Result<IndexEntry> readIndexEntry(const PackageHead& head, const TileKey& key,
                                  std::span<const std::byte> bytes);

}  // namespace karst::heightfield
