#include <gtest/gtest.h>
#include <karst/base/result.h>

#include <memory>
#include <set>
#include <string>

namespace karst {
namespace {

TEST(Result, HoldsAValueOrAnErrorThatNamesIt) {
    const Result<int> good = 7;
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(*good, 7);
    const Result<int> bad = makeError(ErrorCode::TooLarge, "row %d of %s", 12, "a.asc");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, ErrorCode::TooLarge);
    EXPECT_EQ(bad.error().message, "row 12 of a.asc");
}

TEST(Result, GivesWhatCanOnlyBeMoved) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
    ASSERT_TRUE(result);
    const std::unique_ptr<int> taken = std::move(result).value();
    EXPECT_EQ(*taken, 3);
}

TEST(Result, VoidIsSuccessUntilAnError) {
    const Result<void> good;
    EXPECT_TRUE(good.ok());
    const Result<void> bad = makeError(ErrorCode::Io, "disk full");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().message, "disk full");
}

TEST(Result, LongMessagesAreWhole) {
    const std::string name(5000, 'x');
    const Error error = makeError(ErrorCode::NotFound, "<%s>", name.c_str());
    EXPECT_EQ(error.message, "<" + name + ">");
    EXPECT_EQ(makeError(ErrorCode::Io, "%s", "").message, "");
}

TEST(Result, EveryCodeHasItsOwnWord) {
    std::set<std::string_view> words;
    for (const ErrorCode code :
         {ErrorCode::InvalidArgument, ErrorCode::NotFound, ErrorCode::Io, ErrorCode::CorruptData,
          ErrorCode::Unsupported, ErrorCode::TooLarge, ErrorCode::DeviceLost}) {
        EXPECT_NE(toString(code), "unknown");
        words.insert(toString(code));
    }
    EXPECT_EQ(words.size(), 7u);
}

}  // namespace
}  // namespace karst
