#include "mesh_queue.h"

#include <gtest/gtest.h>
#include <karst/voxel_stream/level_policy.h>
#include <karst_test/test_support.h>

#include <map>
#include <set>

namespace karst::voxel_stream {
namespace {

const voxel::GridPlacement kPlacement{1, {}};

TEST(MeshQueueTest, V21_ANewerRequestReplacesTheSerial) {
    MeshQueue queue;
    queue.request({1, 0, 0}, 2, true, false);
    const MeshRequest first = queue.takeBatches(kPlacement, {}, 1, 32)[0][0];
    EXPECT_EQ(first.level, 2);
    EXPECT_TRUE(queue.current(first));
    EXPECT_EQ(queue.underWay(), 1u);
    queue.request({1, 0, 0}, 2, true, false);
    EXPECT_FALSE(queue.current(first)) << "the same wish again, and yet a new one";
    EXPECT_EQ(queue.underWay(), 0u);
    EXPECT_EQ(queue.waiting(), 1u);
    const MeshRequest second = queue.takeBatches(kPlacement, {}, 1, 32)[0][0];
    EXPECT_NE(first.serial, second.serial);
    EXPECT_TRUE(queue.current(second));
    queue.finish(second);
    EXPECT_FALSE(queue.current(second));
    EXPECT_EQ(queue.waiting() + queue.underWay(), 0u);
    queue.request({1, 0, 0}, 0, true, false);
    EXPECT_FALSE(queue.current(second));
    queue.cancel({1, 0, 0});
    EXPECT_TRUE(queue.takeBatches(kPlacement, {}, 1, 32).empty());
}

TEST(MeshQueueTest, V22_NearestFirstAndAtMost32InABatch) {
    test::Random random(22);
    MeshQueue queue;
    std::set<voxel::ChunkCoord> chunks;
    while (chunks.size() < 200)
        chunks.insert({random.integer(-20, 20), random.integer(-2, 2), random.integer(-20, 20)});
    for (const voxel::ChunkCoord chunk : chunks)
        queue.request(chunk, 0, true, true);
    const WorldPosition camera{50, 0, -80};
    double last = 0;
    std::size_t taken = 0;
    while (queue.waiting() > 0) {
        for (const auto& batch : queue.takeBatches(kPlacement, camera, 2, 32)) {
            EXPECT_LE(batch.size(), 32u);
            for (const MeshRequest& request : batch) {
                const double distance = chunkDistance(kPlacement, request.chunk, camera);
                EXPECT_GE(distance, last);
                last = distance;
                ++taken;
            }
        }
    }
    EXPECT_EQ(taken, 200u);
}

TEST(MeshQueueTest, V22_FewRequestsAreSpreadOverAllBatches) {
    MeshQueue queue;
    for (int i = 0; i < 9; ++i)
        queue.request({i, 0, 0}, 0, true, false);
    const auto batches = queue.takeBatches(kPlacement, {}, 4, 32);
    ASSERT_EQ(batches.size(), 3u);
    for (const auto& batch : batches)
        EXPECT_EQ(batch.size(), 3u);
}

TEST(MeshQueueTest, V23_ASolidLevelRequestKeepsTheWaterOfAPendingEdit) {
    MeshQueue queue;
    queue.request({0, 0, 0}, 0, true, true);
    queue.request({0, 0, 0}, 1, true, false);
    MeshRequest request = queue.takeBatches(kPlacement, {}, 1, 32)[0][0];
    EXPECT_EQ(request.level, 1);
    EXPECT_TRUE(request.water);
    // Also while it is under way.
    queue.request({0, 0, 0}, 2, true, false);
    request = queue.takeBatches(kPlacement, {}, 1, 32)[0][0];
    EXPECT_TRUE(request.water);
    queue.finish(request);
    queue.request({0, 0, 0}, 1, true, false);
    EXPECT_FALSE(queue.takeBatches(kPlacement, {}, 1, 32)[0][0].water) << "it has been published";
}

TEST(MeshQueueTest, V21_RandomRequestsAreAsASimpleModelSays) {
    struct Wish {
        int level = 0;
        bool solid = false, water = false, underWay = false;
    };
    test::Random random(21);
    MeshQueue queue;
    std::map<voxel::ChunkCoord, Wish> model;
    std::vector<MeshRequest> taken;
    std::map<voxel::ChunkCoord, std::uint64_t> newest;
    for (int step = 0; step < 20000; ++step) {
        const voxel::ChunkCoord chunk{random.integer(0, 4), 0, random.integer(0, 4)};
        switch (random.integer(0, 4)) {
            case 0:
            case 1: {
                const int level = random.integer(0, 3);
                const bool solid = random.chance(0.8), water = !solid || random.chance(0.3);
                queue.request(chunk, level, solid, water);
                Wish& wish = model[chunk];
                wish = {level, wish.solid || solid, wish.water || water, false};
                newest.erase(chunk);
                break;
            }
            case 2:
                queue.cancel(chunk);
                model.erase(chunk);
                newest.erase(chunk);
                break;
            case 3:
                for (const auto& batch : queue.takeBatches(kPlacement, {}, 1, 3)) {
                    for (const MeshRequest& request : batch) {
                        Wish& wish = model.at(request.chunk);
                        EXPECT_FALSE(wish.underWay);
                        EXPECT_EQ(request.level, wish.level);
                        EXPECT_EQ(request.solid, wish.solid);
                        EXPECT_EQ(request.water, wish.water);
                        wish.underWay = true;
                        newest[request.chunk] = request.serial;
                        taken.push_back(request);
                    }
                }
                break;
            default: {
                if (taken.empty()) break;
                const std::size_t place =
                    static_cast<std::size_t>(random.integer(0, static_cast<int>(taken.size()) - 1));
                const MeshRequest request = taken[place];
                taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(place));
                const auto found = newest.find(request.chunk);
                const bool current = found != newest.end() && found->second == request.serial;
                ASSERT_EQ(queue.current(request), current);
                if (!current) break;
                newest.erase(found);
                if (random.chance(0.3)) {
                    queue.putBack(request);
                    model.at(request.chunk).underWay = false;
                } else {
                    queue.finish(request);
                    model.erase(request.chunk);
                }
            }
        }
        std::size_t underWay = 0;
        for (const auto& [coord, wish] : model)
            underWay += wish.underWay ? 1 : 0;
        ASSERT_EQ(queue.underWay(), underWay);
        ASSERT_EQ(queue.waiting(), model.size() - underWay);
    }
}

}  // namespace
}  // namespace karst::voxel_stream
