#include "package_path.h"

#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_reader.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace karst::heightfield {

/// Pages of the index as they were read. A page has one place, from which the next one there pushes it.
class PackageReader::IndexPages {
  public:
    static constexpr std::uint64_t kEntries = 1024;
    using Page = std::shared_ptr<const std::vector<std::byte>>;

    /// Null where it is not held.
    Page find(std::uint64_t page) const {
        const std::lock_guard lock(m_mutex);
        const Place& place = m_places[page % kPlaces];
        return place.number == page ? place.page : nullptr;
    }
    void keep(std::uint64_t page, Page bytes) {
        const std::lock_guard lock(m_mutex);
        m_places[page % kPlaces] = {page, std::move(bytes)};
    }

  private:
    static constexpr std::size_t kPlaces = 64;
    struct Place {
        std::uint64_t number = 0;
        Page page;
    };

    mutable std::mutex m_mutex;
    std::array<Place, kPlaces> m_places;
};

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
    reader.m_pages = std::make_shared<IndexPages>();
    return reader;
}

Result<IndexEntry> PackageReader::indexEntry(const TileKey& key) const {
    const std::uint64_t index = storedTileIndex(layout(), key);
    const std::uint64_t page = index / IndexPages::kEntries;
    const std::size_t at = static_cast<std::size_t>(index % IndexPages::kEntries) * kIndexEntryBytes;
    IndexPages::Page bytes = m_pages->find(page);
    if (bytes == nullptr) {
        const std::uint64_t first = page * IndexPages::kEntries;
        const std::uint64_t count = std::min(IndexPages::kEntries, storedTileCount(layout()) - first);
        auto read = readFileRange(
            m_root, {{}, kPackageHeadBytes + first * kIndexEntryBytes, count * kIndexEntryBytes});
        if (!read) return read.error();
        bytes = std::make_shared<const std::vector<std::byte>>(std::move(*read));
        m_pages->keep(page, bytes);
    }
    return readIndexEntry(m_head, key, std::span(*bytes).subspan(at, kIndexEntryBytes));
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
        const Result<IndexEntry> entry = indexEntry(key);
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
