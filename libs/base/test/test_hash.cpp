#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst_test/test_support.h>

#include <set>

namespace karst {
namespace {

// Computed apart from this code; results of other parts are compared through these hashes, so they must not
// change from one version, compiler or machine to another.
TEST(Hash, GoldenValues) {
    EXPECT_EQ(Hasher().value(), 0xc3817c016ba4ff30u);
    EXPECT_EQ(Hasher().bytes("karst", 5).value(), 0xd263f68b4ad03cecu);
    EXPECT_EQ(Hasher().u32(0x01020304u).value(), 0xa6054ace125710d5u);
    EXPECT_EQ(Hasher().u64(0x0102030405060708u).value(), 0xd26e261b4dee0b9fu);
    EXPECT_EQ(Hasher().f32(1.5f).value(), 0x2a0a66a1214c6a81u);
    EXPECT_EQ(Hasher().f64(-2.25).value(), 0x301ab819d2903436u);
    EXPECT_EQ(Hasher().bytes("a", 1).u32(7).u64(9).value(), 0xf6b3a589b6048cc6u);
    EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafu);
    EXPECT_EQ(mix64(1), 0x910a2dec89025cc1u);
    EXPECT_EQ(mix64(~std::uint64_t{0}), 0xe4d971771b652c20u);
}

TEST(Hash, DoesNotDependOnHowBytesArrive) {
    test::Random random(8);
    for (int round = 0; round < 200; ++round) {
        unsigned char data[64];
        for (unsigned char& b : data)
            b = static_cast<unsigned char>(random.integer(0, 255));
        Hasher pieces;
        for (std::size_t at = 0; at < sizeof data;) {
            const std::size_t size =
                std::min(sizeof data - at, static_cast<std::size_t>(random.integer(0, 20)));
            pieces.bytes(data + at, size);
            at += size;
        }
        EXPECT_EQ(pieces.value(), Hasher().bytes(data, sizeof data).value());
    }
}

TEST(Hash, TellsOrderSignOfZeroAndSingleBitsApart) {
    EXPECT_NE(Hasher().u32(1).u32(2).value(), Hasher().u32(2).u32(1).value());
    EXPECT_NE(Hasher().f32(0.0f).value(), Hasher().f32(-0.0f).value());
    EXPECT_NE(Hasher().f64(0.0).value(), Hasher().f64(-0.0).value());
    std::set<std::uint64_t> seen;
    for (int bit = 0; bit < 64; ++bit)
        seen.insert(Hasher().u64(std::uint64_t{1} << bit).value());
    EXPECT_EQ(seen.size(), 64u);
}

TEST(Hash, ValueMayBeAskedBetween) {
    Hasher h;
    h.u32(5);
    const std::uint64_t once = h.value();
    EXPECT_EQ(h.value(), once);
    h.u32(6);
    EXPECT_EQ(h.value(), Hasher().u32(5).u32(6).value());
}

}  // namespace
}  // namespace karst
