#include <gtest/gtest.h>
#include <karst/base/result.h>

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

}  // namespace
}  // namespace karst
