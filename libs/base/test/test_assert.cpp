#include <gtest/gtest.h>
#include <karst/base/assert.h>
#include <karst/base/result.h>

namespace karst {
namespace {

TEST(AssertDeathTest, SaysTheConditionAndItsPlaceAndEndsTheProcess) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(assertFailed("a < b", "some_file.cpp", 7), "some_file.cpp:7: assertion failed: a < b");
}

TEST(AssertDeathTest, CheckedOnlyWhereOn) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    int evaluated = 0;
    KARST_ASSERT(++evaluated > 0);
    EXPECT_EQ(evaluated, KARST_ENABLE_ASSERTS);
#if KARST_ENABLE_ASSERTS
    const Result<int> bad = makeError(ErrorCode::Io, "no");
    EXPECT_DEATH(static_cast<void>(bad.value()), "assertion failed: ok");
    const Result<int> good = 1;
    EXPECT_DEATH(static_cast<void>(good.error()), "assertion failed: !ok");
#endif
}

}  // namespace
}  // namespace karst
