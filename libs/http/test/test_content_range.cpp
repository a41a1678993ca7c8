#include "content_range.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <string>

namespace karst::http {
namespace {

TEST(ContentRange, ReadsWhatServersSay) {
    EXPECT_EQ(parseContentRange("bytes 0-0/1"), (ContentRange{0, 0, 1}));
    EXPECT_EQ(parseContentRange(" Bytes 5-99/1000\r\n"), (ContentRange{5, 99, 1000}));
    EXPECT_EQ(parseContentRange("bytes 5-99/*"), (ContentRange{5, 99, ContentRange::kUnknown}));
    EXPECT_EQ(parseContentRange("bytes 18446744073709551613-18446744073709551614/18446744073709551615")->last,
              18446744073709551614u);
}

TEST(ContentRange, RefusesWhatCannotBe) {
    for (const char* text :
         {"", "bytes", "bytes ", "bytes */100", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-9", "bytes 0-9/",
          "bytes 0-9/10x", "bytes -1-9/10", "bytes 0-9/-1", "items 0-9/10", "bytes 0-9/10, 20-29/40",
          "bytes 0-99999999999999999999/*", "bytes=0-9/10"}) {
        EXPECT_FALSE(parseContentRange(text).has_value()) << text;
    }
}

TEST(ContentRange, RandomTextIsReadOrRefused) {
    test::Random random(6);
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = "bytes " + std::to_string(random.integer(0, 30)) + "-" +
                           std::to_string(random.integer(0, 30)) + "/" +
                           std::to_string(random.integer(0, 40));
        if (random.chance(0.5))
            text[std::size_t(random.integer(0, int(text.size()) - 1))] =
                static_cast<char>(random.integer(0, 255));
        if (const auto range = parseContentRange(text)) {
            ++read;
            EXPECT_LE(range->first, range->last);
            EXPECT_LT(range->last, range->total);
        }
    }
    EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace karst::http
