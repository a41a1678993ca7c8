#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/heightfield/crater.h>

#include "pyramid_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;

std::vector<Crater> someCraters(test::Random& random, int count) {
    std::vector<Crater> craters;
    for (int i = 0; i < count; ++i) {
        craters.push_back({random.range(-500, 500), random.range(-500, 500), random.range(1, 100),
                           random.range(0, 20), random.range(0, 4)});
    }
    return craters;
}

void putHash(std::vector<std::byte>& bytes) {
    const std::uint64_t hash = Hasher().bytes(bytes.data(), bytes.size() - 8).value();
    for (std::size_t i = 0; i < 8; ++i)
        bytes[bytes.size() - 8 + i] = static_cast<std::byte>(hash >> (8 * i) & 0xff);
}

TEST(CraterLog, H28_IsByteByByteWhatTheFormatSays) {
    const std::vector<std::byte> bytes = encodeCraters({{Crater{1, -2, 0.5, 8, 0}}});
    ASSERT_EQ(bytes.size(), 64u);
    const unsigned char want[] = {'K', 'R', 'C', 'L', 1, 0, 0,    0,    1, 0, 0, 0, 0, 0, 0, 0,  // head
                                  0,   0,   0,   0,   0, 0, 0xf0, 0x3f,                          // 1
                                  0,   0,   0,   0,   0, 0, 0,    0xc0,                          // -2
                                  0,   0,   0,   0,   0, 0, 0xe0, 0x3f,                          // 0.5
                                  0,   0,   0,   0,   0, 0, 0x20, 0x40,                          // 8
                                  0,   0,   0,   0,   0, 0, 0,    0};                            // 0
    for (std::size_t i = 0; i < sizeof want; ++i)
        EXPECT_EQ(static_cast<unsigned char>(bytes[i]), want[i]) << i;
    EXPECT_EQ(Hasher().bytes(bytes.data(), bytes.size()).value(), 0x69ee3de82a5ab115u);
}

TEST(CraterLog, H28_ComesBackAsItWas) {
    test::Random random(1);
    for (const int count : {0, 1, 2, 77}) {
        const auto craters = someCraters(random, count);
        const auto decoded = decodeCraters(encodeCraters(craters));
        ASSERT_TRUE(decoded.ok());
        EXPECT_EQ(*decoded, craters);
    }
}

TEST(CraterLog, H28_AReplayedLogGivesTheSameBits) {
    test::Random random(2);
    for (int n = 0; n < 10; ++n) {
        const auto p = test::randomPyramid(random, 40, 40, 8, 0, 20);
        std::vector<Crater> log;
        std::map<TileKey, TilePtr> live = p.tiles;
        // As edits come one by one, each resident tile is made again from its stored samples.
        for (int k = 0; k < 6; ++k) {
            const Rect g = p.layout.groundRect();
            log.push_back({random.range(g.minX, g.maxX), random.range(g.minZ, g.maxZ),
                           g.width() * random.range(0.05, 0.3), random.range(0, 9), random.range(0, 2)});
            for (auto& [key, tile] : live) {
                if (!reaches(log.back(), p.layout, key)) continue;
                const std::uint64_t before = tile->revision;
                tile = applyCraters(p.tiles.at(key), p.layout, log);
                EXPECT_GT(tile->revision, before);
            }
        }
        const auto replayed = decodeCraters(encodeCraters(log));
        ASSERT_TRUE(replayed.ok());
        for (const auto& [key, tile] : live) {
            const TilePtr again = applyCraters(p.tiles.at(key), p.layout, *replayed);
            EXPECT_EQ(again->samples, tile->samples);
            EXPECT_EQ(again->bounds, tile->bounds);
            EXPECT_EQ(again->errors, tile->errors);
            EXPECT_EQ(again->revision, tile->revision);
        }
    }
}

TEST(CraterLog, H28_RefusesDamagedBytesByName) {
    test::Random random(3);
    const std::vector<std::byte> good = encodeCraters(someCraters(random, 3));
    const auto refuses = [](const std::vector<std::byte>& bytes, const char* name) {
        const auto result = decodeCraters(bytes);
        ASSERT_FALSE(result.ok()) << name;
        EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    };
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(decodeCraters(std::span(good).first(size)).ok());
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        auto bytes = good;
        bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        EXPECT_FALSE(decodeCraters(bytes).ok()) << bit;
    }
    auto longer = good;
    longer.push_back(std::byte{0});
    refuses(longer, "count 3");
    auto bytes = good;
    bytes[0] = std::byte{'X'};
    refuses(bytes, "magic");
    bytes = good;
    bytes[4] = std::byte{2};
    refuses(bytes, "version 2");
    EXPECT_EQ(decodeCraters(bytes).error().code, ErrorCode::Unsupported);
    bytes = good;
    for (std::size_t i = 8; i < 16; ++i)
        bytes[i] = std::byte{0xff};
    putHash(bytes);
    refuses(bytes, "count 18446744073709551615");
    // A right hash over a wrong crater: NaN in the second one's radius.
    bytes = good;
    for (std::size_t i = 16 + 40 + 16; i < 16 + 40 + 24; ++i)
        bytes[i] = std::byte{0xff};
    refuses(bytes, "crater 1: crater: radius");
    bytes = good;
    bytes.back() ^= std::byte{1};
    refuses(bytes, "hash at offset 136");
}

}  // namespace
