#include "tile_test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace karst::heightfield {
namespace {

using namespace test_data;
using testing::HasSubstr;

PackageManifest someManifest(std::uint32_t version) {
    PackageManifest manifest;
    manifest.version = version;
    manifest.layout.tileCells = 16;
    manifest.layout.storedLevels = 3;
    manifest.layout.rootsX = 2;
    manifest.layout.originX = -0.1;
    manifest.layout.spacingX = 1.0 / 3;
    manifest.layout.quantisation = {-12.3f, 4321.123f};
    manifest.layout.samplesX = 100;
    manifest.layout.samplesZ = 65;
    if (version == 3) manifest.codec = CodecId::Zstd;
    return manifest;
}

TEST(PackageFormat, H6_ManifestsReadBackAsTheSameBits) {
    test::Random random(81);
    for (int round = 0; round < 500; ++round) {
        PackageManifest manifest;
        manifest.version = random.chance(0.5) ? 2 : 3;
        manifest.layout = randomLayout(random, 2u << random.integer(0, 6));
        if (manifest.version == 3 && random.chance(0.5)) manifest.codec = CodecId::Zstd;
        manifest.tiles = random.chance(0.5) ? "tiles" : "a b/\"ü\"/c";
        const Result<PackageManifest> back = parseManifest(writeManifest(manifest));
        ASSERT_TRUE(back.ok()) << back.error().message;
        ASSERT_EQ(*back, manifest);
        ASSERT_EQ(writeManifest(*back), writeManifest(manifest));
    }
}

TEST(PackageFormat, H6_TheManifestIsTheDocumentedJson) {
    const Result<PackageManifest> manifest =
        parseManifest(R"({"version": 2, "tiles": "tiles", "note": [1, {}],
        "layout": {"tile_cells": 16, "levels": 3, "roots": [2, 1], "samples": [100, 65], "origin": [-0.1, 0],
                   "spacing": [0.333333333333333333, 1e0], "height_range": [-12.3, 4321.123]}})");
    ASSERT_TRUE(manifest.ok()) << manifest.error().message;
    EXPECT_EQ(*manifest, someManifest(2));
    EXPECT_EQ(tilePath(*manifest, {2, 1, 0}), "tiles/2/1-0.jtile");
    EXPECT_EQ(tilePath(someManifest(3), {0, 12, 3}), "tiles/0/12-3.ktile");
}

TEST(PackageFormat, H6_AWrongManifestIsRefusedByItsField) {
    const std::string good = writeManifest(someManifest(3));
    ASSERT_TRUE(parseManifest(good).ok());
    const auto expectRefused = [&](std::string_view from, std::string_view to, const char* field) {
        std::string text = good;
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const Result<PackageManifest> manifest = parseManifest(text);
        ASSERT_FALSE(manifest.ok()) << text;
        EXPECT_THAT(manifest.error().message, HasSubstr(field)) << to;
    };
    expectRefused("\"version\": 3", "\"version\": 4", "version 4");
    expectRefused("\"version\": 3", "\"version\": 1", "version 1");
    expectRefused("\"version\": 3", "\"version\": -1", "version -1");
    expectRefused("\"version\": 3", "\"version\": 2.5", "version 2.5");
    expectRefused("\"version\": 3", "\"version\": \"3\"", "version is text");
    expectRefused("\"version\"", "\"revision\"", "version is missing");
    expectRefused("\"layout\"", "\"lay\"", "layout is missing");
    expectRefused("\"tile_cells\": 16", "\"tile_cells\": 17", "tile_cells 17");
    expectRefused("\"tile_cells\": 16", "\"tile_cells\": 1e9", "tile_cells");
    expectRefused("\"tile_cells\": 16", "\"tile_cells\": 1e300", "tile_cells");
    expectRefused("\"levels\": 3", "\"levels\": 4000000000", "levels");
    expectRefused("\"levels\": 3", "\"levels\": 0", "levels");
    expectRefused("[2, 1]", "[4294967295, 4294967295]", "roots");
    expectRefused("[2, 1]", "[2, 0.5]", "roots");
    expectRefused("[2, 1]", "[2]", "roots has 1");
    expectRefused("[2, 1]", "[2, 1, 3]", "roots has 3");
    expectRefused("[2, 1]", "[2, null]", "roots[1] is null");
    expectRefused("[100, 65]", "[100, 66]", "samples");
    expectRefused("[100, 65]", "[1, 65]", "samples");
    expectRefused("\"spacing\": [", "\"spacing\": [-", "spacing");
    expectRefused("-0.1", "1e400", "too large");
    expectRefused("-12.3", "5000", "height range");
    expectRefused("-12.3", "-1e39", "height_range");
    expectRefused("\"zstd\"", "\"lzma\"", "codec lzma");
    expectRefused("\"zstd\"", "7", "codec is a number");
    expectRefused("\"tiles\": \"tiles\"", "\"t\": 0", "tiles is missing");
    for (const char* path :
         {"/tiles", "..", "../tiles", "a/../../b", "a//b", ".", "a\\\\b", "C:/tiles", "\\u0000", ""})
        expectRefused("\"tiles\": \"tiles\"", "\"tiles\": \"" + std::string(path) + "\"", "tiles");
    EXPECT_FALSE(parseManifest("[]").ok());
    EXPECT_FALSE(parseManifest("").ok());
    EXPECT_FALSE(parseManifest(writeManifest(someManifest(2)), PackageForm::File).ok());
    EXPECT_FALSE(parseManifest(std::string((1 << 20) + 1, ' ')).ok());
}

TEST(PackageFormat, HX2_StoredTilesAreNumberedCoarsestFirst) {
    test::Random random(82);
    for (int round = 0; round < 200; ++round) {
        const TileLayout layout = randomLayout(random, 2u << random.integer(0, 3));
        std::uint64_t index = 0;
        for (std::int32_t level = layout.rootLevel(); level >= 0; --level) {
            for (std::uint32_t z = 0; z < layout.tilesZ(level); ++z) {
                for (std::uint32_t x = 0; x < layout.tilesX(level); ++x) {
                    const TileKey key{level, x, z};
                    const bool inside = x < storedTilesX(layout, level) && z < storedTilesZ(layout, level);
                    ASSERT_EQ(inside, layout.contains(key));
                    if (!inside) continue;
                    ASSERT_EQ(storedTileIndex(layout, key), index);
                    ASSERT_EQ(storedTileAt(layout, index), key);
                    ++index;
                }
            }
        }
        ASSERT_EQ(storedTileCount(layout), index);
    }
}

TEST(PackageFormat, HX2_TheHeadIsAsDocumented) {
    const PackageManifest manifest = someManifest(3);
    const Result<std::vector<std::byte>> head = writePackageHead({manifest, 123456});
    ASSERT_TRUE(head.ok());
    ASSERT_EQ(head->size(), 4096u);
    const std::string json = writeManifest(manifest, PackageForm::File);
    EXPECT_EQ(std::memcmp(head->data(), "KARSTPKG", 8), 0);
    EXPECT_EQ(peek(*head, 8, 4), 3u);
    EXPECT_EQ(peek(*head, 12, 4), json.size());
    EXPECT_EQ(peek(*head, 16, 8), storedTileCount(manifest.layout));
    EXPECT_EQ(peek(*head, 24, 8), 123456u);
    EXPECT_EQ(std::memcmp(head->data() + 64, json.data(), json.size()), 0);
    EXPECT_EQ(packageDataOffset(manifest.layout), 4096 + 12 * storedTileCount(manifest.layout));
    const Result<PackageHead> back = readPackageHead(*head);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->manifest, manifest);
    EXPECT_EQ(back->fileBytes, 123456u);

    EXPECT_FALSE(writePackageHead({someManifest(2), 123456}).ok());
    EXPECT_FALSE(writePackageHead({manifest, 4096}).ok());
    PackageManifest broken = manifest;
    broken.layout.tileCells = 3;
    EXPECT_FALSE(writePackageHead({broken, 123456}).ok());
}

TEST(PackageFormat, HX2_ADamagedHeadIsRefused) {
    std::vector<std::byte> head = *writePackageHead({someManifest(3), 123456});
    for (std::size_t size = 0; size < head.size(); size += 7)
        ASSERT_FALSE(readPackageHead(std::span(head).first(size)).ok());
    for (std::size_t bit = 0; bit < head.size() * 8; ++bit) {
        head[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_FALSE(readPackageHead(head).ok()) << bit;
        head[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    const auto expectRefused = [&](const char* field, std::size_t at, auto value) {
        std::vector<std::byte> bytes = head;
        poke(bytes, at, value);
        reseal(bytes, 60);
        const Result<PackageHead> read = readPackageHead(bytes);
        ASSERT_FALSE(read.ok()) << field;
        EXPECT_THAT(read.error().message, HasSubstr(field));
    };
    expectRefused("magic", 0, std::uint8_t{'k'});
    expectRefused("version", 8, std::uint32_t{2});
    expectRefused("JSON", 12, std::uint32_t{0xffffffff});
    expectRefused("JSON", 12, std::uint32_t{10});
    expectRefused("index entries", 16, ~std::uint64_t{0});
    expectRefused("file bytes", 24, std::uint64_t{4100});
    expectRefused("reserved", 40, std::uint8_t{1});
}

TEST(PackageFormat, HX2_IndexEntriesMustLieWithinTheBlocks) {
    const PackageManifest manifest = someManifest(3);
    const PackageHead head{manifest, 123456};
    const std::uint64_t data = packageDataOffset(manifest.layout);
    const auto most = static_cast<std::uint32_t>(maxTileBytes(manifest.layout));
    const TileKey key{1, 2, 1};
    const auto read = [&](const IndexEntry& entry) {
        std::vector<std::byte> bytes;
        writeIndex(std::span(&entry, 1), bytes);
        EXPECT_EQ(bytes.size(), kIndexEntryBytes);
        EXPECT_EQ(peek(bytes, 0, 8), entry.offset);
        EXPECT_EQ(peek(bytes, 8, 4), entry.size);
        return readIndexEntry(head, key, bytes);
    };
    for (const IndexEntry& entry :
         {IndexEntry{data, 1}, IndexEntry{123456 - most, most}, IndexEntry{123455, 1}}) {
        const Result<IndexEntry> good = read(entry);
        ASSERT_TRUE(good.ok());
        EXPECT_EQ(*good, entry);
    }
    for (const IndexEntry& entry :
         {IndexEntry{data - 1, 1}, IndexEntry{123456, 1}, IndexEntry{123455, 2}, IndexEntry{data, most + 1},
          IndexEntry{data, 0xffffffff}, IndexEntry{~std::uint64_t{0}, 1},
          IndexEntry{~std::uint64_t{0} - 5, 10}}) {
        const Result<IndexEntry> bad = read(entry);
        ASSERT_FALSE(bad.ok()) << entry.offset << " " << entry.size;
        EXPECT_EQ(bad.error().code, ErrorCode::CorruptData);
        EXPECT_THAT(bad.error().message, testing::StartsWith("tile 1/2-1: index entry"));
    }
    const Result<IndexEntry> missing = read({data, 0});
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_FALSE(readIndexEntry(head, key, {}).ok());
}

}  // namespace
}  // namespace karst::heightfield
