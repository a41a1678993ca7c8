#include "removal_log.h"

#include <gtest/gtest.h>

namespace karst::voxel {
namespace {

TEST(RemovalLog, V7_ReachesBackToWhatItForgot) {
    RemovalLog log(3, 0);
    EXPECT_TRUE(log.reaches(0));
    log.add(2, {1, 0, 0});
    log.add(2, {0, 0, 0});
    log.add(5, {1, 0, 0});
    EXPECT_TRUE(log.reaches(0));
    EXPECT_EQ(log.since(0), (std::vector<ChunkCoord>{{0, 0, 0}, {1, 0, 0}}));
    EXPECT_EQ(log.since(2), (std::vector<ChunkCoord>{{1, 0, 0}}));
    EXPECT_TRUE(log.since(5).empty());
    log.add(6, {7, 0, 0});
    // One of revision 2 is gone: who has seen revision 2 misses nothing.
    EXPECT_FALSE(log.reaches(1));
    EXPECT_TRUE(log.reaches(2));
    EXPECT_EQ(log.since(2), (std::vector<ChunkCoord>{{1, 0, 0}, {7, 0, 0}}));
    log.add(8, {8, 0, 0});
    log.add(9, {9, 0, 0});
    EXPECT_FALSE(log.reaches(4));
    EXPECT_TRUE(log.reaches(5));
    EXPECT_EQ(log.since(5).size(), 3u);
}

TEST(RemovalLog, V7_OneEditCanFillIt) {
    RemovalLog log(2, 0);
    for (int i = 0; i < 10; ++i)
        log.add(4, {i, 0, 0});
    EXPECT_FALSE(log.reaches(3));
    EXPECT_TRUE(log.reaches(4));
    EXPECT_LE(log.memoryBytes(), 64u);
}

TEST(RemovalLog, V7_AClonesLogKnowsNothingOfBefore) {
    const RemovalLog log(2, 17);
    EXPECT_FALSE(log.reaches(16));
    EXPECT_TRUE(log.reaches(17));
}

}  // namespace
}  // namespace karst::voxel
