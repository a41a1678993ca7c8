#include <gtest/gtest.h>
#include <karst/base/clock.h>

namespace karst {
namespace {

TEST(Clock, MovesForward) {
    std::uint64_t last = steadyClock().nowNanoseconds();
    const std::uint64_t start = last;
    // Ends: a monotonic clock moves on some time.
    while (last == start) {
        const std::uint64_t now = steadyClock().nowNanoseconds();
        ASSERT_GE(now, last);
        last = now;
    }
    EXPECT_GT(last, start);
}

}  // namespace
}  // namespace karst
