#include "package_path.h"

#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_tile_source.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace karst::heightfield {

PackageTileSource::PackageTileSource(std::unique_ptr<ByteSource> bytes, PackageForm form,
                                     std::unique_ptr<BlockCodec> codec, std::string file)
    : m_bytes(std::move(bytes)), m_form(form), m_codec(std::move(codec)), m_file(std::move(file)) {
    KARST_ASSERT(m_bytes != nullptr);
    requestHead();
}

void PackageTileSource::requestHead() {
    const ByteRange range = m_form == PackageForm::Folder ? ByteRange{std::string(kManifestName)}
                                                          : ByteRange{m_file, 0, kPackageHeadBytes};
    m_reads[m_bytes->request(range)] = {ReadKind::Head, 0, {}};
}

void PackageTileSource::reopen() {
    if (m_state != State::Failed) return;
    m_state = State::Opening;
    m_error.reset();
    requestHead();
}

void PackageTileSource::update() {
    while (m_state == State::Opening) {
        std::optional<ByteSource::Finished> finished = m_bytes->poll();
        if (!finished) return;
        handle(std::move(*finished));
    }
}

void PackageTileSource::request(const TileKey& key) {
    const auto [load, isNew] = m_loads.try_emplace(key.packed(), Load{key});
    if (!isNew) return;
    if (m_state == State::Opening) {
        m_waitingForHead.push_back(key);
    } else {
        advance(key);
    }
}

std::optional<TileSource::Finished> PackageTileSource::poll() {
    while (m_done.empty()) {
        std::optional<ByteSource::Finished> finished = m_bytes->poll();
        if (!finished) return std::nullopt;
        handle(std::move(*finished));
    }
    Finished done = std::move(m_done.front());
    m_done.pop_front();
    m_loads.erase(done.key.packed());
    return done;
}

void PackageTileSource::cancel(const TileKey& key) {
    const auto found = m_loads.find(key.packed());
    if (found == m_loads.end()) return;
    if (found->second.done) {
        std::erase_if(m_done, [&](const Finished& done) { return done.key == key; });
    } else if (found->second.read != 0) {
        m_bytes->cancel(found->second.read);
        m_reads.erase(found->second.read);
    }
    m_loads.erase(found);
    // Lists of waiting tiles forget it when their turn comes.
}

std::size_t PackageTileSource::indexBytes() const {
    std::size_t bytes = 0;
    for (const auto& [page, content] : m_pages)
        bytes += content.capacity();
    return bytes;
}

void PackageTileSource::handle(ByteSource::Finished finished) {
    const auto found = m_reads.find(finished.id);
    if (found == m_reads.end()) return;
    const Read read = found->second;
    m_reads.erase(found);
    if (read.kind == ReadKind::Head) {
        takeHead(finished.bytes);
        const std::vector<TileKey> waiting = std::exchange(m_waitingForHead, {});
        for (const TileKey& key : waiting)
            advance(key);
    } else if (read.kind == ReadKind::Page) {
        takePage(read.page, std::move(finished.bytes));
    } else {
        Load& load = m_loads.at(read.key.packed());
        if (!finished.bytes) {
            const Error& error = finished.bytes.error();
            finish(load, makeError(error.code, "tile %d/%u-%u: %s", read.key.level, read.key.x, read.key.z,
                                   error.message.c_str()));
        } else {
            finish(load, decodeTile(m_head.manifest.version, layout(), read.key, *finished.bytes,
                                    m_codec.get(), m_scratch));
        }
    }
}

void PackageTileSource::fail(const Error& error) {
    m_state = State::Failed;
    m_error = error;
}

void PackageTileSource::takeHead(const Result<std::vector<std::byte>>& bytes) {
    if (!bytes) {
        return fail(makeError(bytes.error().code, "package: %s", bytes.error().message.c_str()));
    }
    if (m_form == PackageForm::Folder) {
        const Result<PackageManifest> manifest =
            parseManifest({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
        if (!manifest) return fail(manifest.error());
        m_head = {*manifest, 0};
    } else {
        const Result<PackageHead> head = readPackageHead(*bytes);
        if (!head) return fail(head.error());
        m_head = *head;
    }
    const CodecId needed = m_head.manifest.codec;
    if (needed != CodecId::None && (m_codec == nullptr || m_codec->id() != needed)) {
        return fail(makeError(ErrorCode::Unsupported, "package: codec %s is not at hand",
                              std::string(codecName(needed)).c_str()));
    }
    m_state = State::Ready;
}

void PackageTileSource::advance(const TileKey& key) {
    const auto found = m_loads.find(key.packed());
    if (found == m_loads.end() || found->second.read != 0 || found->second.done) return;
    Load& load = found->second;
    if (m_state == State::Failed) return finish(load, *m_error);
    if (key.level < 0 || !layout().contains(key)) {
        return finish(load,
                      makeError(ErrorCode::InvalidArgument, "tile %d/%u-%u: is no stored tile of the layout",
                                key.level, key.x, key.z));
    }
    if (m_form == PackageForm::File) return advanceInFile(load);
    load.read = m_bytes->request({tilePath(m_head.manifest, key)});
    m_reads[load.read] = {ReadKind::Tile, 0, key};
}

void PackageTileSource::advanceInFile(Load& load) {
    const std::uint64_t index = storedTileIndex(layout(), load.key), page = index / kPageEntries;
    const auto found = m_pages.find(page);
    if (found == m_pages.end()) {
        std::vector<TileKey>& waiting = m_waiting[page];
        if (waiting.empty()) {
            const std::uint64_t first = page * kPageEntries;
            const std::uint64_t count = std::min(kPageEntries, storedTileCount(layout()) - first);
            const std::uint64_t id = m_bytes->request(
                {m_file, kPackageHeadBytes + first * kIndexEntryBytes, count * kIndexEntryBytes});
            m_reads[id] = {ReadKind::Page, page, {}};
        }
        waiting.push_back(load.key);
        return;
    }
    const Result<IndexEntry> entry = readIndexEntry(
        m_head, load.key,
        std::span(found->second).subspan(index % kPageEntries * kIndexEntryBytes, kIndexEntryBytes));
    if (!entry) return finish(load, entry.error());
    load.read = m_bytes->request({m_file, entry->offset, entry->size});
    m_reads[load.read] = {ReadKind::Tile, 0, load.key};
}

void PackageTileSource::takePage(std::uint64_t page, Result<std::vector<std::byte>> bytes) {
    const std::vector<TileKey> waiting = std::exchange(m_waiting[page], {});
    m_waiting.erase(page);
    const std::uint64_t count = std::min(kPageEntries, storedTileCount(layout()) - page * kPageEntries);
    if (bytes && bytes->size() != count * kIndexEntryBytes) {
        bytes = makeError(ErrorCode::Io, "index page %llu: %zu bytes are not %llu",
                          static_cast<unsigned long long>(page), bytes->size(),
                          static_cast<unsigned long long>(count * kIndexEntryBytes));
    }
    if (bytes) m_pages[page] = std::move(*bytes);
    for (const TileKey& key : waiting) {
        const auto found = m_loads.find(key.packed());
        if (found == m_loads.end() || found->second.read != 0 || found->second.done) continue;
        if (bytes) {
            advance(key);
        } else {
            finish(found->second, makeError(bytes.error().code, "tile %d/%u-%u: index: %s", key.level, key.x,
                                            key.z, bytes.error().message.c_str()));
        }
    }
}

void PackageTileSource::finish(Load& load, Result<TilePtr> tile) {
    load.done = true;
    m_done.push_back({load.key, std::move(tile)});
}

Result<std::unique_ptr<PackageTileSource>> openPackage(const std::filesystem::path& path,
                                                       std::unique_ptr<BlockCodec> codec) {
    const PackagePath place = packagePath(path);
    auto source = std::make_unique<PackageTileSource>(std::make_unique<FileByteSource>(place.root),
                                                      place.form, std::move(codec));
    while (source->state() == PackageTileSource::State::Opening) {
        source->update();
        if (source->state() == PackageTileSource::State::Opening)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (!source->ready()) return source->error();
    return source;
}

}  // namespace karst::heightfield
