#include "stream_rig.h"

namespace karst::voxel_stream {
namespace {

using rig::Rig;
using rig::smallOptions;

std::map<ChunkCoord, int> nominalLevels(const Rig& rig, WorldPosition camera, double drawDistance) {
    std::map<ChunkCoord, int> out;
    const double edge = chunkEdge(rig.grid.placement());
    for (const auto& [chunk, kinds] : rig::candidatesOf(rig.grid.snapshot())) {
        const double distance = chunkDistance(rig.grid.placement(), chunk, camera);
        if (distance <= drawDistance + edge) out[chunk] = nominalLevel(rig.options.levels, distance);
    }
    return out;
}

TEST(VoxelStreamerTest, V16_SettledItShowsWhatMeshingAfreshGives) {
    Rig rig(rig::hills(5), smallOptions());
    rig.settle({10, 5, -20}, 120);
    const auto levels = nominalLevels(rig, {10, 5, -20}, 120);
    rig.sink.expectFresh(levels);
    std::array<int, 4> seen{};
    for (const auto& [chunk, entry] : rig.sink.shown)
        ++seen[static_cast<std::size_t>(entry.level)];
    EXPECT_GT(seen[0], 0);
    EXPECT_GT(seen[1], 0);
    EXPECT_GT(seen[2], 0);
    EXPECT_GT(rig.sink.waters, 0u);
    const StreamStats stats = rig.streamer->stats();
    EXPECT_TRUE(stats.settled);
    EXPECT_EQ(stats.shown, rig.sink.shown.size());
    EXPECT_EQ(stats.shown + stats.empty, levels.size());
    for (std::size_t level = 0; level < 4; ++level)
        EXPECT_EQ(stats.levels[level], static_cast<std::size_t>(seen[level]));
    std::size_t bytes = 0;
    for (const auto& [chunk, entry] : rig.sink.shown) {
        bytes += entry.solid.vertices.size() * 32 + entry.solid.indices.size() * 4 +
                 entry.water.vertices.size() * 28 + entry.water.indices.size() * 4;
    }
    EXPECT_EQ(stats.shownBytes, bytes);
}

TEST(VoxelStreamerTest, V16_AGridThatComesInOverManyUpdatesSettlesToTheSameNearestFirst) {
    StreamOptions options = smallOptions();
    options.newChunksPerUpdate = 10;
    Rig rig(rig::hills(5), options);
    const WorldPosition camera{100, 5, -90};
    const std::size_t chunks = rig.grid.chunkCount();
    std::size_t known = 0;
    for (std::size_t update = 1; 10 * update < chunks; ++update) {
        rig.update(camera, 120);
        EXPECT_FALSE(rig.streamer->settled());
        const std::size_t now = rig.streamer->stats().candidates;
        // A chunk makes candidates of itself and of at most 9 others.
        EXPECT_LE(now, known + 100);
        known = now;
        if (update == 1) {
            ASSERT_FALSE(rig.executor.started.empty());
            for (const MeshRequest& request : rig.executor.started)
                EXPECT_LT(chunkDistance(rig.grid.placement(), request.chunk, camera), 90);
        }
        rig.executor.runAll();
    }
    rig.settle(camera, 120);
    rig.sink.expectFresh(nominalLevels(rig, camera, 120));
}

TEST(VoxelStreamerTest, V17_UnsettledUntilTheLastTransitionAndNothingWaits) {
    StreamOptions options = smallOptions();
    options.transitionsPerScan = 3;
    Rig rig(rig::hills(5), options);
    rig.settle({-150, 5, 0}, 300);
    int updates = 0;
    std::uint32_t transitions = 0;
    for (; updates == 0 || !rig.streamer->settled(); ++updates) {
        const StreamUpdate done = rig.update({150, 5, 0}, 300);
        EXPECT_LE(done.transitions, 3u);
        transitions += done.transitions;
        rig.executor.runAll();
        ASSERT_LT(updates, 300);
    }
    EXPECT_GT(transitions, 20u);
    EXPECT_GE(updates, static_cast<int>(transitions / 3));
}

TEST(VoxelStreamerTest, V18_MemoryFollowsTheKeepRange) {
    Rig rig(rig::hills(6), smallOptions());
    rig.settle({-180, 5, 0}, 60);
    const double keep = 60 + 2 * 32;
    for (int step = 0; step <= 45; ++step) {
        const WorldPosition camera{-180.0 + 8 * step, 5, 0};
        rig.settle(camera, 60);
        for (const auto& [chunk, entry] : rig.sink.shown)
            EXPECT_LE(chunkDistance(rig.grid.placement(), chunk, camera), keep + 8);
        const StreamStats stats = rig.streamer->stats();
        EXPECT_EQ(stats.shown, rig.sink.shown.size());
        EXPECT_LT(stats.shown + stats.empty, 170u);
    }
    rig.settle({1e6, 0, 0}, 60);
    EXPECT_TRUE(rig.sink.shown.empty());
    const StreamStats stats = rig.streamer->stats();
    EXPECT_EQ(stats.shownBytes + stats.shown + stats.empty, 0u);
}

TEST(VoxelStreamerTest, V18_AnEditedMeshInTheKeepRangeIsNotShownAgain) {
    Rig rig(rig::hills(6), smallOptions());
    rig.settle({0, 5, 0}, 60);
    // Chunk (2, -1, 0) is in the preload range; from a little to the west only in the keep range.
    const ChunkCoord chunk{3, -1, 0};
    ASSERT_TRUE(rig.sink.shown.count(chunk));
    const WorldPosition west{-30, 5, 0};
    const double distance = chunkDistance(rig.grid.placement(), chunk, west);
    ASSERT_GT(distance, 60 + 32);
    ASSERT_LE(distance, 60 + 64);
    rig.settle(west, 60);
    EXPECT_TRUE(rig.sink.shown.count(chunk)) << "kept";
    rig::ball(rig.grid, {112, 2, 16}, 5, {});
    rig.update(west, 60);
    EXPECT_FALSE(rig.sink.shown.count(chunk)) << "at once";
    rig.settle(west, 60);
    EXPECT_FALSE(rig.sink.shown.count(chunk));
    rig.settle({0, 5, 0}, 60);
    EXPECT_TRUE(rig.sink.shown.count(chunk)) << "and its show was checked against the grid";
}

TEST(VoxelStreamerTest, V20_TheGridIsEditedWhileBatchesAreUnderWay) {
    Rig rig(rig::hills(4), smallOptions());
    rig.settle({0, 5, 0}, 90);
    rig::ball(rig.grid, {3, 0, 3}, 6, {});
    EXPECT_GT(rig.update({0, 5, 0}, 90).started, 0u);
    ASSERT_FALSE(rig.executor.held.empty());
    rig::ball(rig.grid, {9, -2, 3}, 6, {});
    rig.executor.runAll();  // from snapshots before the second edit
    const StreamUpdate done = rig.update({0, 5, 0}, 90);
    EXPECT_GT(done.stale, 0u);
    rig.settle({0, 5, 0}, 90);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 90));
}

TEST(VoxelStreamerTest, V20_WorkUnderWayIsBoundedByTheExecutor) {
    Rig rig(rig::hills(5), smallOptions());
    rig.executor.slots = 2;
    for (int i = 0; i < 20; ++i)
        rig.update({0, 5, 0}, 150);
    EXPECT_EQ(rig.executor.held.size(), 2u);
    EXPECT_EQ(rig.streamer->stats().underWay, 64u);
    rig.executor.slots = 0;
    rig.executor.runAll();
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(rig.update({0, 5, 0}, 150).started, 0u);
    rig.executor.slots = 3;
    rig.settle({0, 5, 0}, 150);
    EXPECT_LE(rig.executor.mostHeld, 3u);
    EXPECT_LE(rig.executor.largest, 32u);
}

TEST(VoxelStreamerTest, V20_NoBatchIsStartedWhileManyResultsWait) {
    StreamOptions options = smallOptions();
    options.resultsPerUpdate = 1;
    options.maximumWaitingResults = 40;
    Rig rig(rig::hills(5), options);
    std::size_t most = 0;
    for (int i = 0; i < 60; ++i) {
        rig.update({0, 5, 0}, 150);
        rig.executor.runAll();
        most = std::max(most, rig.streamer->stats().waitingResults);
    }
    EXPECT_GE(most, 40u);
    EXPECT_LE(most, 40u + 4 * 32);
}

TEST(VoxelStreamerTest, V20_GeometryForPickingIsWhatIsDisplayedWithoutSkirts) {
    StreamOptions options = smallOptions();
    options.keepGeometry = true;
    Rig rig(rig::hills(4), options);
    rig.settle({0, 5, 0}, 120);
    const voxel::GridSnapshot snapshot = rig.grid.snapshot();
    std::size_t skirts = 0, waters = 0;
    for (const auto& [chunk, entry] : rig.sink.shown) {
        const DisplayedGeometry kept = rig.streamer->displayed(chunk);
        EXPECT_EQ(kept.level, entry.level);
        const auto bare = rig.sink.freshSolid(snapshot, chunk, entry.level, false);
        ASSERT_EQ(kept.solid != nullptr, !bare.empty());
        if (kept.solid) {
            EXPECT_EQ(kept.solid->vertices, bare.vertices);
            EXPECT_EQ(kept.solid->indices, bare.indices);
            skirts += entry.solid.vertices.size() > bare.vertices.size() ? 1 : 0;
        }
        ASSERT_EQ(kept.water != nullptr, !entry.water.empty());
        if (kept.water) {
            EXPECT_EQ(kept.water->vertices, entry.water.vertices);
            ++waters;
        }
    }
    EXPECT_GT(skirts, 0u);
    EXPECT_GT(waters, 0u);
    EXPECT_GT(rig.streamer->stats().geometryBytes, 0u);
    // What a caller holds outlives the chunk's being dropped.
    const DisplayedGeometry held = rig.streamer->displayed({0, -1, 0});
    ASSERT_NE(held.solid, nullptr);
    rig.settle({1e6, 0, 0}, 120);
    EXPECT_EQ(rig.streamer->displayed({0, -1, 0}).solid, nullptr);
    EXPECT_EQ(rig.streamer->stats().geometryBytes, 0u);
    EXPECT_FALSE(held.solid->empty());
}

TEST(VoxelStreamerTest, V20_BatchesOutliveTheStreamer) {
    Rig rig(rig::hills(3), smallOptions());
    rig.update({0, 5, 0}, 90);
    ASSERT_FALSE(rig.executor.held.empty());
    rig.streamer.reset();
    rig.executor.runAll();
    EXPECT_EQ(rig.sink.calls, 0u);
}

/// Runs every batch where it is started.
class ImmediateExecutor final : public MeshExecutor {
  public:
    std::uint32_t freeSlots() override { return 2; }
    void start(std::shared_ptr<MeshBatch> batch) override { batch->run(); }
};

TEST(VoxelStreamerTest, V20_NoLockIsHeldWhileSinkAndExecutorAreCalled) {
    Rig rig(rig::hills(3), smallOptions());
    rig.sink.onShow = [&](ChunkCoord) {
        // Takes the locks that an update takes.
        if (!rig.executor.held.empty()) rig.executor.run(0);
    };
    rig.settle({0, 5, 0}, 90);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 90));

    ImmediateExecutor immediate;
    rig::CheckingSink sink(rig.grid);
    VoxelStreamer streamer = std::move(VoxelStreamer::create(smallOptions(), immediate, sink)).value();
    do {
        ASSERT_TRUE(streamer.update(rig.grid, {0, 5, 0}, 90).ok());
    } while (!streamer.settled());
    EXPECT_EQ(sink.shown.size(), rig.sink.shown.size());
}

TEST(VoxelStreamerTest, V20_UnrunBatchesAreAskedForAgain) {
    Rig rig(rig::hills(3), smallOptions());
    rig.update({0, 5, 0}, 90);
    ASSERT_FALSE(rig.executor.held.empty());
    rig.executor.held.clear();
    rig.settle({0, 5, 0}, 90);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 90));
}

TEST(VoxelStreamerTest, V21_NoResultOfAnOlderEditIsEverShownWhateverTheOrder) {
    Rig rig(rig::hills(2), smallOptions());
    rig.executor.slots = 64;
    rig.settle({0, 5, 0}, 60);
    test::Random random(21);
    std::size_t stale = 0;
    for (int i = 0; i < 60; ++i) {
        rig::ball(rig.grid, {random.integer(-9, 9), random.integer(-8, 8), random.integer(-9, 9)},
                  random.integer(2, 5), random.chance(0.5) ? Cell{} : Cell{rig::kRock, 255});
        stale += rig.update({0, 5, 0}, 60).stale;
        // The newest first.
        if (i % 3 == 2) {
            while (!rig.executor.held.empty())
                rig.executor.run(rig.executor.held.size() - 1);
        }
    }
    EXPECT_GT(stale, 50u);
    rig.settle({0, 5, 0}, 60);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 60));
}

TEST(VoxelStreamerTest, V21_ALostBatchDoesNotStarveItsChunkNorOthers) {
    Rig rig(rig::hills(3), smallOptions());
    rig.executor.slots = 2;
    rig.update({0, 5, 0}, 90);
    const std::shared_ptr<MeshBatch> lost = rig.executor.held[0];  // held for ever, never run
    rig.executor.run(1);
    for (int i = 0; i < 50; ++i) {
        rig.update({0, 5, 0}, 90);
        while (rig.executor.held.size() > 1)
            rig.executor.run(1);
    }
    EXPECT_EQ(rig.streamer->stats().underWay, lost->requests().size()) << "all others came";
    EXPECT_EQ(rig.streamer->stats().queued, 0u);
    // Edited anew, its chunks are made by another batch.
    rig::ball(rig.grid, {0, 0, 0}, 60, Cell{rig::kRock, 200});
    for (int i = 0; i < 50; ++i) {
        rig.update({0, 5, 0}, 90);
        while (rig.executor.held.size() > 1)
            rig.executor.run(1);
    }
    EXPECT_LT(rig.streamer->stats().underWay, lost->requests().size());
    rig.executor.runAll();
    rig.settle({0, 5, 0}, 90);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 90));
}

TEST(VoxelStreamerTest, V22_NearestFirst32ABatchAnd32AnUpdate) {
    Rig rig(rig::hills(6), smallOptions());
    rig.executor.slots = 3;
    const WorldPosition camera{40, 5, 40};
    std::uint64_t published = 0;
    double last = 0;
    std::size_t seen = 0;
    while (!rig.streamer->settled()) {
        const StreamUpdate done = rig.update(camera, 120);
        EXPECT_LE(done.published + done.stale, 32u);
        published += done.published;
        for (; seen < rig.executor.started.size(); ++seen) {
            const double distance =
                chunkDistance(rig.grid.placement(), rig.executor.started[seen].chunk, camera);
            EXPECT_GE(distance, last);
            last = distance;
        }
        rig.executor.runAll();
    }
    EXPECT_EQ(rig.executor.largest, 32u);
    EXPECT_EQ(published, nominalLevels(rig, camera, 120).size());
}

TEST(VoxelStreamerTest, V22_AnUpdateStopsPublishingAfter2Milliseconds) {
    Rig rig(rig::hills(4), smallOptions());
    rig.sink.onShow = [&](ChunkCoord) { rig.clock.now += 700'000; };
    std::size_t shown = 0;
    while (!rig.streamer->settled()) {
        rig.update({0, 5, 0}, 90);
        EXPECT_LE(rig.sink.calls - shown, 3u);
        shown = rig.sink.calls;
        rig.executor.runAll();
    }
    EXPECT_GT(shown, 20u);
}

TEST(VoxelStreamerTest, V23_ADetailOnlyChangeLeavesTheWaterAlone) {
    Rig rig(rig::hills(4), smallOptions());
    rig.settle({-100, 5, 0}, 250);
    const std::size_t waters = rig.sink.waters, solids = rig.sink.solids;
    rig.settle({100, 5, 0}, 250);
    EXPECT_GT(rig.sink.solids, solids);
    EXPECT_EQ(rig.sink.waters, waters);
}

TEST(VoxelStreamerTest, V23_ADetailChangeKeepsTheWaterOfAnEditOnItsWay) {
    Rig rig(rig::hills(4), smallOptions());
    rig.settle({-100, 5, 0}, 250);
    // Water is poured into chunk (3, 0, 0); before its mesh is there the camera comes near.
    rig::ball(rig.grid, {112, 10, 16}, 4, {rig::kWater, 255});
    const ChunkCoord chunk{3, 0, 0};
    rig.update({-100, 5, 0}, 250);
    const int level = rig.sink.shown[chunk].level;
    while (rig.update({100, 5, 0}, 250).transitions > 0)
        continue;
    rig.settle({100, 5, 0}, 250);
    EXPECT_NE(rig.sink.shown[chunk].level, level);
    EXPECT_FALSE(rig.sink.shown[chunk].water.empty());
}

TEST(VoxelStreamerTest, V23_WhatAnEditTakesAwayLeavesTheSink) {
    Rig rig(rig::makeGrid(), smallOptions());
    const CellBox lake{{0, 4, 0}, {32, 6, 32}};
    rig::fill(rig.grid, {{0, 0, 0}, {32, 4, 32}}, [](CellCoord) { return Cell{rig::kRock, 255}; });
    rig::fill(rig.grid, lake, [](CellCoord) { return Cell{rig::kWater, 255}; });
    rig.settle({0, 0, 0}, 100);
    const ChunkCoord chunk{0, 0, 0};
    EXPECT_FALSE(rig.sink.shown[chunk].solid.empty());
    EXPECT_FALSE(rig.sink.shown[chunk].water.empty());
    // No water is left far and wide, yet the old sheet must go.
    rig::fill(rig.grid, lake, [](CellCoord) { return Cell{}; });
    rig.settle({0, 0, 0}, 100);
    EXPECT_TRUE(rig.sink.shown[chunk].water.empty());
    EXPECT_FALSE(rig.sink.shown[chunk].solid.empty());
    rig.sink.expectFresh(nominalLevels(rig, {0, 0, 0}, 100));
    // And the ground, where the chunk is all water.
    rig::fill(rig.grid, voxel::chunkBox(chunk), [](CellCoord) { return Cell{rig::kWater, 255}; });
    rig.settle({0, 0, 0}, 100);
    EXPECT_TRUE(rig.sink.shown[chunk].solid.empty());
    EXPECT_FALSE(rig.sink.shown[chunk].water.empty());
    rig.sink.expectFresh(nominalLevels(rig, {0, 0, 0}, 100));
}

TEST(VoxelStreamerTest, V23_EmptyResultsAreNotAskedForAgain) {
    Rig rig(rig::makeGrid(), smallOptions());
    // One solid cell of too little to be seen in each chunk: candidates without a surface.
    for (int x = 0; x < 4; ++x)
        rig::ball(rig.grid, {32 * x + 16, 16, 16}, 0, {rig::kRock, 20});
    rig.settle({0, 0, 0}, 100);
    const std::size_t asked = rig.executor.started.size();
    EXPECT_GE(asked, 4u);
    EXPECT_TRUE(rig.sink.shown.empty());
    EXPECT_EQ(rig.sink.calls, 0u);
    EXPECT_EQ(rig.streamer->stats().empty, asked);
    for (int i = 0; i < 30; ++i)
        rig.settle({i % 2 * 9.0, 0, 0}, 100);
    EXPECT_EQ(rig.executor.started.size(), asked);
}

TEST(VoxelStreamerTest, V18_AnotherGridReplacesEverything) {
    Rig rig(rig::hills(3), smallOptions());
    rig.settle({0, 5, 0}, 90);
    voxel::Grid other = rig.grid.clone();
    rig::ball(other, {0, 0, 0}, 12, {});
    rig.grid = std::move(other);
    rig.settle({0, 5, 0}, 90);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 90));
    // Of another cell size the old meshes are no stand-in.
    rig.grid = rig::hills(3, 2);
    rig.update({0, 5, 0}, 90);
    EXPECT_TRUE(rig.sink.shown.empty());
    rig.settle({0, 5, 0}, 90);
    rig.sink.expectFresh(nominalLevels(rig, {0, 5, 0}, 90));
    // Emptied, nothing is left.
    rig.grid.clear();
    rig.update({0, 5, 0}, 90);
    EXPECT_TRUE(rig.sink.shown.empty());
    EXPECT_EQ(rig.streamer->stats().candidates, 0u);
}

TEST(VoxelStreamerTest, RefusesArgumentsByName) {
    Rig rig(rig::hills(1), smallOptions());
    const auto refused = [&](WorldPosition camera, double draw, const char* what) {
        const auto done = rig.streamer->update(rig.grid, camera, draw);
        ASSERT_FALSE(done.ok());
        EXPECT_EQ(done.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(done.error().message.find(what), std::string::npos) << done.error().message;
    };
    refused({NAN, 0, 0}, 100, "camera");
    refused({0, HUGE_VAL, 0}, 100, "camera");
    refused({0, 0, 0}, -1, "draw distance -1");
    refused({0, 0, 0}, NAN, "draw distance");
    EXPECT_EQ(rig.streamer->stats().candidates, 0u) << "nothing was done";

    const auto bad = [&](const char* what, const std::function<void(StreamOptions&)>& change) {
        StreamOptions options;
        change(options);
        const auto made = VoxelStreamer::create(options, rig.executor, rig.sink);
        ASSERT_FALSE(made.ok()) << what;
        EXPECT_NE(made.error().message.find(what), std::string::npos) << made.error().message;
    };
    bad("threshold 320", [](StreamOptions& o) { o.levels.thresholds = {400, 320, 1500}; });
    bad("threshold 40", [](StreamOptions& o) { o.levels.thresholds[0] = 40; });
    bad("hysteresis", [](StreamOptions& o) { o.levels.hysteresis = -1; });
    bad("scan movement", [](StreamOptions& o) { o.scanMovement = NAN; });
    bad("chunk edges", [](StreamOptions& o) { o.keepEdges = 0.5; });
    bad("transitions", [](StreamOptions& o) { o.transitionsPerScan = 0; });
    bad("chunks a batch", [](StreamOptions& o) { o.chunksPerBatch = 0; });
    bad("results an update", [](StreamOptions& o) { o.resultsPerUpdate = 0; });
    bad("waiting results", [](StreamOptions& o) { o.maximumWaitingResults = 0; });
}

}  // namespace
}  // namespace karst::voxel_stream
