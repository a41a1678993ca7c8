#include "draw_ranges.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

namespace karst::render {

namespace {

using Ranges = std::vector<TriangleRange>;

Ranges joined(const Ranges& ranges, const Ranges& barriers, const JoinLimits& limits) {
    Ranges out;
    joinRanges(ranges, barriers, limits, out);
    return out;
}

TEST(DrawRanges, WhatTouchesIsOne) {
    EXPECT_EQ(joined({{0, 0, 5}, {0, 5, 3}, {0, 9, 1}}, {}, {}), (Ranges{{0, 0, 8}, {0, 9, 1}}));
    EXPECT_EQ(joined({{0, 0, 5}, {1, 5, 3}}, {}, {.gap = 100}), (Ranges{{0, 0, 5}, {1, 5, 3}}));
    EXPECT_TRUE(joined({}, {}, {.ranges = 1}).empty());
}

TEST(DrawRanges, SmallGapsAreDrawnThroughButNoBarrier) {
    const Ranges three = {{0, 0, 5}, {0, 8, 3}, {0, 20, 1}};
    EXPECT_EQ(joined(three, {}, {.gap = 3}), (Ranges{{0, 0, 11}, {0, 20, 1}}));
    EXPECT_EQ(joined(three, {{0, 6, 1}}, {.gap = 100}), (Ranges{{0, 0, 5}, {0, 8, 13}}));
}

TEST(DrawRanges, TheLargestGapsStay) {
    const Ranges five = {{0, 0, 1}, {0, 5, 1}, {0, 7, 1}, {0, 20, 1}, {1, 0, 2}};
    EXPECT_EQ(joined(five, {}, {.ranges = 3}), (Ranges{{0, 0, 8}, {0, 20, 1}, {1, 0, 2}}));
    EXPECT_EQ(joined(five, {}, {.ranges = 2}), (Ranges{{0, 0, 21}, {1, 0, 2}}));
    EXPECT_EQ(joined(five, {}, {.ranges = 1}), (Ranges{{0, 0, 21}, {1, 0, 2}})) << "blocks stay apart";
}

TEST(DrawRanges, RandomRangesAreCoveredAndBounded) {
    test::Random random(11);
    for (int round = 0; round < 400; ++round) {
        Ranges in, barriers;
        for (std::uint32_t block = 0; block < 2; ++block) {
            std::uint32_t at = 0;
            for (int i = random.integer(0, 40); i > 0; --i) {
                at += static_cast<std::uint32_t>(random.integer(0, 12));
                const auto count = static_cast<std::uint32_t>(random.integer(1, 9));
                (random.chance(0.04) ? barriers : in).push_back({block, at, count});
                at += count;
            }
        }
        const JoinLimits limits{static_cast<std::uint32_t>(random.integer(0, 6)),
                                static_cast<std::uint32_t>(random.integer(1, 8))};
        const Ranges out = joined(in, barriers, limits);
        const auto covers = [&](const TriangleRange& r, const TriangleRange& part) {
            return r.block == part.block && r.first <= part.first && r.end() >= part.end();
        };
        for (const auto& range : in) {
            std::size_t holders = 0;
            for (const auto& r : out)
                holders += covers(r, range) ? 1 : 0;
            ASSERT_EQ(holders, 1u);
        }
        for (const auto& r : out) {
            for (const auto& barrier : barriers) {
                ASSERT_FALSE(r.block == barrier.block && r.first < barrier.end() && barrier.first < r.end());
            }
        }
        for (std::size_t i = 1; i < out.size(); ++i) {
            ASSERT_TRUE(out[i - 1].block < out[i].block || out[i - 1].end() < out[i].first);
        }
        ASSERT_LE(out.size(), limits.ranges + barriers.size() + 1);
    }
}

}  // namespace

}  // namespace karst::render
