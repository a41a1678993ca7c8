// Node cut and node mesh writers: one core. Compare with the plain copy of the same bytes in the same run.
#include <benchmark/benchmark.h>
#include <karst/heightfield_mesh/node_mesh.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace {

using namespace karst;
using namespace karst::heightfield;

GroundShape shape16k() {
    return {Rect{0, 0, 16384, 16384}, 16384, 16384, HeightRange{0, 2000}};
}

// A camera that flies low over the middle of the ground and never comes back to a place.
WorldPosition flight(int step, double extent, double height) {
    const double angle = step * 0.0137;
    return {extent * (0.5 + 0.2 * std::cos(angle)), height, extent * (0.5 + 0.2 * std::sin(angle * 1.3))};
}

void cut16k(benchmark::State& state) {
    NodeCutOptions options;
    options.maxNodes = 1024;
    auto cut = NodeCut::create(shape16k(), options);
    int step = 0;
    std::size_t nodes = 0;
    for (auto _ : state) {
        nodes += cut->select(flight(step++, 16384, 1800)).size();
        benchmark::DoNotOptimize(nodes);
    }
    state.counters["nodes"] = double(nodes) / double(step);
}
BENCHMARK(cut16k)->Unit(benchmark::kMicrosecond);

// A pool too small for the view: the cut lowers its split distance until it fits.
void cut16kOverBudget(benchmark::State& state) {
    NodeCutOptions options;
    options.maxNodes = 300;
    auto cut = NodeCut::create(shape16k(), options);
    int step = 0;
    std::size_t nodes = 0;
    for (auto _ : state) {
        nodes += cut->select(flight(step++, 16384, 1800)).size();
        benchmark::DoNotOptimize(nodes);
    }
    state.counters["nodes"] = double(nodes) / double(step);
}
BENCHMARK(cut16kOverBudget)->Unit(benchmark::kMicrosecond);

HeightRaster raster4k() {
    const int side = 4096;
    Vector<float> heights(std::size_t(side) * side);
    for (int z = 0; z < side; ++z) {
        for (int x = 0; x < side; ++x) {
            heights[std::size_t(z) * side + std::size_t(x)] =
                float(300 * std::sin(x * 0.003) * std::cos(z * 0.004) + 20 * std::sin(x * 0.11 + z * 0.07));
        }
    }
    HeightRasterDesc desc;
    desc.columns = desc.rows = side;
    desc.rect = rectOfSamples(0, 0, side, side, 1, 1);
    return *HeightRaster::create(desc, std::move(heights));
}

void updateNothingNew(benchmark::State& state) {
    const HeightRaster raster = raster4k();
    auto pool = NodePool::create(raster, {});
    const WorldPosition camera = flight(1, 4096, 400);
    (void)pool->update(raster, camera);
    for (auto _ : state) {
        auto update = pool->update(raster, camera);
        benchmark::DoNotOptimize(update->changed);
    }
}
BENCHMARK(updateNothingNew)->Unit(benchmark::kNanosecond);

void updateMoving(benchmark::State& state) {
    const HeightRaster raster = raster4k();
    auto pool = NodePool::create(raster, {});
    int step = 0;
    std::size_t remeshed = 0, nodes = 0;
    for (auto _ : state) {
        auto update = pool->update(raster, flight(step++, 4096, 400));
        remeshed += update->remeshedSlots.size();
        nodes += update->nodeCount;
    }
    state.counters["remeshed"] = double(remeshed) / double(step);
    state.counters["nodes"] = double(nodes) / double(step);
}
BENCHMARK(updateMoving)->Unit(benchmark::kMicrosecond);

// Every vertex of a whole cut, as after a cut to a new place; the camera moves each time, so that caches are
// not flattered.
void writeVertices(benchmark::State& state, const VertexLayout& layout, double height) {
    const HeightRaster raster = raster4k();
    auto pool = NodePool::create(raster, {});
    std::vector<std::uint32_t> memory(pool->vertexCapacity() * layout.strideWords);
    std::vector<std::uint32_t> slots;
    int step = 0;
    std::size_t vertices = 0;
    for (auto _ : state) {
        state.PauseTiming();
        (void)pool->update(raster, flight(step++ * 31, 4096, height));
        slots.assign(pool->slotOrder().begin(), pool->slotOrder().end());
        state.ResumeTiming();
        writeNodeVertices(*pool, raster, layout, slots, memory, inlineJobSystem());
        vertices += slots.size() * pool->verticesPerSlot();
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(std::int64_t(vertices));
    state.counters["nodes"] = double(vertices) / pool->verticesPerSlot() / step;
}
BENCHMARK_CAPTURE(writeVertices, compact, VertexLayout::compact(), 400)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(writeVertices, positionNormal, VertexLayout::positionNormal(), 400)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(writeVertices, engine23, VertexLayout::engine23(), 400)->Unit(benchmark::kMillisecond);

// The reference: the bytes of as many compact vertices, copied.
void copyVertices(benchmark::State& state) {
    const std::size_t words = std::size_t(400) * 33 * 33 * 4;
    std::vector<std::uint32_t> from(words, 1), to(words);
    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), words * 4);
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(std::int64_t(state.iterations()) * std::int64_t(words / 4));
}
BENCHMARK(copyVertices)->Unit(benchmark::kMillisecond);

void writeIndices(benchmark::State& state) {
    const HeightRaster raster = raster4k();
    auto pool = NodePool::create(raster, {});
    (void)pool->update(raster, flight(1, 4096, 400));
    std::vector<std::uint32_t> memory(pool->indexCapacity());
    std::vector<std::uint32_t> runs;
    for (std::uint32_t r = 0; r < pool->nodeCount(); ++r)
        runs.push_back(r);
    for (auto _ : state) {
        writeNodeIndices(*pool, raster, runs, memory, inlineJobSystem());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(std::int64_t(state.iterations()) *
                            std::int64_t(runs.size() * pool->indicesPerRun() / 3));
}
BENCHMARK(writeIndices)->Unit(benchmark::kMillisecond);

}  // namespace
