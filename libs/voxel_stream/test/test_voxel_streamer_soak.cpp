// Random flights and edits with real threads for as long as one likes: what is shown is right whenever the
// work settles, and memory stays flat. KARST_SOAK_SECONDS sets how long the slow one goes on (10).
#include "random_play.h"

#include <karst/voxel_stream/thread_mesh_executor.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#if defined(__linux__)
#include <unistd.h>
#endif

namespace karst::voxel_stream {
namespace {

using rig::Play;

/// MiB of the process that are in memory; 0 where the system does not tell.
double residentMegabytes() {
#if defined(__linux__)
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    long all = 0, resident = 0;
    const int read = std::fscanf(file, "%ld %ld", &all, &resident);
    std::fclose(file);
    return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20)
                     : 0;
#else
    return 0;
#endif
}

class Soak {
  public:
    Soak(std::uint64_t seed, std::uint32_t threads) : m_play(seed), m_executor(threads) {
        m_options = rig::smallOptions();
        m_options.transitionsPerScan = 12;
    }

    /// As many edits as make the ground one that more of them do not make rougher: it takes no more memory
    /// later.
    void digUp() {
        for (int i = 0; i < 20'000; ++i)
            m_play.edit(m_grid);
    }

    /// One streamer for `steps` frames; it goes with work under way.
    void session(int steps) {
        m_sink.shown.clear();
        m_model = rig::Model(m_options);
        m_streamer.emplace(std::move(VoxelStreamer::create(m_options, m_executor, m_sink)).value());
        std::size_t before = published;
        for (int step = 1; step <= steps; ++step) {
            m_play.step(m_grid, 0.1);
            update();
            if (step % 50 != 0) continue;
            while (!m_streamer->settled()) {
                update();
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
            m_sink.expectFresh(m_model.levels);
            EXPECT_GE(published - before, m_model.levels.size());
            const StreamStats stats = m_streamer->stats();
            EXPECT_EQ(stats.shown + stats.empty, m_model.levels.size()) << "memory follows what is kept";
            // Results that nobody waits for may still be on their way.
            EXPECT_EQ(stats.queued + stats.underWay, 0u);
            if (onSettled) onSettled();
        }
        rig::ball(m_grid, {0, 0, 0}, 30, {});
        update();
        m_streamer.reset();
    }

    std::size_t frames = 0, published = 0, stale = 0;
    std::function<void()> onSettled;

  private:
    void update() {
        m_model.update(m_grid, m_play.camera, m_play.draw);
        const StreamUpdate done = m_streamer->update(m_grid, m_play.camera, m_play.draw).value();
        published += done.published;
        stale += done.stale;
        ++frames;
    }

    StreamOptions m_options;
    Play m_play;
    voxel::Grid m_grid = rig::hills(3);
    rig::CheckingSink m_sink{m_grid};
    rig::Model m_model{m_options};
    ThreadMeshExecutor m_executor;
    std::optional<VoxelStreamer> m_streamer;
};

TEST(VoxelStreamerThreads, V20_FlightAndEditsWithWorkersOfItsOwn) {
    Soak soak(20, 2);
    soak.session(200);
}

TEST(VoxelStreamerSlowThreads, V20_FlightAndEditsForLongInFlatMemory) {
    const char* wish = std::getenv("KARST_SOAK_SECONDS");
    const double seconds = wish != nullptr ? std::atof(wish) : 10;
    Soak soak(10, 2);
    soak.digUp();
    using SteadyClock = std::chrono::steady_clock;
    const auto begin = SteadyClock::now();
    const auto gone = [&] { return std::chrono::duration<double>(SteadyClock::now() - begin).count(); };
    // Until a third of the time the allocators take what they keep; the most that was resident in the middle
    // third is what the last third is measured by.
    double middle = 0, last = 0, nextLine = 0;
    soak.onSettled = [&] {
        const double now = gone(), resident = residentMegabytes();
        if (now > seconds / 3) {
            double& most = now < seconds * 2 / 3 ? middle : last;
            most = std::max(most, resident);
        }
        if (now >= nextLine) {
            std::printf("%5.0f s: %zu frames, %zu meshes, %zu stale, %.1f MiB resident\n", now, soak.frames,
                        soak.published, soak.stale, resident);
            nextLine = now + 30;
        }
    };
    while (gone() < seconds && !HasFailure())
        soak.session(300);
    std::printf(
        "%5.0f s: %zu frames, %zu meshes, %zu stale; at most %.1f MiB resident in the middle third, "
        "%.1f in the last\n",
        gone(), soak.frames, soak.published, soak.stale, middle, last);
    // A shorter run still warms up.
    if (seconds >= 60 && middle > 0) {
        EXPECT_LE(last, 1.1 * middle + 4);
    }
}

}  // namespace
}  // namespace karst::voxel_stream
