#include <gtest/gtest.h>
#include <karst/base/byte_reader.h>
#include <karst/base/math.h>
#include <karst_test/test_support.h>

#include <cstring>
#include <vector>

namespace karst {
namespace {

// Reads the number by hand, most significant byte first where big.
std::uint64_t reference(const std::vector<std::byte>& bytes, std::size_t at, std::size_t size, bool big) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t from = big ? at + i : at + size - 1 - i;
        value = value * 256 + std::to_integer<std::uint64_t>(bytes[from]);
    }
    return value;
}

TEST(ByteReader, AgreesWithAPlainReferenceAndNeverReadsPastTheEnd) {
    test::Random random(3);
    for (int round = 0; round < 2000; ++round) {
        // An exact heap block, so that the address sanitizer sees a read past it.
        std::vector<std::byte> bytes(static_cast<std::size_t>(random.integer(0, 40)));
        bytes.shrink_to_fit();
        for (std::byte& b : bytes)
            b = static_cast<std::byte>(random.integer(0, 255));
        const bool big = random.chance(0.5);
        ByteReader reader(bytes, big ? ByteOrder::Big : ByteOrder::Little);
        std::size_t at = 0;
        bool failed = false;
        for (int step = 0; step < 12; ++step) {
            const int kind = random.integer(0, 8);
            std::size_t size = 0, count = 0;
            if (kind <= 7) {
                size = std::size_t{1} << (kind % 4);  // u8 u16 u32 u64, f32 and f64, i16 and i32 below
                if (kind == 4) size = 4;
                if (kind == 5) size = 8;
                if (kind == 6) size = 2;
                if (kind == 7) size = 4;
            } else {
                count = static_cast<std::size_t>(random.integer(0, 20));
                size = count;
            }
            if (size > bytes.size() - at) failed = true;
            const std::uint64_t expected = failed || kind == 8 ? 0 : reference(bytes, at, size, big);
            switch (kind) {
                case 0:
                    ASSERT_EQ(reader.u8(), expected);
                    break;
                case 1:
                    ASSERT_EQ(reader.u16(), expected);
                    break;
                case 2:
                    ASSERT_EQ(reader.u32(), expected);
                    break;
                case 3:
                    ASSERT_EQ(reader.u64(), expected);
                    break;
                case 4:
                    ASSERT_EQ(bitCast<std::uint32_t>(reader.f32()), expected);
                    break;
                case 5:
                    ASSERT_EQ(bitCast<std::uint64_t>(reader.f64()), expected);
                    break;
                case 6:
                    ASSERT_EQ(reader.i16(), static_cast<std::int16_t>(expected));
                    break;
                case 7:
                    ASSERT_EQ(reader.i32(), static_cast<std::int32_t>(expected));
                    break;
                default: {
                    const auto got = reader.bytes(count);
                    ASSERT_EQ(got.size(), failed ? 0 : count);
                    if (!got.empty()) {
                        ASSERT_EQ(std::memcmp(got.data(), bytes.data() + at, count), 0);
                    }
                }
            }
            if (!failed) at += size;
            ASSERT_EQ(reader.failed(), failed);
            ASSERT_EQ(reader.position(), at);
            ASSERT_EQ(reader.remaining(), failed ? 0 : bytes.size() - at);
        }
    }
}

TEST(ByteReader, StaysFailedAlsoForReadsThatWouldFit) {
    const std::vector<std::byte> bytes(3, std::byte{0xff});
    ByteReader reader(bytes);
    EXPECT_EQ(reader.u32(), 0u);
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.u8(), 0u);
    EXPECT_TRUE(reader.bytes(0).empty());
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.position(), 0u);
}

TEST(ByteReader, HugeCountsDoNotWrapAround) {
    const std::vector<std::byte> bytes(8);
    ByteReader reader(bytes);
    reader.skip(4);
    EXPECT_FALSE(reader.failed());
    EXPECT_TRUE(reader.bytes(~std::size_t{0} - 2).empty());
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.position(), 4u);
}

TEST(ByteReader, NothingIsNoFailure) {
    ByteReader reader({});
    EXPECT_TRUE(reader.bytes(0).empty());
    EXPECT_FALSE(reader.failed());
    EXPECT_EQ(reader.u8(), 0u);
    EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace karst
