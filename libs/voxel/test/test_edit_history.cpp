#include "edit_history.h"

#include <gtest/gtest.h>

#include "grid_test.h"

namespace karst::voxel::test {
namespace {

constexpr CellBox kAll{{0, 0, 0}, {32, 32, 32}};

TEST(EditHistory, V8_JoinsTheEditsAfterTheReader) {
    Random random(6);
    for (int n = 0; n < 200; ++n) {
        EditHistory history;
        std::vector<std::pair<Revision, CellBox>> edits;
        Revision revision = 0;
        const int count = random.integer(1, 20);
        for (int i = 0; i < count; ++i) {
            revision += static_cast<Revision>(random.integer(1, 3));
            edits.push_back({revision, randomBox(random, kAll, 8)});
            history.add(revision, edits.back().second);
            for (Revision since = 0; since <= revision; ++since) {
                CellBox want;
                int later = 0;
                for (const auto& [at, box] : edits) {
                    if (at <= since) continue;
                    want = unite(want, box);
                    ++later;
                }
                ASSERT_EQ(history.extentSince(since), later > 6 ? kAll : want);
            }
        }
    }
}

TEST(EditHistory, V8_WhatCameBeforeAHistoryHasExpired) {
    EditHistory history(10);
    history.add(12, {{1, 1, 1}, {2, 2, 2}});
    EXPECT_EQ(history.extentSince(9), kAll);
    EXPECT_EQ(history.extentSince(10), (CellBox{{1, 1, 1}, {2, 2, 2}}));
    EXPECT_TRUE(history.extentSince(12).empty());
}

TEST(EditHistory, HistoriesAreUsedAgain) {
    EditHistories histories;
    const auto a = histories.add(EditHistory(1)), b = histories.add(EditHistory(2));
    const std::size_t bytes = histories.memoryBytes();
    histories[a].add(5, {{0, 0, 0}, {1, 1, 1}});
    histories.release(a);
    const auto c = histories.add(EditHistory(7));
    EXPECT_EQ(c, a);
    EXPECT_EQ(histories[c].extentSince(6), kAll);
    EXPECT_TRUE(histories[c].extentSince(7).empty());
    EXPECT_NE(b, c);
    EXPECT_LE(histories.memoryBytes(), bytes + 64);
}

}  // namespace
}  // namespace karst::voxel::test
