#include "package_test_data.h"

#include <gmock/gmock.h>
#include <karst/heightfield/memory_tile_source.h>
#include <karst/heightfield/package_reader.h>
#include <karst/heightfield/package_tile_source.h>

#include <set>

namespace karst::heightfield {
namespace {

using namespace test_data;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

enum class Kind { FolderV2, FolderV3, FileV3 };

struct Package {
    PackageManifest manifest;
    std::vector<QuantisedTile> tiles;
    Files files;
    PackageForm form = PackageForm::Folder;
};

Package makePackage(Kind kind, std::uint64_t seed, bool codec = true) {
    test::Random random(seed);
    Package package;
    package.manifest.version = kind == Kind::FolderV2 ? 2 : 3;
    TileLayout& layout = package.manifest.layout;
    layout.tileCells = 8;
    layout.storedLevels = 3;
    layout.rootsX = 3;
    layout.rootsZ = 2;
    layout.quantisation = {-5, 700};
    layout.samplesX = 70;
    layout.samplesZ = 49;
    RunCodec runs;
    BlockCodec* used = kind != Kind::FolderV2 && codec ? &runs : nullptr;
    if (used != nullptr) package.manifest.codec = used->id();
    package.tiles = randomTiles(random, layout, kind != Kind::FolderV2);
    if (kind == Kind::FileV3) {
        package.form = PackageForm::File;
        package.files[""] = packFile(package.manifest, package.tiles, used);
    } else {
        package.files = packFolder(package.manifest, package.tiles, used);
    }
    return package;
}

const std::vector<Kind> kKinds = {Kind::FolderV2, Kind::FolderV3, Kind::FileV3};

void expectSame(const HeightTile& tile, const QuantisedTile& expected, const TileLayout& layout) {
    const TilePtr want = makeTile(layout, expected.content());
    EXPECT_EQ(tile.key, want->key);
    EXPECT_EQ(tile.samples, want->samples);
    EXPECT_EQ(tile.bounds, want->bounds);
    EXPECT_EQ(tile.errors, want->errors);
    EXPECT_EQ(tile.holes, want->holes);
    EXPECT_EQ(tile.materials, want->materials);
}

struct Opened {
    ScriptedBytes* bytes;
    std::unique_ptr<PackageTileSource> source;
};

Opened open(const Package& package, std::uint64_t seed = 1, bool withCodec = true) {
    auto bytes = std::make_unique<ScriptedBytes>(&package.files, seed);
    ScriptedBytes* raw = bytes.get();
    std::unique_ptr<BlockCodec> codec;
    if (withCodec) codec = std::make_unique<RunCodec>();
    return {raw, std::make_unique<PackageTileSource>(std::move(bytes), package.form, std::move(codec))};
}

TEST(PackageTileSource, H7_LoadsEveryTileOfEveryForm) {
    for (const Kind kind : kKinds) {
        const Package package = makePackage(kind, 101);
        auto [bytes, source] = open(package);
        // Requested before the manifest came: they wait for it.
        for (const QuantisedTile& tile : package.tiles) {
            source->request(tile.key);
            source->request(tile.key);
        }
        EXPECT_FALSE(source->ready());
        EXPECT_EQ(bytes->requests.size(), 1u);
        std::set<std::uint64_t> seen;
        while (auto finished = source->poll()) {
            ASSERT_TRUE(finished->tile.ok()) << finished->tile.error().message;
            ASSERT_TRUE(seen.insert(finished->key.packed()).second);
            expectSame(**finished->tile,
                       package.tiles[storedTileIndex(package.manifest.layout, finished->key)],
                       package.manifest.layout);
        }
        EXPECT_TRUE(source->ready());
        EXPECT_EQ(source->manifest(), package.manifest);
        EXPECT_EQ(seen.size(), package.tiles.size());
        // One request a tile; a single file: one more for the only page of the index.
        EXPECT_EQ(bytes->requests.size(), package.tiles.size() + (kind == Kind::FileV3 ? 2 : 1));
        EXPECT_EQ(source->indexBytes(), kind == Kind::FileV3 ? package.tiles.size() * 12 : 0);
    }
}

TEST(PackageTileSource, H7_UpdateBecomesReadyAndKeepsTiles) {
    const Package package = makePackage(Kind::FileV3, 102);
    auto [bytes, source] = open(package);
    bytes->silent = true;
    source->update();
    EXPECT_EQ(source->state(), PackageTileSource::State::Opening);
    EXPECT_FALSE(source->poll().has_value());
    source->request({0, 0, 0});
    bytes->silent = false;
    source->update();
    ASSERT_TRUE(source->ready());
    EXPECT_EQ(source->layout(), package.manifest.layout);
    const TileSource::Finished tile = waitForTile(*source);
    EXPECT_EQ(tile.key, (TileKey{0, 0, 0}));
    EXPECT_TRUE(tile.tile.ok());
}

TEST(PackageTileSource, H7_CancelledLoadsDoNotComeOutAndMayBeAskedForAgain) {
    for (const Kind kind : kKinds) {
        const Package package = makePackage(kind, 103);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            test::Random random(seed);
            auto [bytes, source] = open(package, seed);
            std::set<std::uint64_t> wanted;
            for (int step = 0; step < 300; ++step) {
                const TileKey key = randomKey(random, package.manifest.layout);
                if (random.chance(0.5)) {
                    source->request(key);
                    wanted.insert(key.packed());
                } else if (random.chance(0.6)) {
                    source->cancel(key);
                    wanted.erase(key.packed());
                } else if (auto finished = source->poll()) {
                    ASSERT_TRUE(finished->tile.ok());
                    ASSERT_EQ(wanted.erase(finished->key.packed()), 1u);
                }
            }
            while (auto finished = source->poll())
                ASSERT_EQ(wanted.erase(finished->key.packed()), 1u);
            ASSERT_TRUE(wanted.empty());
            ASSERT_GT(bytes->cancelled, 0u);
        }
    }
}

TEST(PackageTileSource, H7_MissingAndForeignTilesAreErrorsByName) {
    for (const Kind kind : kKinds) {
        Package package = makePackage(kind, 104);
        const TileKey gone{1, 2, 1};
        const TileLayout& layout = package.manifest.layout;
        if (kind == Kind::FileV3) {
            poke(package.files[""], 4096 + 12 * storedTileIndex(layout, gone) + 8, std::uint32_t{0});
        } else {
            package.files.erase(tilePath(package.manifest, gone));
        }
        auto [bytes, source] = open(package);
        source->request(gone);
        TileSource::Finished finished = waitForTile(*source);
        ASSERT_FALSE(finished.tile.ok());
        EXPECT_EQ(finished.tile.error().code, ErrorCode::NotFound);
        EXPECT_THAT(finished.tile.error().message, StartsWith("tile 1/2-1: "));
        for (const TileKey key : {TileKey{-1, 0, 0}, TileKey{0, 9, 0}, TileKey{3, 0, 0}}) {
            source->request(key);
            finished = waitForTile(*source);
            EXPECT_EQ(finished.key, key);
            ASSERT_FALSE(finished.tile.ok());
            EXPECT_EQ(finished.tile.error().code, ErrorCode::InvalidArgument);
        }
    }
}

TEST(PackageTileSource, H7_AFailedPackageFailsItsLoadsAndMayBeOpenedAgain) {
    for (const Kind kind : kKinds) {
        const Package package = makePackage(kind, 105);
        auto [bytes, source] = open(package);
        bytes->failing = true;
        source->request({0, 1, 1});
        TileSource::Finished finished = waitForTile(*source);
        EXPECT_FALSE(finished.tile.ok());
        EXPECT_EQ(source->state(), PackageTileSource::State::Failed);
        EXPECT_THAT(source->error().message, HasSubstr("the line is dead"));
        source->request({0, 1, 1});
        EXPECT_FALSE(waitForTile(*source).tile.ok());
        bytes->failing = false;
        source->reopen();
        source->request({0, 1, 1});
        EXPECT_TRUE(waitForTile(*source).tile.ok());
        // The line fails later on: that load alone.
        bytes->failing = true;
        source->request({0, 1, 1});
        finished = waitForTile(*source);
        ASSERT_FALSE(finished.tile.ok());
        EXPECT_THAT(finished.tile.error().message, StartsWith("tile 0/1-1: "));
        bytes->failing = false;
        source->request({0, 1, 1});
        EXPECT_TRUE(waitForTile(*source).tile.ok());
    }
}

TEST(PackageTileSource, HX2_AFailedIndexPageIsAskedForAgain) {
    const Package package = makePackage(Kind::FileV3, 106);
    auto [bytes, source] = open(package);
    source->update();
    ASSERT_TRUE(source->ready());
    bytes->failing = true;
    source->request({0, 0, 0});
    source->request({1, 0, 0});
    for (int i = 0; i < 2; ++i) {
        const TileSource::Finished finished = waitForTile(*source);
        ASSERT_FALSE(finished.tile.ok());
        EXPECT_THAT(finished.tile.error().message, HasSubstr("-0: index: "));
    }
    bytes->failing = false;
    source->request({0, 0, 0});
    EXPECT_TRUE(waitForTile(*source).tile.ok());
}

TEST(PackageTileSource, HX2_APackageWhoseCodecIsNotAtHandIsRefused) {
    for (const Kind kind : {Kind::FolderV3, Kind::FileV3}) {
        const Package package = makePackage(kind, 107);
        auto [bytes, source] = open(package, 1, false);
        source->update();
        ASSERT_EQ(source->state(), PackageTileSource::State::Failed);
        EXPECT_EQ(source->error().code, ErrorCode::Unsupported);
        EXPECT_THAT(source->error().message, HasSubstr("codec zstd"));
        const Package plain = makePackage(kind, 107, false);
        auto [plainBytes, plainSource] = open(plain, 1, false);
        plainSource->update();
        EXPECT_TRUE(plainSource->ready());
    }
}

// A million tiles; only the bytes that are asked for exist.
class EndlessFile final : public ByteSource {
  public:
    explicit EndlessFile(const PackageHead& head) : m_head(head) {}
    std::uint64_t request(const ByteRange& range) override {
        m_ranges.push_back(range);
        return ++m_last;
    }
    std::optional<Finished> poll() override {
        if (m_ranges.empty()) return std::nullopt;
        const ByteRange range = m_ranges.front();
        m_ranges.pop_front();
        const std::uint64_t id = m_last - m_ranges.size();
        if (range.offset == 0) return Finished{id, *writePackageHead(m_head)};
        // Index pages without tiles.
        return Finished{id, std::vector<std::byte>(range.size)};
    }
    void cancel(std::uint64_t) override {}

  private:
    PackageHead m_head;
    std::uint64_t m_last = 0;
    std::deque<ByteRange> m_ranges;
};

TEST(PackageTileSource, HX2_AMillionTilesTakeAtMostTwelveBytesEachAndOnlyWhereAskedFor) {
    PackageHead head;
    head.manifest.version = 3;
    TileLayout& layout = head.manifest.layout;
    layout.tileCells = 64;
    layout.storedLevels = 10;
    layout.rootsX = layout.rootsZ = 2;
    layout.samplesX = layout.samplesZ = 65537;
    const std::uint64_t count = storedTileCount(layout);
    ASSERT_GT(count, 1000000u);
    head.fileBytes = packageDataOffset(layout);
    PackageTileSource source(std::make_unique<EndlessFile>(head), PackageForm::File);
    source.update();
    ASSERT_TRUE(source.ready());
    EXPECT_EQ(source.indexBytes(), 0u);
    test::Random random(108);
    for (int i = 0; i < 10; ++i) {
        source.request(randomKey(random, layout));
        ASSERT_TRUE(source.poll().has_value());
        ASSERT_LE(source.indexBytes(), static_cast<std::size_t>(i + 1) * 1024 * 12);
    }
    for (std::uint64_t index = 0; index < count; index += 512) {
        source.request(storedTileAt(layout, index));
        ASSERT_TRUE(source.poll().has_value());
    }
    EXPECT_EQ(source.indexBytes(), count * 12);
}

TEST(PackageTileSource, H7_OpensPackagesOnDisk) {
    for (const Kind kind : kKinds) {
        const Package package = makePackage(kind, 109);
        const test::TempFolder folder;
        std::vector<fs::path> paths;
        if (kind == Kind::FileV3) {
            writeFile(folder.path() / "world.karst", package.files.at(""));
            paths = {folder.path() / "world.karst"};
        } else {
            writeFolder(folder.path(), package.files);
            paths = {folder.path(), folder.path() / "terrain.json"};
        }
        for (const fs::path& path : paths) {
            auto source = openPackage(path, std::make_unique<RunCodec>());
            ASSERT_TRUE(source.ok()) << source.error().message;
            const Result<PackageReader> reader = PackageReader::open(path);
            ASSERT_TRUE(reader.ok()) << reader.error().message;
            EXPECT_EQ(reader->manifest(), package.manifest);
            EXPECT_EQ(reader->form(), package.form);
            RunCodec codec;
            TileScratch scratch;
            QuantisedTile stored;
            for (const QuantisedTile& tile : package.tiles) {
                (*source)->request(tile.key);
                ASSERT_TRUE(reader->readTile(tile.key, &codec, scratch, stored).ok());
                ASSERT_EQ(stored, tile);
                const Result<TilePtr> drawn = reader->readTile(tile.key, &codec, scratch);
                ASSERT_TRUE(drawn.ok());
                expectSame(**drawn, tile, package.manifest.layout);
            }
            for (std::size_t i = 0; i < package.tiles.size(); ++i) {
                const TileSource::Finished finished = waitForTile(**source);
                ASSERT_TRUE(finished.tile.ok()) << finished.tile.error().message;
            }
            EXPECT_FALSE(reader->readTileBytes({0, 99, 0}).ok());
            EXPECT_FALSE(reader->readTileBytes({-1, 0, 0}).ok());
        }
    }
    EXPECT_FALSE(openPackage("/nonexistent/world.karst").ok());
    EXPECT_FALSE(PackageReader::open("/nonexistent").ok());
}

TEST(PackageTileSource, H6_HostilePackagesOnDiskAreErrorsByName) {
    const test::TempFolder outer;
    const fs::path root = outer.path() / "package";
    Package package = makePackage(Kind::FolderV2, 110);
    writeFolder(root, package.files);
    const auto tilesPath = [&](const std::string& path) {
        PackageManifest manifest = package.manifest;
        manifest.tiles = path;
        writeText(root / "terrain.json", writeManifest(manifest));
        return openPackage(root);
    };
    // Tiles elsewhere, by the manifest.
    fs::create_directories(outer.path() / "elsewhere");
    fs::copy(root / "tiles", outer.path() / "elsewhere", fs::copy_options::recursive);
    for (const std::string& path : {std::string("../elsewhere"), (outer.path() / "elsewhere").string()}) {
        const auto opened = tilesPath(path);
        ASSERT_FALSE(opened.ok());
        EXPECT_THAT(opened.error().message, StartsWith("manifest: tiles "));
    }
    // And by a symbolic link.
    fs::create_directory_symlink("../elsewhere", root / "link");
    auto linked = tilesPath("link");
    ASSERT_TRUE(linked.ok());
    (*linked)->request({0, 1, 1});
    TileSource::Finished finished = waitForTile(**linked);
    ASSERT_FALSE(finished.tile.ok());
    EXPECT_THAT(finished.tile.error().message, StartsWith("tile 0/1-1: "));
    EXPECT_THAT(finished.tile.error().message, HasSubstr("symbolic link leaves the folder"));
    // A tile that is another's bytes, a folder, or far too long.
    auto good = tilesPath("tiles");
    ASSERT_TRUE(good.ok());
    fs::copy_file(root / "tiles/0/0-0.jtile", root / "tiles/0/1-1.jtile",
                  fs::copy_options::overwrite_existing);
    fs::remove(root / "tiles/0/2-2.jtile");
    fs::create_directory(root / "tiles/0/2-2.jtile");
    fs::resize_file(root / "tiles/0/3-3.jtile", std::uintmax_t{1} << 40);
    for (const auto& [key, why] :
         std::map<TileKey, const char*>{{{0, 1, 1}, "key: the bytes are of tile 0/0-0"},
                                        {{0, 2, 2}, "no regular file"},
                                        {{0, 3, 3}, "are more than"}}) {
        (*good)->request(key);
        finished = waitForTile(**good);
        ASSERT_FALSE(finished.tile.ok());
        EXPECT_THAT(finished.tile.error().message, StartsWith(nameOf(key)));
        EXPECT_THAT(finished.tile.error().message, HasSubstr(why));
    }
    // A single file that is shorter or longer than its head says.
    package = makePackage(Kind::FileV3, 111);
    for (const int change : {-1, 1}) {
        std::vector<std::byte> bytes = package.files[""];
        bytes.resize(bytes.size() + static_cast<std::size_t>(change));
        writeFile(outer.path() / "world.karst", bytes);
        const Result<PackageReader> reader = PackageReader::open(outer.path() / "world.karst");
        ASSERT_FALSE(reader.ok());
        EXPECT_THAT(reader.error().message, HasSubstr("file bytes"));
    }
}

TEST(MemoryTileSource, H7_LoadsFromMemory) {
    test::Random random(112);
    const Package package = makePackage(Kind::FolderV2, 113);
    const TileLayout& layout = package.manifest.layout;
    std::vector<TilePtr> tiles;
    for (const QuantisedTile& tile : package.tiles)
        tiles.push_back(makeTile(layout, tile.content()));
    const TilePtr absent = tiles.back();
    tiles.pop_back();
    MemoryTileSource source(tiles);
    EXPECT_FALSE(source.poll().has_value());
    source.request(tiles[3]->key);
    source.request(tiles[1]->key);
    source.request(tiles[3]->key);
    source.request(absent->key);
    source.request(tiles[2]->key);
    source.cancel(tiles[1]->key);
    TileSource::Finished finished = waitForTile(source);
    EXPECT_EQ(finished.key, tiles[3]->key);
    ASSERT_TRUE(finished.tile.ok());
    EXPECT_EQ(*finished.tile, tiles[3]);
    finished = waitForTile(source);
    EXPECT_EQ(finished.key, absent->key);
    ASSERT_FALSE(finished.tile.ok());
    EXPECT_EQ(finished.tile.error().code, ErrorCode::NotFound);
    EXPECT_EQ(waitForTile(source).key, tiles[2]->key);
    EXPECT_FALSE(source.poll().has_value());
}

}  // namespace
}  // namespace karst::heightfield
