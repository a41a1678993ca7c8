#include "json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/math.h>
#include <karst_test/test_support.h>

#include <cfloat>
#include <clocale>
#include <cmath>

namespace karst::heightfield {
namespace {

using testing::HasSubstr;

TEST(Json, NumbersReadBackAsTheSameBits) {
    test::Random random(91);
    for (int i = 0; i < 20000; ++i) {
        const auto value = bitCast<double>(random.next());
        if (!std::isfinite(value)) continue;
        const std::optional<double> back = parseJsonNumber(jsonNumber(value));
        ASSERT_TRUE(back.has_value()) << jsonNumber(value);
        ASSERT_EQ(bitCast<std::uint64_t>(*back), bitCast<std::uint64_t>(value)) << jsonNumber(value);
        const auto small = bitCast<float>(static_cast<std::uint32_t>(random.next()));
        if (!std::isfinite(small)) continue;
        ASSERT_EQ(static_cast<float>(*parseJsonNumber(jsonNumber(small))), small);
    }
    for (const double value : {0.0, -0.0, 0.1, 1e22, 123456789012345.0, DBL_MAX, DBL_MIN, 5e-324})
        EXPECT_EQ(bitCast<std::uint64_t>(*parseJsonNumber(jsonNumber(value))), bitCast<std::uint64_t>(value));
    EXPECT_EQ(jsonNumber(0.1), "0.1");
    EXPECT_EQ(jsonNumber(1025.0), "1025");
    EXPECT_EQ(jsonNumber(0.1f), "0.1");
}

// Decimal texts against the library's own reading of them.
TEST(Json, DecimalTextsRoundAsStrtod) {
    test::Random random(92);
    for (int i = 0; i < 20000; ++i) {
        std::string text = random.chance(0.5) ? "-" : "";
        text += std::to_string(random.integer(0, 1) == 0 ? random.next() % 1000 : random.next());
        if (random.chance(0.7))
            text.append(".").append(std::to_string(random.next() >> random.integer(0, 60)));
        if (random.chance(0.3)) text.append("e").append(std::to_string(random.integer(-300, 280)));
        const std::optional<double> value = parseJsonNumber(text);
        ASSERT_TRUE(value.has_value()) << text;
        ASSERT_EQ(*value, std::strtod(text.c_str(), nullptr)) << text;
    }
}

TEST(Json, OnlyNumbersAsJsonWritesThem) {
    for (const char* text :
         {"", "-", "+1", ".5", "1.", "01", "1e", "1e+", "0x10", "nan", "inf", "1,5", " 1", "1 ", "1e400"})
        EXPECT_FALSE(parseJsonNumber(text).has_value()) << text;
    for (const char* text : {"0", "-0", "10", "0.5", "1e5", "1E+5", "1e-400"})
        EXPECT_TRUE(parseJsonNumber(text).has_value()) << text;
}

TEST(Json, ValuesAreFoundWhereTheyStand) {
    const auto document = JsonDocument::parse(
        R"( {"a": [1, [2, 3], {"x": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"}], "b": true, "c": null, "": -2e3} )",
        "text");
    ASSERT_TRUE(document.ok()) << document.error().message;
    const auto root = document->root();
    ASSERT_EQ(root.kind(), JsonKind::Object);
    EXPECT_EQ(root.size(), 4u);
    EXPECT_TRUE(root.member("b")->boolean());
    EXPECT_EQ(root.member("c")->kind(), JsonKind::Null);
    EXPECT_EQ(root.member("")->number(), -2000);
    EXPECT_FALSE(root.member("x").has_value());  // of an inner object
    const auto array = *root.member("a");
    ASSERT_EQ(array.size(), 3u);
    auto item = array.first();
    EXPECT_EQ(item->number(), 1);
    item = item->next();
    EXPECT_EQ(item->size(), 2u);
    EXPECT_EQ(item->first()->next()->number(), 3);
    EXPECT_FALSE(item->first()->next()->next().has_value());
    item = item->next();
    EXPECT_EQ(item->member("x")->text(), "\"\\/\b\f\n\r\té😀é");
    EXPECT_FALSE(item->next().has_value());
}

TEST(Json, WrongTextsAreRefusedWithTheirPlace) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "[",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,1]",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{\"a\":1 \"b\":2}",
                             "[1 2]",
                             "tru",
                             "nul",
                             "\"",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\ud800\"",
                             "\"\\ud800\\u0041\"",
                             "\"\\udc00\"",
                             "\"a\nb\"",
                             "1 2",
                             "{}}",
                             "[01]",
                             "[1e999]",
                             "{\"a\":1,\"a\":2}",
                             "'a'",
                             "//",
                             "[\"a\":1]"}) {
        const auto document = JsonDocument::parse(text, "the text");
        ASSERT_FALSE(document.ok()) << text;
        EXPECT_THAT(document.error().message, HasSubstr("the text: JSON at byte ")) << text;
    }
}

TEST(Json, DepthSizeAndCountAreBounded) {
    const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(JsonDocument::parse(nested(16), "t").ok());
    EXPECT_FALSE(JsonDocument::parse(nested(17), "t").ok());
    EXPECT_FALSE(JsonDocument::parse(std::string(1000000, '['), "t").ok());
    EXPECT_FALSE(JsonDocument::parse(std::string((1 << 20) + 1, ' '), "t").ok());
    std::string many = "[0";
    for (int i = 0; i < 70000; ++i)
        many += ",0";
    const auto refused = JsonDocument::parse(many + "]", "t");
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("too many values"));
}

TEST(Json, TextIsEscaped) {
    for (const std::string text : {"", "plain", "a\"b\\c", "tab\tnewline\n", "ü😀"}) {
        const std::string quoted = jsonText(text);
        const auto document = JsonDocument::parse(quoted, "t");
        ASSERT_TRUE(document.ok()) << quoted;
        EXPECT_EQ(document->root().text(), text);
    }
}

}  // namespace
}  // namespace karst::heightfield
