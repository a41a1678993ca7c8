// Karst on the host's threads: oneTBB behind karst::JobSystem. Results do not depend on who does the work, so
// the surfaces are the same to the bit as those made on one thread.
#include <karst/base/job_system.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <cstdio>
#include <vector>

using namespace karst;

class TbbJobSystem final : public JobSystem {
  public:
    std::uint32_t workerCount() const override {
        return static_cast<std::uint32_t>(tbb::this_task_arena::max_concurrency());
    }
    void parallelFor(std::size_t count, std::size_t grain,
                     FunctionRef<void(std::size_t begin, std::size_t end)> body) override {
        // simple_partitioner: no range is longer than the grain. Isolated: a thread that waits here takes up
        // no other work of the host's meanwhile.
        tbb::this_task_arena::isolate([&] {
            tbb::parallel_for(
                tbb::blocked_range<std::size_t>(0, count, grain),
                [&](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); },
                tbb::simple_partitioner());
        });
    }
};

int main() {
    TbbJobSystem tbbJobs;
    auto grid = voxel::Grid::create({}, {.jobs = &tbbJobs});  // the grid's own parallel work runs there too
    if (!grid) return std::puts(grid.error().message.c_str()), 1;
    const double cell = grid->placement().cellSize;
    for (int i = 0; i < 30; ++i) {
        const WorldPosition center{((i * 37) % 128 - 64) * cell, ((i * 11) % 40 - 20) * cell,
                                   ((i * 53) % 128 - 64) * cell};
        auto done = voxel::fillBall(*grid, center, 20 * cell, static_cast<voxel::MaterialId>(2 + i % 5));
        if (!done) return std::puts(done.error().message.c_str()), 1;
    }

    const voxel::GridSnapshot snapshot = grid->snapshot();
    std::vector<voxel::ChunkCoord> chunks;
    snapshot.forEachChunk([&](voxel::ChunkCoord chunk, const voxel::Chunk&) { chunks.push_back(chunk); });
    const auto timed = [&](JobSystem& jobs, double& milliseconds) {
        const auto start = std::chrono::steady_clock::now();
        auto surfaces = voxel_mesh::buildSurfaces(snapshot, chunks, 0, jobs);
        milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        return surfaces;
    };
    double onOne = 0, onTbb = 0;
    const auto one = timed(inlineJobSystem(), onOne);
    const auto many = timed(tbbJobs, onTbb);

    std::size_t triangles = 0;
    bool same = one.size() == many.size();
    for (std::size_t i = 0; same && i < one.size(); ++i) {
        triangles += one[i].indices.size() / 3;
        same = one[i].vertices == many[i].vertices && one[i].indices == many[i].indices;
    }
    std::printf("%zu chunks, %zu triangles: %.1f ms on this thread, %.1f ms on oneTBB's %u\n", chunks.size(),
                triangles, onOne, onTbb, tbbJobs.workerCount());
    std::printf("the surfaces are %s\n", same ? "the same to the bit" : "NOT THE SAME");
    return same && triangles > 0 ? 0 : 1;
}
