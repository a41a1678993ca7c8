// Residency and background meshing at a draw distance of 3 km over hills, in cells of 4 units: an update with
// nothing to do, a scan with nothing to do, and how fast one can fly (spec rows V16 to V23). A unit is a
// metre.

#include <benchmark/benchmark.h>
#include <karst/voxel_stream/thread_mesh_executor.h>
#include <karst/voxel_stream/voxel_streamer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "voxel_hills.h"

namespace {

using namespace karst;
using namespace karst::voxel_stream;

constexpr double kDraw = 3000;

class CountingSink final : public MeshSink {
  public:
    void show(voxel::ChunkCoord, int, const voxel_mesh::SurfaceMesh*, const voxel_mesh::WaterMesh*) override {
        ++shows;
    }
    void drop(voxel::ChunkCoord) override {}
    std::int64_t shows = 0;
};

struct World {
    World() : streamer(std::move(VoxelStreamer::create({}, executor, sink)).value()) {}

    StreamUpdate update(WorldPosition camera) { return streamer.update(grid, camera, kDraw).value(); }
    void settle(WorldPosition camera) {
        for (update(camera); !streamer.settled(); update(camera))
            std::this_thread::yield();
    }

    voxel::Grid grid = bench::hills();
    CountingSink sink;
    ThreadMeshExecutor executor{2};
    VoxelStreamer streamer;
};

void count(benchmark::State& state, const World& world) {
    const StreamStats stats = world.streamer.stats();
    state.counters["shown"] = static_cast<double>(stats.shown);
    state.counters["MiB_shown"] = static_cast<double>(stats.shownBytes) / (1 << 20);
    state.counters["candidates"] = static_cast<double>(stats.candidates);
}

/// The first updates over a world of 14,336 chunks, until it is taken in. None of the meshing, which nobody
/// does.
void firstUpdates(benchmark::State& state) {
    struct Nobody final : MeshExecutor {
        std::uint32_t freeSlots() override { return 0; }
        void start(std::shared_ptr<MeshBatch>) override {}
    } nobody;
    const voxel::Grid grid = bench::hills();
    CountingSink sink;
    constexpr int kUpdates = 14336 / 512;
    std::vector<double> times;
    for (auto _ : state) {
        VoxelStreamer streamer = std::move(VoxelStreamer::create({}, nobody, sink)).value();
        for (int i = 0; i < kUpdates; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            benchmark::DoNotOptimize(streamer.update(grid, {0, 100, 0}, kDraw).value());
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
            times.push_back(took.count());
        }
    }
    std::sort(times.begin(), times.end());
    state.counters["median_ms"] = times[times.size() / 2];
    state.counters["p95_ms"] = times[times.size() * 95 / 100];
}
BENCHMARK(firstUpdates)->Unit(benchmark::kMillisecond);

void nothingToDo(benchmark::State& state) {
    World world;
    world.settle({0, 100, 0});
    for (auto _ : state)
        benchmark::DoNotOptimize(world.update({0, 100, 0}));
    count(state, world);
}
BENCHMARK(nothingToDo)->Unit(benchmark::kMicrosecond);

/// Each update scans: the camera goes 8 units to and fro.
void scanWithNothingToDo(benchmark::State& state) {
    World world;
    for (const double x : {0.0, 8.0, 0.0, 8.0})
        world.settle({x, 100, 0});
    double x = 0;
    std::int64_t scans = 0, work = 0;
    for (auto _ : state) {
        const StreamUpdate done = world.update({x, 100, 0});
        x = 8 - x;
        scans += done.scanned ? 1 : 0;
        work += done.transitions + done.started;
    }
    state.counters["scans_share"] = static_cast<double>(scans) / static_cast<double>(state.iterations());
    state.counters["work"] = static_cast<double>(work);
    count(state, world);
}
BENCHMARK(scanWithNothingToDo)->Unit(benchmark::kMicrosecond);

/// An edit of a ball in the middle of a chunk next to the camera, from the cells to the sink.
void editToSink(benchmark::State& state) {
    World world;
    world.settle({0, 100, 0});
    std::uint8_t occupancy = 1;
    for (auto _ : state) {
        const auto done = world.grid.edit({{12, -4, 12}, {20, 4, 20}}, [&](const voxel::EditBlock& block) {
            for (int y = block.box.min.y; y < block.box.max.y; ++y) {
                for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                    for (int i = 0; i < 8; ++i)
                        block.row(y, z)[i] = {4, occupancy};
                }
            }
        });
        benchmark::DoNotOptimize(done);
        occupancy = static_cast<std::uint8_t>(occupancy % 255 + 1);
        world.settle({0, 100, 0});
    }
    count(state, world);
}
BENCHMARK(editToSink)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Straight flight, every step of 5 m settled before the next: how many metres a second the workers keep up
/// with.
void flight(benchmark::State& state) {
    World world;
    double x = 0;
    world.settle({x, 100, 0});
    const std::int64_t before = world.sink.shows;
    double longest = 0;
    for (auto _ : state) {
        x += 5;
        do {
            const auto begin = std::chrono::steady_clock::now();
            world.update({x, 100, 0});
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
            longest = std::max(longest, took.count());
            std::this_thread::yield();
        } while (!world.streamer.settled());
    }
    state.counters["m_a_s"] = benchmark::Counter(x, benchmark::Counter::kIsRate);
    state.counters["meshes_a_km"] = static_cast<double>(world.sink.shows - before) / x * 1000;
    state.counters["longest_update_ms"] = longest;
    count(state, world);
}
BENCHMARK(flight)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(800);

/// Flight at 100 m/s in real time, 60 updates a second, for 10 seconds: how far the work falls behind.
void flightInRealTime(benchmark::State& state) {
    World world;
    world.settle({0, 100, 0});
    std::size_t most = 0, unsettled = 0, frames = 0, longest = 0, behind = 0;
    for (auto _ : state) {
        const auto begin = std::chrono::steady_clock::now();
        for (int frame = 1; frame <= 600; ++frame) {
            std::this_thread::sleep_until(begin + std::chrono::microseconds(16667 * frame));
            world.update({frame / 0.6, 100, 0});
            const StreamStats stats = world.streamer.stats();
            most = std::max(most, stats.queued + stats.underWay);
            behind = stats.settled ? 0 : behind + 1;
            longest = std::max(longest, behind);
            unsettled += stats.settled ? 0 : 1;
            ++frames;
        }
    }
    state.counters["most_pending"] = static_cast<double>(most);
    state.counters["frames_unsettled_share"] = static_cast<double>(unsettled) / static_cast<double>(frames);
    // A chunk is asked for 128 m before it may be seen: 77 frames.
    state.counters["frames_behind_at_most"] = static_cast<double>(longest);
    count(state, world);
}
BENCHMARK(flightInRealTime)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

}  // namespace
