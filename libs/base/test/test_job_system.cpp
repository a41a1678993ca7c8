#include <gtest/gtest.h>
#include <karst/base/job_system.h>

#include <limits>
#include <utility>
#include <vector>

namespace karst {
namespace {

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

Ranges rangesOf(std::size_t count, std::size_t grain) {
    Ranges ranges;
    inlineJobSystem().parallelFor(
        count, grain, [&](std::size_t begin, std::size_t end) { ranges.emplace_back(begin, end); });
    return ranges;
}

TEST(InlineJobSystem, RunsInOrderInGrains) {
    EXPECT_EQ(inlineJobSystem().workerCount(), 1u);
    EXPECT_EQ(rangesOf(0, 4), Ranges{});
    EXPECT_EQ(rangesOf(3, 4), (Ranges{{0, 3}}));
    EXPECT_EQ(rangesOf(4, 4), (Ranges{{0, 4}}));
    EXPECT_EQ(rangesOf(10, 4), (Ranges{{0, 4}, {4, 8}, {8, 10}}));
    EXPECT_EQ(rangesOf(3, 1), (Ranges{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(InlineJobSystem, HugeCountsDoNotWrapAround) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(rangesOf(5, kMost), (Ranges{{0, 5}}));
    EXPECT_EQ(rangesOf(kMost, kMost - 1), (Ranges{{0, kMost - 1}, {kMost - 1, kMost}}));
}

TEST(InlineJobSystem, Nests) {
    int calls = 0;
    inlineJobSystem().parallelFor(3, 1, [&](std::size_t, std::size_t) {
        inlineJobSystem().parallelFor(5, 2, [&](std::size_t, std::size_t) { ++calls; });
    });
    EXPECT_EQ(calls, 9);
}

}  // namespace
}  // namespace karst
