#include <byte_ranges.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <vector>

namespace karst::render {

namespace {

TEST(ByteRanges, JoinsWhatOverlapsOrTouches) {
    ByteRanges ranges;
    ranges.add({40, 50});
    ranges.add({10, 20});
    ranges.add({60, 60});
    EXPECT_EQ(ranges.ranges(), (std::vector<ByteRange>{{10, 20}, {40, 50}}));
    ranges.add({20, 30});
    EXPECT_EQ(ranges.ranges(), (std::vector<ByteRange>{{10, 30}, {40, 50}}));
    ranges.add({5, 45});
    EXPECT_EQ(ranges.ranges(), (std::vector<ByteRange>{{5, 50}}));
}

TEST(ByteRanges, HoldExactlyTheAddedBytes) {
    test::Random random(11);
    for (int round = 0; round < 200; ++round) {
        ByteRanges ranges;
        std::vector<bool> bytes(300);
        for (int i = 0; i < 25; ++i) {
            const auto begin = static_cast<std::uint64_t>(random.integer(0, 280));
            const auto end = begin + static_cast<std::uint64_t>(random.integer(0, 19));
            ranges.add({begin, end});
            for (std::uint64_t b = begin; b < end; ++b)
                bytes[b] = true;
        }
        std::vector<bool> held(bytes.size());
        std::uint64_t before = 0;
        for (const ByteRange& range : ranges.ranges()) {
            ASSERT_LT(range.begin, range.end);
            ASSERT_TRUE(before == 0 || range.begin > before) << "unjoined or unsorted at " << range.begin;
            before = range.end;
            for (std::uint64_t b = range.begin; b < range.end; ++b)
                held[b] = true;
        }
        ASSERT_EQ(held, bytes);
    }
}

}  // namespace

}  // namespace karst::render
