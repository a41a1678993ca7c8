#include "package_path.h"

#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_reader.h>

namespace karst::heightfield {

Result<PackageReader> PackageReader::open(const std::filesystem::path& path) {
    using Long = unsigned long long;
    const PackagePath place = packagePath(path);
    PackageReader reader;
    reader.m_root = place.root;
    reader.m_form = place.form;
    if (place.form == PackageForm::Folder) {
        const auto bytes = readFileRange(place.root, {std::string(kManifestName)});
        if (!bytes) return bytes.error();
        const Result<PackageManifest> manifest =
            parseManifest({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
        if (!manifest) return manifest.error();
        reader.m_head = {*manifest, 0};
        return reader;
    }
    const auto bytes = readFileRange(place.root, {{}, 0, kPackageHeadBytes});
    if (!bytes) return bytes.error();
    const Result<PackageHead> head = readPackageHead(*bytes);
    if (!head) return head.error();
    std::error_code code;
    const std::uint64_t size = std::filesystem::file_size(place.root, code);
    if (code || size != head->fileBytes) {
        return makeError(ErrorCode::CorruptData, "package: head: file bytes: %llu, but the file has %llu",
                         Long{head->fileBytes}, Long{size});
    }
    reader.m_head = *head;
    return reader;
}

Result<std::vector<std::byte>> PackageReader::readTileBytes(const TileKey& key) const {
    if (key.level < 0 || !layout().contains(key)) {
        return makeError(ErrorCode::InvalidArgument, "tile %d/%u-%u: is no stored tile of the layout",
                         key.level, key.x, key.z);
    }
    ByteRange range;
    if (m_form == PackageForm::Folder) {
        range.path = tilePath(manifest(), key);
    } else {
        const std::uint64_t at = kPackageHeadBytes + storedTileIndex(layout(), key) * kIndexEntryBytes;
        const auto bytes = readFileRange(m_root, {{}, at, kIndexEntryBytes});
        if (!bytes) return bytes.error();
        const Result<IndexEntry> entry = readIndexEntry(m_head, key, *bytes);
        if (!entry) return entry.error();
        range.offset = entry->offset;
        range.size = entry->size;
    }
    auto bytes = readFileRange(m_root, range);
    if (bytes) return bytes;
    return makeError(bytes.error().code, "tile %d/%u-%u: %s", key.level, key.x, key.z,
                     bytes.error().message.c_str());
}

Result<TilePtr> PackageReader::readTile(const TileKey& key, BlockCodec* codec, TileScratch& scratch) const {
    const auto bytes = readTileBytes(key);
    if (!bytes) return bytes.error();
    return decodeTile(manifest().version, layout(), key, *bytes, codec, scratch);
}

Result<void> PackageReader::readTile(const TileKey& key, BlockCodec* codec, TileScratch& scratch,
                                     QuantisedTile& out) const {
    const auto bytes = readTileBytes(key);
    if (!bytes) return bytes.error();
    return decodeTile(manifest().version, layout(), key, *bytes, codec, scratch, out);
}

}  // namespace karst::heightfield
