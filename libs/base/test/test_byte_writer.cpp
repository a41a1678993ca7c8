#include <gtest/gtest.h>
#include <karst/base/byte_reader.h>
#include <karst/base/byte_writer.h>

namespace karst {
namespace {

TEST(ByteWriter, WritesWhatByteReaderReads) {
    std::vector<std::byte> bytes;
    ByteWriter writer(bytes);
    writer.u8(0x12);
    writer.u16(0x3456);
    writer.u32(0x789abcde);
    writer.u64(0x0123456789abcdef);
    writer.i32(-5);
    writer.f32(-0.1f);
    writer.f64(1e300);
    EXPECT_EQ(writer.position(), 31u);
    EXPECT_EQ(bytes[1], std::byte{0x56});  // little-endian
    EXPECT_EQ(bytes[2], std::byte{0x34});
    writer.bytes(std::vector<std::byte>{std::byte{1}, std::byte{2}});
    writer.u32At(3, 0xfeedbeef);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.u8(), 0x12);
    EXPECT_EQ(reader.u16(), 0x3456);
    EXPECT_EQ(reader.u32(), 0xfeedbeef);
    EXPECT_EQ(reader.u64(), 0x0123456789abcdefu);
    EXPECT_EQ(reader.i32(), -5);
    EXPECT_EQ(reader.f32(), -0.1f);
    EXPECT_EQ(reader.f64(), 1e300);
    EXPECT_EQ(reader.u16(), 0x0201);
    EXPECT_EQ(reader.remaining(), 0u);
}

}  // namespace
}  // namespace karst
