#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/package_reader.h>
#include <karst/heightfield_build/verify_package.h>

#include <functional>

#include "package_test_data.h"

namespace karst::heightfield {
namespace {

namespace fs = std::filesystem;

VerifyReport verify(const fs::path& package, std::uint32_t workers = 1, std::size_t most = 1000) {
    VerifyOptions options;
    options.makeCodec = makeRunCodec;
    options.mostFindings = most;
    ThreadPool pool(workers);
    Externals externals;
    externals.jobs = &pool;
    const Result<VerifyReport> report = verifyPackage(package, options, externals);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return report.ok() ? *report : VerifyReport{};
}

std::string name(const TileKey& key) {
    return "tile " + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" + std::to_string(key.z) +
           ": ";
}

bool mentions(const VerifyReport& report, const TileKey& key, const std::string& words = "") {
    return std::any_of(report.messages.begin(), report.messages.end(), [&](const std::string& message) {
        return message.rfind(name(key), 0) == 0 && message.find(words) != std::string::npos;
    });
}

std::string all(const VerifyReport& report) {
    std::string text;
    for (const std::string& message : report.messages)
        text += message + "\n";
    return text;
}

TEST(VerifyPackage, SoundPackagesHaveNoFinding) {
    test::Random random(1);
    for (int round = 0; round < 24; ++round) {
        test::TempFolder folder;
        Hills input(std::uint32_t(random.integer(2, 120)), std::uint32_t(random.integer(2, 120)));
        BuildOptions options;
        options.tileCells = 1u << random.integer(2, 5);
        options.levels = random.chance(0.5) ? 0 : std::uint32_t(random.integer(1, 4));
        options.version = random.chance(0.3) ? 2 : 3;
        if (random.chance(0.5)) options.makeCodec = makeRunCodec;
        if (random.chance(0.5)) input.voids = 0.02;
        input.cuts = random.chance(0.5);
        if (random.chance(0.2)) options.range = HeightRange{-20, 30};  // heights beyond are held to it
        const bool oneFile = options.version == 3 && random.chance(0.5);
        const TileLayout layout = buildInto(folder.path() / "p", input, options, oneFile);
        const VerifyReport report = verify(folder.path() / "p", std::uint32_t(random.integer(1, 3)));
        ASSERT_EQ(report.findings, 0u) << all(report);
        ASSERT_TRUE(report.finished);
        ASSERT_EQ(report.tiles, storedTileCount(layout));
    }
}

struct Package {
    test::TempFolder folder;
    fs::path path;
    PackageManifest manifest;

    explicit Package(std::uint32_t version = 3, double voids = 0.01) : path(folder.path() / "p") {
        Hills input(75, 90);
        input.voids = voids;
        BuildOptions options;
        options.tileCells = 8;
        options.version = version;
        if (version == 3) options.makeCodec = makeRunCodec;
        buildInto(path, input, options, false);
        manifest = PackageReader::open(path)->manifest();
    }
    fs::path file(const TileKey& key) const { return path / tilePath(manifest, key); }
    TileKey anyTile(test::Random& random) const {
        const auto count = static_cast<int>(storedTileCount(manifest.layout));
        return storedTileAt(manifest.layout, static_cast<std::uint64_t>(random.integer(0, count - 1)));
    }
    // Changes what a tile says and writes it with a right checksum.
    void change(const TileKey& key, const std::function<void(QuantisedTile&)>& edit) const {
        RunCodec codec;
        TileScratch scratch;
        QuantisedTile tile;
        const std::string before = bytesOf(file(key));
        ASSERT_TRUE(decodeTile(manifest.version, manifest.layout, key, std::as_bytes(std::span(before)),
                               &codec, scratch, tile)
                        .ok());
        edit(tile);
        std::vector<std::byte> bytes;
        ASSERT_TRUE(
            encodeTile(manifest.version, manifest.layout, tile.content(), &codec, scratch, bytes).ok());
        writeBytes(file(key), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
};

TEST(VerifyPackage, FindsFlippedBitsInEveryField) {
    test::Random random(2);
    for (const std::uint32_t version : {2u, 3u}) {
        const Package package(version);
        const std::size_t header = version == 2 ? kTileV2HeaderBytes : kTileV3HeaderBytes;
        for (std::size_t byte = 0; byte < header + 60; ++byte) {
            const TileKey key = package.anyTile(random);
            const std::string good = bytesOf(package.file(key));
            std::string bad = good;
            // Past the header: anywhere in errors and samples.
            const std::size_t at =
                byte < header ? byte : std::size_t(random.integer(int(header), int(good.size()) - 1));
            bad[at] = static_cast<char>(bad[at] ^ 1 << random.integer(0, 7));
            writeBytes(package.file(key), bad);
            const VerifyReport report = verify(package.path);
            ASSERT_TRUE(mentions(report, key)) << "byte " << at << "\n" << all(report);
            writeBytes(package.file(key), good);
        }
        ASSERT_EQ(verify(package.path).findings, 0u);
    }
}

TEST(VerifyPackage, FindsMissingCutAndSwappedTiles) {
    test::Random random(3);
    const Package package;
    for (int round = 0; round < 30; ++round) {
        const TileKey key = package.anyTile(random), other = package.anyTile(random);
        const std::string good = bytesOf(package.file(key)), second = bytesOf(package.file(other));
        fs::remove(package.file(key));
        VerifyReport report = verify(package.path);
        ASSERT_EQ(report.findings, 1u) << all(report);
        ASSERT_TRUE(mentions(report, key)) << all(report);
        ASSERT_EQ(report.tiles, storedTileCount(package.manifest.layout) - 1);
        writeBytes(package.file(key), good.substr(0, std::size_t(random.integer(0, int(good.size()) - 1))));
        ASSERT_TRUE(mentions(verify(package.path), key));
        writeBytes(package.file(key), second);
        writeBytes(package.file(other), good);
        report = verify(package.path);
        ASSERT_EQ(mentions(report, key, "key"), !(key == other)) << all(report);
        ASSERT_EQ(mentions(report, other, "key"), !(key == other)) << all(report);
        writeBytes(package.file(key), good);
        writeBytes(package.file(other), second);
    }
}

TEST(VerifyPackage, FindsWhatDoesNotAgreeWithNeighboursAndChildren) {
    test::Random random(4);
    for (const std::uint32_t version : {2u, 3u}) {
        const Package package(version);
        const TileLayout& layout = package.manifest.layout;
        const int side = int(layout.tileSide());
        for (int round = 0; round < 200; ++round) {
            const TileKey key = package.anyTile(random);
            const std::string good = bytesOf(package.file(key));
            const int kind = random.integer(0, version == 3 ? 4 : 3);
            package.change(key, [&](QuantisedTile& tile) {
                if (kind == 0) {  // a sample, the apron's among them
                    // Finest samples inside have no double; those at the border and in the apron do.
                    const int cells = side - 3, along = random.integer(0, side - 1);
                    const int across[] = {0, 1, cells + 1, cells + 2};
                    int i = across[random.integer(0, 3)], j = along;
                    if (random.chance(0.5)) std::swap(i, j);
                    if (key.level > 0 && random.chance(0.5)) i = random.integer(0, side - 1);
                    std::uint16_t& sample = tile.samples[std::size_t(j * side + i)];
                    sample = static_cast<std::uint16_t>(sample ^ 1 << random.integer(0, 15));
                } else if (kind == 1) {
                    tile.bounds.min = std::nextafter(tile.bounds.min, -1e9f);
                } else if (kind == 2) {
                    tile.bounds.max = std::nextafter(tile.bounds.max, 1e9f);
                } else if (kind == 3) {
                    // Shared entries of a parent must be the children's; on the finest tiles a table that
                    // promises too much.
                    if (key.level > 0) {
                        for (double& error : tile.errors)
                            error += 0.5;
                    } else {
                        std::fill(tile.errors.begin(), tile.errors.end(), 0.0);
                    }
                } else {
                    tile.holes.resize((layout.tileCells * layout.tileCells + 63) / 64);
                    // The first cell that is not padding, or at level 0 the last if that is.
                    if (key.level == 0) {
                        tile.holes[0] = 0;
                    } else {
                        tile.holes[0] ^= 1;
                    }
                }
            });
            const VerifyReport report = verify(package.path);
            const bool padded = (key.x + 1) * layout.tileCells > layout.samplesX - 1 ||
                                (key.z + 1) * layout.tileCells > layout.samplesZ - 1;
            const bool mustFind = kind != 4 || key.level > 0 || padded;
            if (mustFind) {
                // A wrong border may be told of the neighbour that it is compared with.
                ASSERT_GT(report.findings, 0u) << "kind " << kind << " of " << name(key);
                if (kind == 1 || kind == 2) {
                    ASSERT_TRUE(mentions(report, key, "bounds")) << all(report);
                } else if (kind == 3) {
                    ASSERT_TRUE(mentions(report, key, "error table")) << all(report);
                } else if (kind == 4) {
                    ASSERT_TRUE(mentions(report, key, "hole mask") || key.level == 0) << all(report);
                }
            }
            writeBytes(package.file(key), good);
        }
        ASSERT_EQ(verify(package.path).findings, 0u);
    }
}

TEST(VerifyPackage, FindsWrongIndexEntriesOfASingleFile) {
    test::TempFolder folder;
    Hills input(70, 40);
    BuildOptions options;
    options.tileCells = 8;
    const fs::path path = folder.path() / "a.karst";
    const TileLayout layout = buildInto(path, input, options, true);
    const std::string good = bytesOf(path);
    test::Random random(5);
    const auto entryAt = [&](std::uint64_t index) { return kPackageHeadBytes + index * kIndexEntryBytes; };
    const int count = int(storedTileCount(layout));
    for (int round = 0; round < 40; ++round) {
        const auto a = std::uint64_t(random.integer(0, count - 1)), b = (a + 1) % std::uint64_t(count);
        std::string bad = good;
        switch (round % 4) {
            case 0:
                bad.replace(entryAt(a), 12, std::string(12, '\0'));
                break;  // missing
            case 1:
                bad.replace(entryAt(a), 12, good, entryAt(b), 12);
                break;  // another's
            case 2:
                bad[entryAt(a) + 9] = '\x7f';
                break;  // giant
            default:
                bad[entryAt(a) + 6] = '\x7f';
                break;  // far away
        }
        writeBytes(path, bad);
        const VerifyReport report = verify(path);
        ASSERT_TRUE(mentions(report, storedTileAt(layout, a))) << round << "\n" << all(report);
        if (round % 4 == 1) {
            const bool shares = mentions(report, storedTileAt(layout, a), "shares bytes") ||
                                mentions(report, storedTileAt(layout, b), "shares bytes");
            ASSERT_TRUE(shares) << all(report);
        }
    }
    writeBytes(path, good.substr(0, good.size() - 1));
    VerifyOptions none;
    EXPECT_FALSE(verifyPackage(path, none).ok());
}

TEST(VerifyPackage, TheWordsDoNotDependOnWorkersAndAreLimited) {
    const Package package;
    test::Random random(6);
    for (int i = 0; i < 12; ++i) {
        const TileKey key = package.anyTile(random);
        std::string bytes = bytesOf(package.file(key));
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
        writeBytes(package.file(key), bytes);
    }
    const VerifyReport one = verify(package.path, 1), many = verify(package.path, 4);
    EXPECT_EQ(one.messages, many.messages);
    EXPECT_GT(one.findings, 5u);
    const VerifyReport few = verify(package.path, 2, 3);
    EXPECT_EQ(few.findings, one.findings);
    EXPECT_EQ(few.messages.size(), 3u);
    EXPECT_TRUE(std::equal(few.messages.begin(), few.messages.end(), one.messages.begin()));

    std::atomic<bool> stop{true};
    VerifyOptions options;
    options.makeCodec = makeRunCodec;
    options.stop = &stop;
    EXPECT_FALSE(verifyPackage(package.path, options)->finished);
}

}  // namespace
}  // namespace karst::heightfield
