#include "key_table.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <map>

namespace karst::heightfield {
namespace {

TEST(KeyTable, AgreesWithAMapOverRandomOperations) {
    test::Random random(11);
    for (int round = 0; round < 20; ++round) {
        KeyTable table(heapAllocator());
        std::map<std::uint64_t, std::uint32_t> reference;
        for (int step = 0; step < 3000; ++step) {
            // Few keys, so that each is added and removed often; all levels there can be.
            const TileKey key{random.integer(-4, 19), std::uint32_t(random.integer(0, 6)),
                              std::uint32_t(random.integer(0, 6))};
            if (random.chance(0.5)) {
                const auto value = std::uint32_t(random.integer(0, 1000));
                ASSERT_EQ(table.set(key, value), reference.count(key.packed()) == 0);
                reference[key.packed()] = value;
            } else {
                ASSERT_EQ(table.erase(key), reference.erase(key.packed()) == 1);
            }
            ASSERT_EQ(table.size(), reference.size());
            const TileKey other{random.integer(-4, 19), std::uint32_t(random.integer(0, 6)),
                                std::uint32_t(random.integer(0, 6))};
            const auto found = reference.find(other.packed());
            ASSERT_EQ(table.find(other), found == reference.end() ? KeyTable::kNone : found->second);
        }
    }
}

TEST(KeyTable, ClearForgetsAll) {
    KeyTable table(heapAllocator());
    for (std::uint32_t i = 0; i < 500; ++i)
        EXPECT_TRUE(table.set({3, i, 7}, i));
    for (std::uint32_t i = 0; i < 500; ++i)
        EXPECT_EQ(table.find({3, i, 7}), i);
    table.clear();
    EXPECT_EQ(table.size(), 0u);
    for (std::uint32_t i = 0; i < 500; ++i)
        EXPECT_FALSE(table.contains({3, i, 7}));
}

}  // namespace
}  // namespace karst::heightfield
