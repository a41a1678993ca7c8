#include "tile_test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace karst::heightfield {
namespace {

using namespace test_data;
using testing::HasSubstr;
using testing::StartsWith;

using Bytes = std::vector<std::byte>;

TileLayout smallLayout() {
    TileLayout layout;
    layout.tileCells = 8;
    layout.storedLevels = 3;
    layout.rootsX = layout.rootsZ = 2;
    layout.quantisation = {-10, 90};
    layout.samplesX = layout.samplesZ = 65;
    return layout;
}

Bytes encodeV2(const TileLayout& layout, const QuantisedTile& tile) {
    Bytes bytes;
    const Result<void> done = encodeTileV2(layout, tile.content(), bytes);
    EXPECT_TRUE(done.ok());
    return bytes;
}

Bytes encodeV3(const TileLayout& layout, const QuantisedTile& tile, BlockCodec* codec) {
    Bytes bytes(7, std::byte{9});  // what stood there before does not matter
    TileScratch scratch;
    const Result<void> done = encodeTileV3(layout, tile.content(), codec, scratch, bytes);
    EXPECT_TRUE(done.ok());
    return bytes;
}

QuantisedTile withoutExtras(QuantisedTile tile) {
    tile.holes.clear();
    tile.materialLayers = 0;
    tile.materials.clear();
    return tile;
}

TEST(TileCodec, H6_Version2KeepsEverySampleBoundAndError) {
    test::Random random(61);
    TileScratch scratch;
    QuantisedTile back;
    for (const std::uint32_t cells : {2u, 4u, 8u, 16u, 64u, 128u}) {
        for (int round = 0; round < 20; ++round) {
            const TileLayout layout = randomLayout(random, cells);
            ASSERT_TRUE(validate(layout).ok());
            const TileKey key = randomKey(random, layout);
            const QuantisedTile tile = randomTile(random, layout, key);
            const Bytes bytes = encodeV2(layout, tile);
            // 40 bytes of header, the f64 table, u16 samples with the apron.
            ASSERT_EQ(bytes.size(), 40 + 8 * (layout.tileLevels() + 1) + 2 * tile.samples.size());
            ASSERT_EQ(bytes, encodeV2(layout, tile));
            ASSERT_TRUE(decodeTileV2(layout, key, bytes, back).ok());
            ASSERT_EQ(back, withoutExtras(tile));

            const Result<TilePtr> drawn = decodeTileV2(layout, key, bytes, scratch);
            ASSERT_TRUE(drawn.ok());
            ASSERT_TRUE(validate(**drawn, layout).ok());
            for (std::size_t i = 0; i < tile.samples.size(); ++i)
                ASSERT_EQ((*drawn)->samples[i], layout.dequantise(tile.samples[i]));
            ASSERT_EQ((*drawn)->bounds, tile.bounds);
            ASSERT_EQ((*drawn)->errors, tile.errors);
            ASSERT_EQ((*drawn)->firstErrorLevel, key.level);
            // Heights written again are the same bytes.
            Bytes again;
            ASSERT_TRUE(encodeTileV2(layout, **drawn, scratch, again).ok());
            ASSERT_EQ(again, bytes);
        }
    }
}

TEST(TileCodec, H4_ADecodedTileHoldsItsLatticeWithAnApronItsBoundsAndItsErrorTable) {
    TileLayout layout = smallLayout();
    layout.quantisation = {0, 65535};  // so that heights in whole units are exact
    const auto finest = [](std::int64_t i, std::int64_t j) { return 1000 + 3 * i + 700 * j; };
    for (const TileKey key : {TileKey{0, 5, 6}, TileKey{1, 2, 1}, TileKey{2, 1, 1}}) {
        QuantisedTile tile;
        tile.key = key;
        const std::int64_t cells = layout.tileCells, stride = std::int64_t{1} << key.level;
        for (std::int64_t j = -1; j <= cells + 1; ++j) {
            for (std::int64_t i = -1; i <= cells + 1; ++i) {
                const std::int64_t height =
                    finest((key.x * cells + i) * stride, (key.z * cells + j) * stride);
                tile.samples.push_back(static_cast<std::uint16_t>(height));
            }
        }
        tile.bounds = {10.5f, 20.25f};
        tile.errors = {0, 0.5, 0.5, 4};
        RunCodec runs;
        TileScratch scratch;
        for (const std::uint32_t version : {2u, 3u}) {
            Bytes bytes;
            ASSERT_TRUE(encodeTile(version, layout, tile.content(), &runs, scratch, bytes).ok());
            const Result<TilePtr> decoded = decodeTile(version, layout, key, bytes, &runs, scratch);
            ASSERT_TRUE(decoded.ok()) << decoded.error().message;
            const HeightTile& held = **decoded;
            for (int j = -1; j <= static_cast<int>(cells) + 1; ++j) {
                for (int i = -1; i <= static_cast<int>(cells) + 1; ++i) {
                    ASSERT_EQ(held.sample(i, j), static_cast<float>(finest((key.x * cells + i) * stride,
                                                                           (key.z * cells + j) * stride)));
                }
            }
            EXPECT_EQ(held.bounds, tile.bounds);
            // Entry i is of level first_error_level + i, here the tile's own level and on.
            EXPECT_EQ(held.errorAt(key.level - 1), 0);
            for (int i = 0; i < 4; ++i)
                EXPECT_EQ(held.errorAt(key.level + i), tile.errors[static_cast<std::size_t>(i)]);
            EXPECT_EQ(held.errorAt(key.level + 9), 4);
        }
    }
}

TEST(TileCodec, H6_Version2HeaderIsAsDocumented) {
    test::Random random(62);
    const TileLayout layout = smallLayout();
    const TileKey key{1, 3, 2};
    const QuantisedTile tile = randomTile(random, layout, key);
    const Bytes bytes = encodeV2(layout, tile);
    EXPECT_EQ(std::memcmp(bytes.data(), "JTIL", 4), 0);
    EXPECT_EQ(peek(bytes, 4, 2), 2u);
    EXPECT_EQ(peek(bytes, 6, 2), 8u);
    EXPECT_EQ(peek(bytes, 8, 4), 1u);
    EXPECT_EQ(peek(bytes, 12, 4), 3u);
    EXPECT_EQ(peek(bytes, 16, 4), 2u);
    EXPECT_EQ(peek(bytes, 20, 4), 1u);
    EXPECT_EQ(peek(bytes, 24, 2), 4u);
    EXPECT_EQ(peek(bytes, 26, 2), 11u);
    EXPECT_EQ(peek(bytes, 28, 4), bitCast<std::uint32_t>(tile.bounds.min));
    EXPECT_EQ(peek(bytes, 32, 4), bitCast<std::uint32_t>(tile.bounds.max));
    const std::span<const std::byte> all(bytes);
    EXPECT_EQ(peek(bytes, 36, 4), xxh64(all.subspan(40), xxh64(all.first(36))) & 0xffffffffu);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(peek(bytes, 40 + 8 * i, 8), bitCast<std::uint64_t>(tile.errors[i]));
    for (std::size_t i = 0; i < tile.samples.size(); ++i)
        ASSERT_EQ(peek(bytes, 72 + 2 * i, 2), tile.samples[i]);
}

TEST(TileCodec, HX2_Version3KeepsHolesAndMaterialsWithAndWithoutACodec) {
    test::Random random(63);
    RunCodec runs;
    TileScratch scratch;
    QuantisedTile back;
    for (const std::uint32_t cells : {2u, 4u, 8u, 16u, 64u, 128u}) {
        for (int round = 0; round < 20; ++round) {
            const TileLayout layout = randomLayout(random, cells);
            const TileKey key = randomKey(random, layout);
            const QuantisedTile tile = randomTile(random, layout, key);
            for (BlockCodec* codec : {static_cast<BlockCodec*>(nullptr), static_cast<BlockCodec*>(&runs)}) {
                const Bytes bytes = encodeV3(layout, tile, codec);
                ASSERT_LE(bytes.size(), maxTileBytes(layout));
                ASSERT_EQ(bytes, encodeV3(layout, tile, codec));
                const std::size_t raw =
                    2 * tile.samples.size() + 8 * tile.holes.size() + tile.materials.size();
                const std::size_t full = 56 + 8 * tile.errors.size() + raw;
                // What a codec does not shrink is stored as it is.
                ASSERT_LE(bytes.size(), full);
                if (codec == nullptr) {
                    ASSERT_EQ(bytes.size(), full);
                }
                ASSERT_EQ(peek(bytes, 28, 1), bytes.size() < full ? 1u : 0u);
                ASSERT_TRUE(decodeTileV3(layout, key, bytes, codec, scratch, back).ok());
                ASSERT_EQ(back, tile);
                const Result<TilePtr> drawn = decodeTileV3(layout, key, bytes, codec, scratch);
                ASSERT_TRUE(drawn.ok());
                ASSERT_TRUE(validate(**drawn, layout).ok());
                ASSERT_EQ((*drawn)->holes, tile.holes);
                ASSERT_EQ((*drawn)->materials, tile.materials);
                Bytes again;
                ASSERT_TRUE(encodeTileV3(layout, **drawn, codec, scratch, again).ok());
                ASSERT_EQ(again, bytes);
            }
        }
    }
}

TEST(TileCodec, HX2_Version3HeaderIsAsDocumented) {
    test::Random random(64);
    const TileLayout layout = smallLayout();
    const TileKey key{2, 1, 0};
    QuantisedTile tile = withoutExtras(randomTile(random, layout, key));
    const std::size_t count = tile.samples.size();
    tile.holes = {0x8000000000000001u};
    tile.materialLayers = 2;
    tile.materials.assign(2 * count, 5);
    const Bytes bytes = encodeV3(layout, tile, nullptr);
    EXPECT_EQ(std::memcmp(bytes.data(), "KTIL", 4), 0);
    EXPECT_EQ(peek(bytes, 4, 2), 3u);
    EXPECT_EQ(peek(bytes, 6, 2), 8u);
    EXPECT_EQ(peek(bytes, 8, 4), 2u);
    EXPECT_EQ(peek(bytes, 12, 4), 1u);
    EXPECT_EQ(peek(bytes, 16, 4), 0u);
    EXPECT_EQ(peek(bytes, 20, 4), 2u);
    EXPECT_EQ(peek(bytes, 24, 2), 4u);
    EXPECT_EQ(peek(bytes, 26, 2), 1u);
    EXPECT_EQ(peek(bytes, 28, 4), 0x00020000u);  // codec, sample coding, material layers, reserved
    EXPECT_EQ(peek(bytes, 32, 4), bitCast<std::uint32_t>(tile.bounds.min));
    EXPECT_EQ(peek(bytes, 36, 4), bitCast<std::uint32_t>(tile.bounds.max));
    EXPECT_EQ(peek(bytes, 40, 4), 2 * count + 8 + 2 * count);
    EXPECT_EQ(peek(bytes, 44, 4), 2 * count + 8 + 2 * count);
    EXPECT_EQ(peek(bytes, 48, 4), 0u);
    const std::span<const std::byte> all(bytes);
    EXPECT_EQ(peek(bytes, 52, 4), xxh64(all.subspan(56), xxh64(all.first(52))) & 0xffffffffu);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(peek(bytes, 56 + 8 * i, 8), bitCast<std::uint64_t>(tile.errors[i]));
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(peek(bytes, 88 + 2 * i, 2), tile.samples[i]);
    EXPECT_EQ(peek(bytes, 88 + 2 * count, 8), tile.holes[0]);
    EXPECT_EQ(peek(bytes, 96 + 2 * count, 1), 5u);
}

// The samples' prediction, written again from its description.
TEST(TileCodec, HX2_SamplesArePredictedByThePlaneOfTheirNeighbours) {
    test::Random random(65);
    RunCodec runs;
    const TileLayout layout = smallLayout();
    const TileKey key{0, 7, 7};
    QuantisedTile tile = withoutExtras(randomTile(random, layout, key));
    const int side = static_cast<int>(layout.tileSide());
    for (int i = 0; i < side * side; ++i)
        tile.samples[static_cast<std::size_t>(i)] =
            static_cast<std::uint16_t>(60000 + 300 * (i % side) - 40 * (i / side));
    tile.samples[40] = 3;
    const Bytes bytes = encodeV3(layout, tile, &runs);
    ASSERT_EQ(peek(bytes, 28, 1), 1u);
    ASSERT_EQ(peek(bytes, 29, 1), 1u);
    Bytes payload(tile.samples.size() * 2);
    ASSERT_TRUE(runs.decompress(std::span(bytes).subspan(56 + 8 * tile.errors.size()), payload).ok());
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            const auto at = [&](int x, int z) {
                return x < 0 || z < 0 ? 0 : int{tile.samples[static_cast<std::size_t>(z * side + x)]};
            };
            int foretold = at(i - 1, j) + at(i, j - 1) - at(i - 1, j - 1);
            if (j == 0) foretold = at(i - 1, j);
            const auto difference = static_cast<std::int16_t>(at(i, j) - foretold);
            const int folded = difference >= 0 ? 2 * difference : -2 * difference - 1;
            const auto index = static_cast<std::size_t>(j * side + i);
            ASSERT_EQ(std::to_integer<int>(payload[index]), folded & 255) << i << " " << j;
            ASSERT_EQ(std::to_integer<int>(payload[index + tile.samples.size()]), folded >> 8)
                << i << " " << j;
        }
    }
}

TEST(TileCodec, HX2_AHoleMaskWithoutHolesIsLeftOut) {
    test::Random random(66);
    const TileLayout layout = smallLayout();
    QuantisedTile tile = withoutExtras(randomTile(random, layout, {0, 1, 1}));
    const Bytes plain = encodeV3(layout, tile, nullptr);
    tile.holes = {0};
    EXPECT_EQ(encodeV3(layout, tile, nullptr), plain);
}

// One decoder under test: version, how to encode and decode, where the checksum stands.
struct Decoder {
    const char* name;
    std::size_t checksumAt;
    std::function<Bytes(const TileLayout&, const QuantisedTile&)> encode;
    std::function<Result<TilePtr>(const TileLayout&, const TileKey&, std::span<const std::byte>)> decode;
};

std::vector<Decoder> decoders() {
    return {
        {"v2", 36, encodeV2,
         [](const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes) {
             TileScratch scratch;
             return decodeTileV2(layout, key, bytes, scratch);
         }},
        {"v3 raw", 52,
         [](const TileLayout& layout, const QuantisedTile& tile) { return encodeV3(layout, tile, nullptr); },
         [](const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes) {
             TileScratch scratch;
             return decodeTileV3(layout, key, bytes, nullptr, scratch);
         }},
        {"v3 codec", 52,
         [](const TileLayout& layout, const QuantisedTile& tile) {
             RunCodec runs;
             return encodeV3(layout, tile, &runs);
         },
         [](const TileLayout& layout, const TileKey& key, std::span<const std::byte> bytes) {
             TileScratch scratch;
             RunCodec runs;
             return decodeTileV3(layout, key, bytes, &runs, scratch);
         }}};
}

// Ground that the run codec shrinks.
QuantisedTile smoothTile(const TileLayout& layout, const TileKey& key) {
    test::Random random(67);
    QuantisedTile tile = withoutExtras(randomTile(random, layout, key));
    std::fill(tile.samples.begin(), tile.samples.end(), std::uint16_t{1234});
    tile.holes = {6};
    return tile;
}

TEST(TileCodec, H6_TruncatedBytesAreRefusedByName) {
    const TileLayout layout = smallLayout();
    const TileKey key{1, 2, 3};
    for (const Decoder& decoder : decoders()) {
        const Bytes bytes = decoder.encode(layout, smoothTile(layout, key));
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            // An exact heap block, so that the address sanitizer sees a read past it.
            const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
            const Result<TilePtr> tile = decoder.decode(layout, key, cut);
            ASSERT_FALSE(tile.ok()) << decoder.name << " " << size;
            ASSERT_EQ(tile.error().code, ErrorCode::CorruptData);
            ASSERT_THAT(tile.error().message, StartsWith("tile 1/2-3: ")) << size;
        }
        Bytes longer = bytes;
        longer.push_back(std::byte{0});
        EXPECT_FALSE(decoder.decode(layout, key, longer).ok());
    }
}

TEST(TileCodec, H6_EveryFlippedBitIsNoticed) {
    const TileLayout layout = smallLayout();
    const TileKey key{1, 2, 3};
    for (const Decoder& decoder : decoders()) {
        Bytes bytes = decoder.encode(layout, smoothTile(layout, key));
        ASSERT_TRUE(decoder.decode(layout, key, bytes).ok());
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
            const Result<TilePtr> tile = decoder.decode(layout, key, bytes);
            ASSERT_FALSE(tile.ok()) << decoder.name << " bit " << bit;
            ASSERT_THAT(tile.error().message, StartsWith("tile 1/2-3: "));
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        }
    }
}

TEST(TileCodec, H6_AWrongFieldIsRefusedByItsNameAlsoUnderARightChecksum) {
    const TileLayout layout = smallLayout();
    const TileKey key{1, 2, 3};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const float nanf = std::numeric_limits<float>::quiet_NaN();
    for (const Decoder& decoder : decoders()) {
        SCOPED_TRACE(decoder.name);
        const Bytes good = decoder.encode(layout, smoothTile(layout, key));
        const bool v2 = decoder.checksumAt == 36;
        const std::size_t bounds = v2 ? 28 : 32, errors = v2 ? 40 : 56;
        const auto expectRefused = [&](const char* field, auto change) {
            Bytes bytes = good;
            change(bytes);
            reseal(bytes, decoder.checksumAt);
            const Result<TilePtr> tile = decoder.decode(layout, key, bytes);
            ASSERT_FALSE(tile.ok()) << field;
            EXPECT_THAT(tile.error().message, StartsWith("tile 1/2-3: ")) << field;
            EXPECT_THAT(tile.error().message, HasSubstr(field));
        };
        const auto set = [&](const char* field, std::size_t at, auto value) {
            expectRefused(field, [&](Bytes& bytes) { poke(bytes, at, value); });
        };
        set("magic", 0, std::uint32_t{0x12345678});
        set("version", 4, std::uint16_t{9});
        set("tile cells", 6, std::uint16_t{64});
        set("key", 8, std::uint32_t{0});
        set("key", 8, std::uint32_t{0xffffffff});
        set("key", 12, std::uint32_t{1});
        set("key", 16, std::uint32_t{0xfffffff0});
        set("first error level", 20, std::uint32_t{0});
        set("error count", 24, std::uint16_t{5});
        set("error count", 24, std::uint16_t{0xffff});
        set("error count", 24, std::uint16_t{0});
        set("bounds", bounds, nanf);
        set("bounds", bounds + 4, nanf);
        set("bounds", bounds + 4, std::numeric_limits<float>::infinity());
        set("bounds", bounds, 1e30f);
        set("error table: entry 0", errors, nan);
        set("error table: entry 0", errors, -1.0);
        set("error table: entry 3", errors + 24, std::numeric_limits<double>::infinity());
        set("error table: entry 2", errors + 8, 1e9);
        if (v2) {
            set("samples a side", 26, std::uint16_t{12});
        } else {
            set("flags", 26, std::uint16_t{3});
            set("size", 26, std::uint16_t{0});  // no hole mask, so another uncompressed size
            set("codec", 28, std::uint8_t{7});
            set("sample coding", 29, std::uint8_t{2});
            set("material layers", 30, std::uint8_t{5});
            set("material layers", 30, std::uint8_t{255});
            set("uncompressed size", 30, std::uint8_t{4});
            set("reserved", 31, std::uint8_t{1});
            set("uncompressed size", 40, std::uint32_t{0xffffffff});
            set("uncompressed size", 40, std::uint32_t{0});
            set("compressed size", 44, std::uint32_t{0xffffffff});
            set("compressed size", 44, std::uint32_t{0});
            set("reserved", 48, std::uint32_t{1});
        }
    }
}

TEST(TileCodec, HX2_ACompressedPayloadMustFillTheTileExactly) {
    const TileLayout layout = smallLayout();
    const TileKey key{1, 2, 3};
    RunCodec runs;
    TileScratch scratch;
    const Bytes good = encodeV3(layout, smoothTile(layout, key), &runs);
    ASSERT_EQ(peek(good, 28, 1), 1u);
    const std::size_t payload = 56 + 32;
    const auto expectRefused = [&](const Bytes& runBytes) {
        Bytes bytes(good.begin(), good.begin() + payload);
        bytes.insert(bytes.end(), runBytes.begin(), runBytes.end());
        poke(bytes, 44, static_cast<std::uint32_t>(runBytes.size()));
        reseal(bytes, 52);
        const Result<TilePtr> tile = decodeTileV3(layout, key, bytes, &runs, scratch);
        ASSERT_FALSE(tile.ok());
        EXPECT_THAT(tile.error().message, StartsWith("tile 1/2-3: payload: "));
        EXPECT_EQ(tile.error().code, ErrorCode::CorruptData);
    };
    expectRefused({});
    expectRefused(Bytes(good.begin() + payload, good.end() - 2));
    Bytes bomb;
    for (int i = 0; i < 10000; ++i) {
        bomb.push_back(std::byte{255});
        bomb.push_back(std::byte{0});
    }
    expectRefused(bomb);
    EXPECT_LE(scratch.payload.capacity(), maxTileBytes(layout));

    const Result<TilePtr> without = decodeTileV3(layout, key, good, nullptr, scratch);
    ASSERT_FALSE(without.ok());
    EXPECT_EQ(without.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(without.error().message, HasSubstr("tile 1/2-3: codec"));
}

TEST(TileCodec, HX2_AHolePastTheLastCellIsRefused) {
    TileLayout layout = smallLayout();
    layout.tileCells = 4;
    layout.samplesX = layout.samplesZ = 33;
    const TileKey key{0, 0, 0};
    test::Random random(68);
    QuantisedTile tile = withoutExtras(randomTile(random, layout, key));
    tile.holes = {0x10000};
    Bytes bytes;
    TileScratch scratch;
    const Result<void> encoded = encodeTileV3(layout, tile.content(), nullptr, scratch, bytes);
    ASSERT_FALSE(encoded.ok());
    EXPECT_THAT(encoded.error().message, HasSubstr("hole mask"));
    tile.holes = {0x8000};
    bytes = encodeV3(layout, tile, nullptr);
    poke(bytes, 56 + 8 * tile.errors.size() + 2 * tile.samples.size(), std::uint64_t{0x10000});
    reseal(bytes, 52);
    const Result<TilePtr> decoded = decodeTileV3(layout, key, bytes, nullptr, scratch);
    ASSERT_FALSE(decoded.ok());
    EXPECT_THAT(decoded.error().message, HasSubstr("hole mask"));
}

TEST(TileCodec, H6_EncodersRefuseWhatDecodersWould) {
    test::Random random(69);
    const TileLayout layout = smallLayout();
    const QuantisedTile good = randomTile(random, layout, {0, 3, 3});
    const auto expectRefused = [&](const char* field, auto change) {
        QuantisedTile tile = good;
        change(tile);
        Bytes bytes;
        TileScratch scratch;
        const Result<void> v2 = encodeTileV2(layout, tile.content(), bytes);
        const Result<void> v3 = encodeTileV3(layout, tile.content(), nullptr, scratch, bytes);
        ASSERT_FALSE(v2.ok());
        ASSERT_FALSE(v3.ok());
        EXPECT_THAT(v2.error().message, HasSubstr(field));
        EXPECT_THAT(v3.error().message, HasSubstr(field));
    };
    expectRefused("no stored tile", [](QuantisedTile& tile) { tile.key.level = -1; });
    expectRefused("no stored tile", [](QuantisedTile& tile) { tile.key.x = 8; });
    expectRefused("samples", [](QuantisedTile& tile) { tile.samples.pop_back(); });
    expectRefused("error count", [](QuantisedTile& tile) { tile.errors.pop_back(); });
    expectRefused("error table", [](QuantisedTile& tile) { tile.errors[0] = -1; });
    expectRefused("error table", [](QuantisedTile& tile) { tile.errors[1] = 1e9; });
    expectRefused("bounds", [](QuantisedTile& tile) { tile.bounds.min = NAN; });
    expectRefused("hole mask", [](QuantisedTile& tile) { tile.holes = {1, 2}; });
    expectRefused("material", [](QuantisedTile& tile) { tile.materialLayers = 5; });
    expectRefused("materials", [](QuantisedTile& tile) { tile.materials.push_back(0); });

    HeightTile heights;
    heights = *makeTile(layout, good.content());
    Bytes bytes;
    TileScratch scratch;
    ASSERT_TRUE(encodeTileV2(layout, heights, scratch, bytes).ok());
    heights.firstErrorLevel = 1;
    EXPECT_FALSE(encodeTileV2(layout, heights, scratch, bytes).ok());
    heights.firstErrorLevel = 0;
    heights.samples[3] = NAN;
    EXPECT_FALSE(encodeTileV3(layout, heights, nullptr, scratch, bytes).ok());
}

TEST(TileCodec, H6_TheTileThatWasAskedForMustBeOneOfTheLayout) {
    const TileLayout layout = smallLayout();
    const Bytes bytes = encodeV2(layout, smoothTile(layout, {1, 2, 3}));
    TileScratch scratch;
    for (const TileKey key : {TileKey{-1, 0, 0}, TileKey{3, 0, 0}, TileKey{1, 4, 0}, TileKey{40, 0, 0}}) {
        const Result<TilePtr> tile = decodeTileV2(layout, key, bytes, scratch);
        ASSERT_FALSE(tile.ok());
        EXPECT_EQ(tile.error().code, ErrorCode::InvalidArgument);
    }
}

}  // namespace
}  // namespace karst::heightfield
