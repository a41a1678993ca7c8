#include "../../heightfield/test/tile_test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/heightfield_zstd/zstd_codec.h>

#include <fstream>
#include <iterator>

namespace karst::heightfield {
namespace {

using namespace test_data;
using testing::HasSubstr;
using testing::StartsWith;

using Bytes = std::vector<std::byte>;

Bytes compressed(BlockCodec& codec, const Bytes& raw, std::size_t split = 0) {
    Bytes out(codec.compressBound(raw.size()));
    const Result<std::size_t> size = codec.compress(raw, split, out);
    EXPECT_TRUE(size.ok());
    out.resize(size.ok() ? *size : 0);
    return out;
}

TEST(ZstdCodec, HX2_BytesComeBackExactlyAndDoNotDependOnWhatCameBefore) {
    test::Random random(131);
    const auto codec = makeZstdCodec();
    EXPECT_EQ(codec->id(), CodecId::Zstd);
    for (int round = 0; round < 100; ++round) {
        Bytes raw(static_cast<std::size_t>(random.integer(0, 70000)));
        const int spread = random.integer(0, 255);
        for (std::byte& b : raw)
            b = static_cast<std::byte>(random.integer(0, spread));
        const std::size_t split = random.next() % (raw.size() + 2);
        const Bytes stored = compressed(*codec, raw, split);
        const auto fresh = makeZstdCodec();
        ASSERT_EQ(compressed(*fresh, raw, split), stored);
        Bytes back(raw.size());
        ASSERT_TRUE(codec->decompress(stored, back).ok());
        ASSERT_EQ(back, raw);
        // Nothing but the exact size.
        Bytes longer(raw.size() + 1);
        ASSERT_FALSE(codec->decompress(stored, longer).ok());
        if (!raw.empty()) {
            Bytes shorter(raw.size() - 1);
            ASSERT_FALSE(codec->decompress(stored, shorter).ok());
        }
    }
}

TEST(ZstdCodec, HX2_TilesComeBackExactlyAtEveryLevel) {
    test::Random random(132);
    TileScratch scratch;
    for (const int level : {1, 3, 19}) {
        const auto codec = makeZstdCodec(level);
        for (const std::uint32_t cells : {2u, 8u, 64u, 128u}) {
            for (int round = 0; round < 6; ++round) {
                const TileLayout layout = randomLayout(random, cells);
                const TileKey key = randomKey(random, layout);
                const QuantisedTile tile = randomTile(random, layout, key);
                Bytes bytes, again;
                ASSERT_TRUE(encodeTileV3(layout, tile.content(), codec.get(), scratch, bytes).ok());
                ASSERT_TRUE(encodeTileV3(layout, tile.content(), codec.get(), scratch, again).ok());
                ASSERT_EQ(bytes, again);
                ASSERT_LE(bytes.size(), maxTileBytes(layout));
                QuantisedTile back;
                ASSERT_TRUE(decodeTileV3(layout, key, bytes, codec.get(), scratch, back).ok());
                ASSERT_EQ(back, tile);
            }
        }
    }
}

TEST(ZstdCodec, HX2_DamagedFramesAreErrors) {
    test::Random random(133);
    const auto codec = makeZstdCodec();
    Bytes raw(3000);
    for (std::size_t i = 0; i < raw.size(); ++i)
        raw[i] = static_cast<std::byte>(random.integer(0, 12));
    Bytes stored = compressed(*codec, raw);
    Bytes back(raw.size());
    for (std::size_t size = 0; size < stored.size(); size += 5)
        ASSERT_FALSE(codec->decompress(std::span(stored).first(size), back).ok());
    int wrong = 0;
    for (std::size_t bit = 0; bit < stored.size() * 8; bit += 3) {
        stored[bit / 8] ^= std::byte{1} << (bit % 8);
        if (!codec->decompress(stored, back).ok()) ++wrong;  // others only give other bytes
        stored[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_GT(wrong, 0);
    ASSERT_TRUE(codec->decompress(stored, back).ok());
    EXPECT_EQ(back, raw);
}

TEST(ZstdCodec, HX2_AZipBombIsAnErrorThatNamesTheTile) {
    test::Random random(134);
    const auto codec = makeZstdCodec();
    TileLayout layout = randomLayout(random, 64);
    const TileKey key = randomKey(random, layout);
    QuantisedTile tile = randomTile(random, layout, key);
    std::fill(tile.samples.begin(), tile.samples.end(), std::uint16_t{5});
    TileScratch scratch;
    Bytes bytes;
    ASSERT_TRUE(encodeTileV3(layout, tile.content(), codec.get(), scratch, bytes).ok());
    // A frame of a few kilobytes that would be 64 MiB of zeros.
    const Bytes bomb = compressed(*codec, Bytes(std::size_t{64} << 20));
    ASSERT_LT(bomb.size(), 100000u);
    bytes.resize(56 + 8 * tile.errors.size());
    bytes.insert(bytes.end(), bomb.begin(), bomb.end());
    poke(bytes, 44, static_cast<std::uint32_t>(bomb.size()));
    poke(bytes, 28, std::uint8_t{1});
    reseal(bytes, 52);
    const Result<TilePtr> decoded = decodeTileV3(layout, key, bytes, codec.get(), scratch);
    ASSERT_FALSE(decoded.ok());
    EXPECT_THAT(decoded.error().message, StartsWith(nameOf(key) + "payload: zstd: "));
    EXPECT_LE(scratch.payload.capacity(), maxTileBytes(layout));
}

// Bytes a sample of whole blocks, header and error table included, aprons counted as samples.
double bytesPerSample(BlockCodec& codec, std::uint32_t cells, const std::vector<std::uint16_t>& grid,
                      std::size_t columns) {
    TileLayout layout;
    layout.tileCells = cells;
    layout.storedLevels = 1;
    layout.rootsX = layout.rootsZ = 64;
    layout.samplesX = layout.samplesZ = 64 * cells + 1;
    TileScratch scratch;
    Bytes bytes;
    std::size_t stored = 0, samples = 0;
    const std::size_t side = layout.tileSide(), rows = grid.size() / columns;
    for (std::size_t z = 0; z + side <= rows; z += cells) {
        for (std::size_t x = 0; x + side <= columns; x += cells) {
            QuantisedTile tile;
            tile.key = {0, static_cast<std::uint32_t>(x / cells), static_cast<std::uint32_t>(z / cells)};
            for (std::size_t j = 0; j < side; ++j) {
                const auto row = grid.begin() + static_cast<std::ptrdiff_t>((z + j) * columns + x);
                tile.samples.insert(tile.samples.end(), row, row + static_cast<std::ptrdiff_t>(side));
            }
            for (std::uint32_t e = 0; e <= layout.tileLevels(); ++e)
                tile.errors.push_back(e * 1.234);
            EXPECT_TRUE(encodeTileV3(layout, tile.content(), &codec, scratch, bytes).ok());
            stored += bytes.size();
            samples += side * side;
        }
    }
    return static_cast<double>(stored) / static_cast<double>(samples);
}

// Mountains of 90 m samples in steps of 0.1 m: as rough as ground gets from sample to sample.
TEST(ZstdCodec, HX2_RealMountainsTakeLessThanHalfTheirBytes) {
    KARST_REAL_DATA_OR_SKIP(path, "N42E001.hgt");
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_EQ(bytes.size(), 1201u * 1201u * 2u);
    std::vector<std::uint16_t> grid;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto high = static_cast<unsigned char>(bytes[i]),
                   low = static_cast<unsigned char>(bytes[i + 1]);
        const auto metres = static_cast<std::int16_t>(high << 8 | low);
        grid.push_back(metres < 0 ? grid.empty() ? std::uint16_t{0} : grid.back()
                                  : static_cast<std::uint16_t>(metres * 10));
    }
    const auto codec = makeZstdCodec();
    const double at64 = bytesPerSample(*codec, 64, grid, 1201),
                 at128 = bytesPerSample(*codec, 128, grid, 1201);
    RecordProperty("bytesPerSample64", std::to_string(at64));
    RecordProperty("bytesPerSample128", std::to_string(at128));
    EXPECT_LT(at64, 0.90);
    EXPECT_LT(at128, 0.86);
}

}  // namespace
}  // namespace karst::heightfield
