// Random flights and edits against a simple model of the residency rules, with jobs that finish in any order.
#include "random_play.h"

#include <karst/voxel_stream/thread_mesh_executor.h>

namespace karst::voxel_stream {
namespace {

using rig::Play;
using rig::Rig;

TEST(VoxelStreamerRandomTest, V21_ShowsNothingStaleAndSettlesToTheModelInAnyOrder) {
    for (const std::uint64_t seed : {5u, 6u}) {
        StreamOptions options = rig::smallOptions();
        options.transitionsPerScan = 5;
        options.chunksPerBatch = 7;
        options.keepGeometry = seed == 6;
        Rig rig(rig::hills(3), options);
        rig.executor.slots = 5;
        rig::Model model(options);
        Play play(seed);
        std::vector<std::shared_ptr<MeshBatch>> late;
        std::size_t stale = 0;
        for (int step = 0; step < 150; ++step) {
            play.step(rig.grid, 0.3);
            model.update(rig.grid, play.camera, play.draw);
            const StreamUpdate done = rig.update(play.camera, play.draw);
            ASSERT_EQ(done.scanned, model.scanned);
            ASSERT_EQ(done.transitions, model.transitions);
            stale += done.stale;
            // Some run in any order, some much later, some are thrown away.
            while (!rig.executor.held.empty() && play.random.chance(0.7)) {
                const std::size_t place = static_cast<std::size_t>(
                    play.random.integer(0, static_cast<int>(rig.executor.held.size()) - 1));
                if (play.random.chance(0.1)) {
                    late.push_back(rig.executor.held[place]);
                    rig.executor.held.erase(rig.executor.held.begin() + static_cast<std::ptrdiff_t>(place));
                } else if (play.random.chance(0.1)) {
                    rig.executor.held.erase(rig.executor.held.begin() + static_cast<std::ptrdiff_t>(place));
                } else {
                    rig.executor.run(place);
                }
            }
            if (play.random.chance(0.05)) {
                for (const auto& batch : late)
                    batch->run();
                late.clear();
            }
        }
        for (const auto& batch : late)
            batch->run();
        for (int i = 0; i < 1000 && !rig.streamer->settled(); ++i) {
            rig.executor.runAll();
            model.update(rig.grid, play.camera, play.draw);
            rig.update(play.camera, play.draw);
        }
        ASSERT_TRUE(rig.streamer->settled());
        rig.sink.expectFresh(model.levels);
        EXPECT_EQ(rig.streamer->stats().shown + rig.streamer->stats().empty, model.levels.size());
        EXPECT_GT(stale, 10u);
        EXPECT_GT(rig.sink.drops, 10u);
    }
}

TEST(VoxelStreamerThreads, V20_TheResultDoesNotDependOnTheNumberOfWorkers) {
    std::map<ChunkCoord, rig::CheckingSink::Shown> first;
    for (const std::uint32_t threads : {1u, 3u}) {
        voxel::Grid grid = rig::hills(3);
        rig::CheckingSink sink(grid);
        sink.checking = false;
        ThreadMeshExecutor executor(threads);
        VoxelStreamer streamer =
            std::move(VoxelStreamer::create(rig::smallOptions(), executor, sink)).value();
        Play play(77);
        for (int step = 0; step < 100; ++step) {
            play.step(grid, 0.2);
            ASSERT_TRUE(streamer.update(grid, play.camera, play.draw).ok());
        }
        while (!streamer.settled()) {
            ASSERT_TRUE(streamer.update(grid, play.camera, play.draw).ok());
            std::this_thread::yield();
        }
        if (threads == 1) {
            first = sink.shown;
            continue;
        }
        ASSERT_EQ(sink.shown.size(), first.size());
        for (const auto& [chunk, entry] : sink.shown) {
            const auto other = first.find(chunk);
            ASSERT_NE(other, first.end());
            EXPECT_EQ(entry.level, other->second.level);
            EXPECT_EQ(entry.solid.vertices, other->second.solid.vertices);
            EXPECT_EQ(entry.water.vertices, other->second.water.vertices);
        }
    }
}

}  // namespace
}  // namespace karst::voxel_stream
