#include <cmath>

#include "import_test.h"
#include "samples.h"

namespace karst::importer {
namespace {

using test::kNan;
using test::packed;
using test::Random;

std::vector<float> decoded(SampleRule rule, const std::string& bytes) {
    const auto size = static_cast<std::size_t>(sampleBytes(rule.type));
    std::vector<float> out(bytes.size() / size);
    decodeSamples(rule, reinterpret_cast<const std::byte*>(bytes.data()), size, out.size(), out.data());
    return out;
}

template <class T>
void checkType(SampleType type, std::uint64_t seed) {
    Random random(seed);
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        std::vector<T> values;
        std::vector<float> expected;
        const T marker = static_cast<T>(77);
        for (int i = 0; i < 500; ++i) {
            const T value = random.chance(0.1) ? marker : static_cast<T>(random.range(0, 120));
            values.push_back(value);
            expected.push_back(value == marker ? kNan
                                               : static_cast<float>(static_cast<double>(value) * 0.5 + 3));
        }
        SampleRule rule;
        rule.type = type;
        rule.order = order;
        rule.nodata = 77;
        rule.scale = 0.5;
        rule.offset = 3;
        test::expectSame(decoded(rule, packed(values, order)), expected);
    }
}

TEST(Samples, EveryTypeInBothOrders) {
    checkType<std::uint8_t>(SampleType::UInt8, 1);
    checkType<std::int8_t>(SampleType::Int8, 2);
    checkType<std::uint16_t>(SampleType::UInt16, 3);
    checkType<std::int16_t>(SampleType::Int16, 4);
    checkType<std::uint32_t>(SampleType::UInt32, 5);
    checkType<std::int32_t>(SampleType::Int32, 6);
    checkType<std::uint64_t>(SampleType::UInt64, 7);
    checkType<std::int64_t>(SampleType::Int64, 8);
    checkType<float>(SampleType::Float32, 9);
    checkType<double>(SampleType::Float64, 10);
}

TEST(Samples, HalvesAreTheirNumbers) {
    SampleRule rule;
    rule.type = SampleType::Float16;
    const auto heights = decoded(
        rule, packed<std::uint16_t>({0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0x7e00}));
    test::expectSame(heights, {0, 1, -2, 65504, 0x1p-24f, 0x1p-14f, kNan, kNan});
}

TEST(Samples, AMarkerOutsideTheTypeMarksNothing) {
    SampleRule rule;
    rule.type = SampleType::UInt16;
    for (const double marker : {-32768.0, 65536.0, -1.0, 0.5, 1e300, static_cast<double>(NAN)}) {
        rule.nodata = marker;
        test::expectSame(decoded(rule, packed<std::uint16_t>({32768, 0, 65535, 1})), {32768, 0, 65535, 1});
    }
    rule.type = SampleType::UInt8;
    rule.nodata = 256;
    test::expectSame(decoded(rule, packed<std::uint8_t>({0, 255})), {0, 255});
    rule.type = SampleType::Int64;
    rule.nodata = 0x1p63;  // one more than the type holds
    test::expectSame(decoded(rule, packed<std::int64_t>({0, -5})), {0, -5});
}

TEST(Samples, AMarkerIsComparedInTheSamplesType) {
    SampleRule rule;
    rule.type = SampleType::Float32;
    rule.nodata = -9999.9;  // no float: the samples are its nearest
    test::expectSame(decoded(rule, packed<float>({-9999.9f, -9999.0f})), {kNan, -9999.0f});
    rule.nodata = -3.39999999999999996e+38;  // a tag that was rounded when it was printed
    const float most = std::numeric_limits<float>::max();
    test::expectSame(decoded(rule, packed<float>({-most, 5.0f, static_cast<float>(-3.4e38)})),
                     {kNan, 5, kNan});
}

TEST(Samples, NoNumberIsAVoid) {
    SampleRule rule;
    rule.type = SampleType::Float64;
    test::expectSame(decoded(rule, packed<double>({NAN, INFINITY, -INFINITY, 1e300, -1e38, 4})),
                     {kNan, kNan, kNan, kNan, kNan, 4});
}

TEST(Samples, AValueRangeMapsUnsignedAndFloating) {
    SampleRule rule;
    rule.type = SampleType::UInt16;
    ASSERT_TRUE(applyValueRange(rule, heightfield::HeightRange{524, 3100}, "x").ok());
    test::expectSame(decoded(rule, packed<std::uint16_t>({0, 65535})), {524, 3100});
    rule = {};
    rule.type = SampleType::Float32;
    ASSERT_TRUE(applyValueRange(rule, heightfield::HeightRange{-10, 30}, "x").ok());
    test::expectSame(decoded(rule, packed<float>({0, 0.5f, 1})), {-10, 10, 30});
    rule.type = SampleType::Int16;
    const auto refused = applyValueRange(rule, heightfield::HeightRange{0, 1}, "x");
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, test::HasSubstr("int16"));
}

TEST(Samples, HeightsInPlace) {
    SampleRule rule;
    rule.type = SampleType::Float32;
    rule.order = hostByteOrder();
    rule.nodata = 2;
    rule.scale = 10;
    std::vector<float> values{1, 2, 3};
    decodeSamples(rule, reinterpret_cast<const std::byte*>(values.data()), 4, 3, values.data());
    test::expectSame(values, {10, kNan, 30});
}

}  // namespace
}  // namespace karst::importer
