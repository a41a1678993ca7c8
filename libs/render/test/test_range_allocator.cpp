#include "range_allocator.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <vector>

namespace karst::render {

namespace {

TEST(RangeAllocator, GivesAllOfItAndTakesItBack) {
    RangeAllocator all(1000);
    const auto whole = all.allocate(1000);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->offset, 0u);
    EXPECT_EQ(all.freeSize(), 0u);
    EXPECT_FALSE(all.allocate(1));
    all.free(*whole);
    EXPECT_EQ(all.freeSize(), 1000u);
    EXPECT_EQ(all.largestFree(), 1000u);
    EXPECT_FALSE(all.allocate(1001));
}

TEST(RangeAllocator, AnEmptyOneGivesNothing) {
    RangeAllocator none;
    EXPECT_FALSE(none.allocate(1));
    EXPECT_EQ(none.largestFree(), 0u);
}

TEST(RangeAllocator, JoinsWithBothNeighbours) {
    RangeAllocator ranges(300);
    const auto a = ranges.allocate(100), b = ranges.allocate(100), c = ranges.allocate(100);
    ASSERT_TRUE(a && b && c);
    ranges.free(*a);
    ranges.free(*c);
    EXPECT_EQ(ranges.freeRanges(), 2u);
    EXPECT_FALSE(ranges.allocate(101));
    ranges.free(*b);
    EXPECT_EQ(ranges.freeRanges(), 1u);
    EXPECT_TRUE(ranges.allocate(300));
}

TEST(RangeAllocator, TakesTheLargestSizesThereAre) {
    RangeAllocator ranges(~0u);
    const auto half = ranges.allocate(1u << 31);
    ASSERT_TRUE(half);
    EXPECT_EQ(ranges.largestFree(), (1u << 31) - 1);
    ranges.free(*half);
    EXPECT_EQ(ranges.largestFree(), ~0u);
}

// Against a list of what is taken: no overlap, nothing lost, all joined, and room found where there is
// plenty.
TEST(RangeAllocator, RandomUseNeverOverlapsAndLosesNothing) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        test::Random random(seed);
        const std::uint32_t capacity = 20000;
        RangeAllocator ranges(capacity);
        std::vector<RangeAllocator::Range> taken;
        std::uint32_t used = 0;
        for (int step = 0; step < 20000; ++step) {
            const bool filling = (step / 2000) % 2 == 0;
            if (taken.empty() || random.chance(filling ? 0.6 : 0.4)) {
                const auto size =
                    static_cast<std::uint32_t>(random.integer(1, random.chance(0.125) ? 900 : 60));
                const std::uint32_t largest = step % 16 == 0 ? ranges.largestFree() : 0;
                const auto range = ranges.allocate(size);
                if (!range) {
                    if (step % 16 == 0) {
                        ASSERT_LT(largest, size);
                    }
                    continue;
                }
                ASSERT_EQ(range->size, size);
                taken.push_back(*range);
                used += size;
            } else {
                const auto i =
                    static_cast<std::size_t>(random.integer(0, static_cast<int>(taken.size()) - 1));
                ranges.free(taken[i]);
                used -= taken[i].size;
                taken[i] = taken.back();
                taken.pop_back();
            }
            ASSERT_EQ(ranges.freeSize(), capacity - used);
            if (step % 256 != 0) continue;
            auto sorted = taken;
            std::sort(sorted.begin(), sorted.end(),
                      [](const auto& a, const auto& b) { return a.offset < b.offset; });
            std::uint32_t end = 0, gaps = 0;
            for (const auto& range : sorted) {
                ASSERT_GE(range.offset, end);
                gaps += range.offset > end ? 1 : 0;
                end = range.end();
            }
            ASSERT_LE(end, capacity);
            gaps += end < capacity ? 1 : 0;
            ASSERT_EQ(ranges.freeRanges(), gaps);
        }
        for (const auto& range : taken)
            ranges.free(range);
        ASSERT_EQ(ranges.freeRanges(), 1u);
        ASSERT_EQ(ranges.largestFree(), capacity);
    }
}

}  // namespace

}  // namespace karst::render
