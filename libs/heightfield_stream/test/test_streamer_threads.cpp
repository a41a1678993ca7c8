// Snapshots read from other threads while the streamer publishes: for the thread sanitizer (spec row H10).
#include "scripted_source.h"

#include <karst/base/thread_pool.h>
#include <karst_test/test_support.h>

#include <thread>

namespace karst::heightfield {
namespace {

using scripted::Rig;

TEST(StreamerThreads, H10_SnapshotsAreReadWhileItPublishes) {
    ThreadPool pool(2);
    Rig rig(scripted::smallLayout(6));
    rig.externals.jobs = &pool;
    rig.script->latency = 1;
    rig.options.maximumResidentTiles = 150;
    rig.options.maximumSynthesesPerUpdate = 16;
    rig.options.detailLevels = 1;
    rig.options.resolver = *makeDetailResolver(rig.script->layout, TileDetailOptions{});
    rig.startWalking(0.7);

    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> walks{0};
    std::vector<std::thread> readers;
    std::vector<std::string> complaints(2);
    for (std::size_t reader = 0; reader < 2; ++reader) {
        readers.emplace_back([&, reader] {
            std::uint64_t revision = 0;
            while (!stop) {
                const Surface surface = rig.streamer->surface();
                if (surface.revision() < revision) complaints[reader] = "revision fell";
                revision = surface.revision();
                double sum = 0;
                for (const TilePtr& tile : surface.tiles()) {
                    for (const float sample : tile->samples)
                        sum += sample;
                    const TileKey parent = tile->key.parent();
                    if (tile->key.level < 5 && surface.find(parent) == nullptr)
                        complaints[reader] = "a tile without its parent";
                }
                if (!std::isfinite(sum)) complaints[reader] = "not finite";
                ++walks;
            }
        });
    }
    std::uint64_t published = 0;
    for (int i = 0; i < 600; ++i) {
        if (i % 50 == 0) {
            EXPECT_TRUE(rig.streamer->addCrater({double(i % 128), 20, 1, 1, 0}).ok());
        }
        published +=
            rig.update({scripted::viewAt((i * 0.7) - 100, 20), CollisionInterest{i * 0.2, 100, 5}}).published;
    }
    // The last snapshot lives on with the readers when the streamer is told to go.
    while (walks < 20)
        std::this_thread::yield();
    stop = true;
    for (std::thread& reader : readers)
        reader.join();
    EXPECT_GT(published, 100u);
    for (const std::string& complaint : complaints)
        EXPECT_EQ(complaint, "");
}

}  // namespace
}  // namespace karst::heightfield
