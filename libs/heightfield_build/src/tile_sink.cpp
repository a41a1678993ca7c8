#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield_build/tile_sink.h>

#include <string>
#include <vector>

#include "append_file.h"
#include "file_output.h"
#include "state_arrays.h"

namespace karst::heightfield {
namespace {

Error corruptState(const std::filesystem::path& path) {
    return makeError(ErrorCode::CorruptData,
                     "%s: the state to go on from does not fit the unfinished package", path.c_str());
}

class FileSink final : public TileSink {
  public:
    FileSink(std::filesystem::path path, Durability durability)
        : m_path(std::move(path)), m_durability(durability) {}

    Result<void> begin(const PackageManifest& manifest, std::span<const std::byte> state) override {
        if (manifest.version != 3) {
            return makeError(ErrorCode::InvalidArgument,
                             "%s: version %u packages are folders; one file is version 3", m_path.c_str(),
                             manifest.version);
        }
        constexpr std::uint64_t kMostTiles = std::uint64_t{1} << 32;
        if (storedTileCount(manifest.layout) > kMostTiles) {
            return makeError(ErrorCode::InvalidArgument, "%s: %llu tiles; one file takes %llu",
                             m_path.c_str(),
                             static_cast<unsigned long long>(storedTileCount(manifest.layout)),
                             static_cast<unsigned long long>(kMostTiles));
        }
        m_manifest = manifest;
        m_index.assign(static_cast<std::size_t>(storedTileCount(manifest.layout)), {});
        std::uint64_t end = packageDataOffset(manifest.layout);
        if (!state.empty()) {
            ByteReader reader(state);
            end = reader.u64();
            if (!readArray(reader, std::span(m_index)) || reader.failed()) return corruptState(m_path);
        }
        return m_file.begin(partialPath(m_path), end, !state.empty(), m_durability);
    }

    Result<void> write(const TileKey& key, std::span<const std::byte> encoded) override {
        IndexEntry& entry = m_index[static_cast<std::size_t>(storedTileIndex(m_manifest.layout, key))];
        entry = {m_file.end(), static_cast<std::uint32_t>(encoded.size())};
        return m_file.append(encoded);
    }

    Result<void> saveState(std::vector<std::byte>& out) override {
        if (Result<void> settled = m_file.settle(true); !settled) return settled;
        ByteWriter writer(out);
        writer.u64(m_file.end());
        writeArray(writer, std::span<const IndexEntry>(m_index));
        return {};
    }

    Result<void> finish() override {
        if (Result<void> settled = m_file.settle(false); !settled) return settled;
        std::vector<std::byte> index;
        writeIndex(m_index, index);
        if (Result<void> put = m_file.writeAt(kPackageHeadBytes, index); !put) return put;
        const Result<std::vector<std::byte>> head = writePackageHead({m_manifest, m_file.end()});
        if (!head) return head.error();
        if (Result<void> put = m_file.writeAt(0, *head); !put) return put;
        if (Result<void> settled = m_file.settle(true); !settled) return settled;
        if (Result<void> moved = renamePath(partialPath(m_path), m_path); !moved) return moved;
        m_file.close();
        return {};
    }

  private:
    std::filesystem::path m_path;
    Durability m_durability;
    PackageManifest m_manifest;
    std::vector<IndexEntry> m_index;
    AppendFile m_file;
};

class FolderSink final : public TileSink {
  public:
    FolderSink(std::filesystem::path path, Durability durability)
        : m_path(std::move(path)), m_durability(durability) {}

    ~FolderSink() override {
        if (!m_held.isOpen() || m_lasts) return;
        std::error_code ignored;
        std::filesystem::remove_all(partialPath(m_path), ignored);
    }

    Result<void> begin(const PackageManifest& manifest, std::span<const std::byte> state) override {
        m_manifest = manifest;
        const std::filesystem::path folder = partialPath(m_path);
        std::error_code code;
        if (state.empty()) {
            // A link is removed, not followed.
            if (!std::filesystem::is_directory(std::filesystem::symlink_status(folder, code)))
                std::filesystem::remove(folder, code);
            std::filesystem::create_directory(folder, code);
            if (code) {
                return makeError(ErrorCode::Io, "%s: cannot make this folder: %s", folder.c_str(),
                                 code.message().c_str());
            }
        } else if (ByteReader(state).u32() != kFolderState) {
            return corruptState(m_path);
        }
        m_held.close();
        Result<FileOutput> held = FileOutput::holdFolder(folder);
        if (!held) return held.error();
        m_held = std::move(*held);
        m_lasts = !state.empty();
        if (state.empty()) {
            std::vector<std::filesystem::path> old;
            std::filesystem::directory_iterator entry(folder, code);
            for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code))
                old.push_back(entry->path());
            for (const std::filesystem::path& path : old)
                std::filesystem::remove_all(path, code);
        }
        for (std::int32_t level = 0; level <= manifest.layout.rootLevel(); ++level) {
            const std::filesystem::path sub = (folder / tilePath(manifest, {level, 0, 0})).parent_path();
            std::filesystem::create_directories(sub, code);
            if (code) {
                return makeError(ErrorCode::Io, "%s: cannot make this folder: %s", sub.c_str(),
                                 code.message().c_str());
            }
        }
        return {};
    }

    Result<void> write(const TileKey& key, std::span<const std::byte> encoded) override {
        Result<FileOutput> file = FileOutput::open(partialPath(m_path) / tilePath(m_manifest, key), false);
        if (!file) return file.error();
        return file->writeAt(0, encoded);
    }

    Result<void> saveState(std::vector<std::byte>& out) override {
        m_lasts = true;
        ByteWriter(out).u32(kFolderState);  // tiles that come again overwrite themselves
        return m_durability == Durability::PowerCut ? syncFolder(partialPath(m_path)) : Result<void>{};
    }

    Result<void> finish() override {
        const std::string manifest = writeManifest(m_manifest);
        const std::filesystem::path folder = partialPath(m_path);
        if (Result<void> put = replaceFile(folder / kManifestName, std::as_bytes(std::span(manifest)),
                                           m_durability == Durability::PowerCut);
            !put)
            return put;
        if (m_durability == Durability::PowerCut) {
            if (Result<void> synced = syncFolder(folder); !synced) return synced;
        }
        if (Result<void> moved = replaceFolder(folder, m_path); !moved) return moved;
        m_held.close();
        return {};
    }

  private:
    static constexpr std::uint32_t kFolderState = 0x444c4f46;  // "FOLD"

    std::filesystem::path m_path;
    Durability m_durability;
    PackageManifest m_manifest;
    FileOutput m_held;
    bool m_lasts = false;  // a state may go on from it
};

}  // namespace

std::filesystem::path partialPath(const std::filesystem::path& path) {
    std::filesystem::path partial = path;
    partial += ".partial";
    return partial;
}

std::unique_ptr<TileSink> makeFileSink(const std::filesystem::path& path, Durability durability) {
    return std::make_unique<FileSink>(path, durability);
}

std::unique_ptr<TileSink> makeFolderSink(const std::filesystem::path& path, Durability durability) {
    return std::make_unique<FolderSink>(path, durability);
}

Result<void> MemorySink::begin(const PackageManifest& manifest, std::span<const std::byte> state) {
    if (!state.empty())
        return makeError(ErrorCode::InvalidArgument, "memory sink: a build in memory cannot go on");
    m_manifest = manifest;
    m_tiles.clear();
    return {};
}

Result<void> MemorySink::write(const TileKey& key, std::span<const std::byte> encoded) {
    TileScratch scratch;
    Result<TilePtr> tile = m_manifest.version == 2
                               ? decodeTileV2(m_manifest.layout, key, encoded, scratch)
                               : decodeTileV3(m_manifest.layout, key, encoded, nullptr, scratch);
    if (!tile) return tile.error();
    m_tiles.push_back(*tile);
    return {};
}

Result<void> MemorySink::saveState(std::vector<std::byte>&) {
    return makeError(ErrorCode::InvalidArgument, "memory sink: a build in memory keeps no state");
}

}  // namespace karst::heightfield
