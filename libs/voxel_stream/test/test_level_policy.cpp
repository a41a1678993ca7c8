#include <gtest/gtest.h>
#include <karst/voxel_stream/level_policy.h>
#include <karst_test/test_support.h>

namespace karst::voxel_stream {
namespace {

TEST(LevelPolicyTest, V16_NominalThresholds) {
    const LevelPolicy policy;
    EXPECT_EQ(nominalLevel(policy, 0), 0);
    EXPECT_EQ(nominalLevel(policy, 319.9), 0);
    EXPECT_EQ(nominalLevel(policy, 320), 1);
    EXPECT_EQ(nominalLevel(policy, 719.9), 1);
    EXPECT_EQ(nominalLevel(policy, 720), 2);
    EXPECT_EQ(nominalLevel(policy, 1499.9), 2);
    EXPECT_EQ(nominalLevel(policy, 1500), 3);
    EXPECT_EQ(nominalLevel(policy, 1e9), 3);
}

TEST(LevelPolicyTest, V16_HysteresisDependsOnTheLevelItHas) {
    const LevelPolicy policy;
    EXPECT_EQ(nextLevel(policy, 368, 0), 0);
    EXPECT_EQ(nextLevel(policy, 368.1, 0), 1);
    EXPECT_EQ(nextLevel(policy, 272, 1), 1);
    EXPECT_EQ(nextLevel(policy, 271.9, 1), 0);
    EXPECT_EQ(nextLevel(policy, 672, 2), 2);
    EXPECT_EQ(nextLevel(policy, 671.9, 2), 1);
    EXPECT_EQ(nextLevel(policy, 1548.1, 2), 3);
    EXPECT_EQ(nextLevel(policy, 1452, 3), 3);
    EXPECT_EQ(nextLevel(policy, 1451.9, 3), 2);
    // Over several levels at once.
    EXPECT_EQ(nextLevel(policy, 5000, 0), 3);
    EXPECT_EQ(nextLevel(policy, 0, 3), 0);
}

TEST(LevelPolicyTest, V16_RandomDistancesFollowTheTwoOffsets) {
    const LevelPolicy policy;
    test::Random random(16);
    for (int i = 0; i < 20000; ++i) {
        const double distance = random.range(0, 2000);
        const int level = random.integer(0, 3), next = nextLevel(policy, distance, level);
        // Each threshold between the two levels was passed by more than the offset.
        for (int t = level; t < next; ++t)
            EXPECT_GT(distance, policy.thresholds[static_cast<std::size_t>(t)] + 48);
        for (int t = next; t < level; ++t)
            EXPECT_LT(distance, policy.thresholds[static_cast<std::size_t>(t)] - 48);
        // And there it stays.
        EXPECT_EQ(nextLevel(policy, distance, next), next);
        // The slack is as large as it is said to be, and no larger.
        const double slack = levelSlack(policy, distance, level);
        EXPECT_EQ(slack < 0, next != level);
        if (slack < 0) continue;
        EXPECT_EQ(nextLevel(policy, distance + slack * 0.999, level), level);
        EXPECT_EQ(nextLevel(policy, distance - slack * 0.999, level), level);
        EXPECT_TRUE(nextLevel(policy, distance + slack + 1e-6, level) != level ||
                    nextLevel(policy, distance - slack - 1e-6, level) != level);
    }
}

TEST(LevelPolicyTest, V16_DistanceIsToTheBoundingSphere) {
    const voxel::GridPlacement placement{4, {1000, -50, 7}};
    const double radius = 64 * std::sqrt(3.0);
    const WorldPosition center{1000 + 128 * 2 + 64, -50 + 128 * -1 + 64, 7 + 64};
    const voxel::ChunkCoord chunk{2, -1, 0};
    EXPECT_EQ(chunkDistance(placement, chunk, center), 0);
    EXPECT_EQ(chunkDistance(placement, chunk, {center.x + radius - 0.01, center.y, center.z}), 0);
    EXPECT_NEAR(chunkDistance(placement, chunk, {center.x, center.y + radius + 320, center.z}), 320, 1e-9);
}

}  // namespace
}  // namespace karst::voxel_stream
