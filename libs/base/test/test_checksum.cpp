#include <gtest/gtest.h>
#include <karst/base/checksum.h>
#include <karst_test/test_support.h>

#include <string_view>
#include <vector>

namespace karst {
namespace {

std::uint64_t sum(std::string_view text, std::uint64_t seed = 0) {
    return xxh64(std::as_bytes(std::span(text)), seed);
}

// Values that other implementations of XXH64 give.
TEST(Checksum, Xxh64AgreesWithPublishedValues) {
    EXPECT_EQ(sum(""), 0xef46db3751d8e999u);
    EXPECT_EQ(sum("a"), 0xd24ec4f1a98c6e5bu);
    EXPECT_EQ(sum("abc"), 0x44bc2cf5ad770999u);
    EXPECT_EQ(sum("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
    EXPECT_EQ(sum("xxhash", 20141025), 0xb559b98d844e0635u);
}

TEST(Checksum, Xxh64ChangesWithEveryBitLengthAndSeed) {
    test::Random random(31);
    for (std::size_t size = 1; size < 100; ++size) {
        std::vector<std::byte> bytes(size);
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.integer(0, 255));
        const std::uint64_t before = xxh64(bytes);
        EXPECT_NE(xxh64(bytes, 1), before);
        EXPECT_NE(xxh64(std::span(bytes).first(size - 1)), before);
        for (std::size_t bit = 0; bit < size * 8; ++bit) {
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
            ASSERT_NE(static_cast<std::uint32_t>(xxh64(bytes)), static_cast<std::uint32_t>(before));
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        }
    }
}

}  // namespace
}  // namespace karst
