#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield_build/tile_sink.h>

#include <string>

#include "background_writer.h"
#include "byte_writer.h"
#include "file_output.h"

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
        m_manifest = manifest;
        m_index.assign(static_cast<std::size_t>(storedTileCount(manifest.layout)), {});
        m_end = packageDataOffset(manifest.layout);
        if (!state.empty()) {
            ByteReader reader(state);
            m_end = reader.u64();
            if (!readArray(reader, std::span(m_index)) || reader.failed()) return corruptState(m_path);
        }
        Result<FileOutput> file = FileOutput::open(partialPath(m_path), !state.empty());
        if (!file) return file.error();
        if (!state.empty()) {
            const Result<std::uint64_t> size = file->size();
            if (!size) return size.error();
            if (*size < m_end) return corruptState(m_path);
        }
        if (Result<void> cut = file->truncate(m_end); !cut) return cut;
        m_pending.clear();
        m_writer = std::make_unique<BackgroundWriter>(std::move(*file), m_durability == Durability::PowerCut);
        return {};
    }

    Result<void> write(const TileKey& key, std::span<const std::byte> encoded) override {
        IndexEntry& entry = m_index[static_cast<std::size_t>(storedTileIndex(m_manifest.layout, key))];
        entry = {m_end, static_cast<std::uint32_t>(encoded.size())};
        m_end += encoded.size();
        // Small tiles gather, so that the file sees few and large writes.
        m_pending.insert(m_pending.end(), encoded.begin(), encoded.end());
        return m_pending.size() >= kGather ? flush() : Result<void>{};
    }

    Result<void> saveState(std::vector<std::byte>& out) override {
        if (Result<void> flushed = flush(); !flushed) return flushed;
        if (Result<void> drained = m_writer->drain(); !drained) return drained;
        if (m_durability == Durability::PowerCut) {
            if (Result<void> synced = m_writer->file().sync(); !synced) return synced;
        }
        ByteWriter writer(out);
        writer.u64(m_end);
        writer.array(std::span<const IndexEntry>(m_index));
        return {};
    }

    Result<void> finish() override {
        if (Result<void> flushed = flush(); !flushed) return flushed;
        if (Result<void> drained = m_writer->drain(); !drained) return drained;
        FileOutput& file = m_writer->file();
        std::vector<std::byte> index;
        writeIndex(m_index, index);
        if (Result<void> put = file.writeAt(kPackageHeadBytes, index); !put) return put;
        const Result<std::vector<std::byte>> head = writePackageHead({m_manifest, m_end});
        if (!head) return head.error();
        if (Result<void> put = file.writeAt(0, *head); !put) return put;
        if (m_durability == Durability::PowerCut) {
            if (Result<void> synced = file.sync(); !synced) return synced;
        }
        m_writer.reset();
        return renamePath(partialPath(m_path), m_path);
    }

  private:
    static constexpr std::size_t kGather = std::size_t{4} << 20;

    Result<void> flush() {
        if (m_pending.empty()) return {};
        return m_writer->write(m_end - m_pending.size(), m_pending);
    }

    std::filesystem::path m_path;
    Durability m_durability;
    PackageManifest m_manifest;
    std::unique_ptr<BackgroundWriter> m_writer;
    std::vector<IndexEntry> m_index;
    std::vector<std::byte> m_pending;  // the last bytes before m_end
    std::uint64_t m_end = 0;
};

class FolderSink final : public TileSink {
  public:
    FolderSink(std::filesystem::path path, Durability durability)
        : m_path(std::move(path)), m_durability(durability) {}

    Result<void> begin(const PackageManifest& manifest, std::span<const std::byte> state) override {
        m_manifest = manifest;
        const std::filesystem::path folder = partialPath(m_path);
        std::error_code code;
        if (state.empty()) {
            std::filesystem::remove_all(folder, code);
        } else if (ByteReader(state).u32() != kFolderState || !std::filesystem::is_directory(folder, code)) {
            return corruptState(m_path);
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
        return replaceFolder(folder, m_path);
    }

  private:
    static constexpr std::uint32_t kFolderState = 0x444c4f46;  // "FOLD"

    std::filesystem::path m_path;
    Durability m_durability;
    PackageManifest m_manifest;
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
