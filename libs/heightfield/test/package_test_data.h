#pragma once

#include "tile_test_data.h"

#include <gtest/gtest.h>
#include <karst/base/byte_source.h>
#include <karst/heightfield/tile_source.h>

#include <chrono>
#include <fstream>
#include <map>
#include <thread>

namespace karst::heightfield::test_data {

inline void writeFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.good());
}

inline void writeText(const std::filesystem::path& path, std::string_view text) {
    writeFile(path, std::as_bytes(std::span(text)));
}

/// Every stored tile of a layout, at random.
inline std::vector<QuantisedTile> randomTiles(test::Random& random, const TileLayout& layout, bool extras) {
    std::vector<QuantisedTile> tiles;
    for (std::uint64_t i = 0; i < storedTileCount(layout); ++i) {
        tiles.push_back(randomTile(random, layout, storedTileAt(layout, i)));
        if (!extras) {
            tiles.back().holes.clear();
            tiles.back().materialLayers = 0;
            tiles.back().materials.clear();
        }
    }
    return tiles;
}

inline std::vector<std::byte> tileBytes(const PackageManifest& manifest, const QuantisedTile& tile,
                                        BlockCodec* codec) {
    std::vector<std::byte> bytes;
    TileScratch scratch;
    EXPECT_TRUE(encodeTile(manifest.version, manifest.layout, tile.content(), codec, scratch, bytes).ok());
    return bytes;
}

/// A package's files by their paths; in a single file's case that one under the empty path. Blocks of a
/// single file stand in reverse order.
using Files = std::map<std::string, std::vector<std::byte>>;

inline Files packFolder(const PackageManifest& manifest, const std::vector<QuantisedTile>& tiles,
                        BlockCodec* codec) {
    Files files;
    const std::string json = writeManifest(manifest);
    const auto bytes = std::as_bytes(std::span(json));
    files[std::string(kManifestName)].assign(bytes.begin(), bytes.end());
    for (const QuantisedTile& tile : tiles)
        files[tilePath(manifest, tile.key)] = tileBytes(manifest, tile, codec);
    return files;
}

inline std::vector<std::byte> packFile(const PackageManifest& manifest,
                                       const std::vector<QuantisedTile>& tiles, BlockCodec* codec) {
    std::vector<IndexEntry> index(storedTileCount(manifest.layout));
    std::vector<std::byte> blocks;
    for (std::size_t i = tiles.size(); i-- > 0;) {
        const std::vector<std::byte> block = tileBytes(manifest, tiles[i], codec);
        index[storedTileIndex(manifest.layout, tiles[i].key)] = {
            packageDataOffset(manifest.layout) + blocks.size(), static_cast<std::uint32_t>(block.size())};
        blocks.insert(blocks.end(), block.begin(), block.end());
    }
    auto head = writePackageHead({manifest, packageDataOffset(manifest.layout) + blocks.size()});
    EXPECT_TRUE(head.ok());
    std::vector<std::byte> bytes = *head;
    writeIndex(index, bytes);
    bytes.insert(bytes.end(), blocks.begin(), blocks.end());
    return bytes;
}

inline void writeFolder(const std::filesystem::path& folder, const Files& files) {
    for (const auto& [path, bytes] : files)
        writeFile(folder / path, bytes);
}

/// Files in memory, answered in a random order, and only when let.
class ScriptedBytes final : public ByteSource {
  public:
    explicit ScriptedBytes(const Files* files, std::uint64_t seed = 1) : m_files(files), m_random(seed) {}

    std::uint64_t request(const ByteRange& range) override {
        requests.push_back(range);
        m_pending.push_back({++m_last, range});
        return m_last;
    }
    std::optional<Finished> poll() override {
        if (silent || m_pending.empty()) return std::nullopt;
        const auto at = m_pending.begin() + static_cast<std::ptrdiff_t>(m_random.next() % m_pending.size());
        const auto [id, range] = *at;
        m_pending.erase(at);
        if (failing) return Finished{id, makeError(ErrorCode::Io, "the line is dead")};
        const auto found = m_files->find(range.path);
        if (found == m_files->end())
            return Finished{id, makeError(ErrorCode::NotFound, "no %s", range.path.c_str())};
        const std::vector<std::byte>& bytes = found->second;
        const std::uint64_t left = bytes.size() - std::min<std::uint64_t>(range.offset, bytes.size());
        const std::uint64_t size = range.size == ByteRange::kToEnd ? left : range.size;
        if (size > left) return Finished{id, makeError(ErrorCode::Io, "%s is short", range.path.c_str())};
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(range.offset);
        return Finished{id, std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(size))};
    }
    void cancel(std::uint64_t id) override {
        cancelled += std::erase_if(m_pending, [&](const auto& pending) { return pending.first == id; });
    }

    std::vector<ByteRange> requests;
    std::size_t cancelled = 0;
    bool silent = false, failing = false;

  private:
    const Files* m_files;
    test::Random m_random;
    std::uint64_t m_last = 0;
    std::vector<std::pair<std::uint64_t, ByteRange>> m_pending;
};

/// Waits for the next load; gives up after a minute.
template <class Source>
TileSource::Finished waitForTile(Source& source) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
        if (auto finished = source.poll()) return std::move(*finished);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    ADD_FAILURE() << "nothing came";
    return {{}, makeError(ErrorCode::Io, "nothing came")};
}

}  // namespace karst::heightfield::test_data
