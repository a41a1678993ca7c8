// The node mesh written on the GPU (times are the GPU's own, by timestamps), beside a copy of as many bytes.
#include <benchmark/benchmark.h>
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst/render/node_mesh_writer.h>

#include <cmath>

#include "gpu_clock.h"

namespace {

using namespace karst;
using namespace karst::heightfield;

// In one submission, so that the GPU's clocks are up.
constexpr int kRepeats = 8;

const HeightRaster& ground() {
    static const HeightRaster raster = [] {
        constexpr int kSide = 4096;
        Vector<float> heights(std::size_t{kSide} * kSide);
        for (int z = 0; z < kSide; ++z) {
            for (int x = 0; x < kSide; ++x) {
                heights[std::size_t(z) * kSide + std::size_t(x)] = static_cast<float>(
                    300 * std::sin(x * 0.003) * std::cos(z * 0.004) + 20 * std::sin(x * 0.11 + z * 0.07));
            }
        }
        HeightRasterDesc desc;
        desc.columns = desc.rows = kSide;
        desc.rect = {0, 0, kSide, kSide};
        return bench::orExit(HeightRaster::create(desc, std::move(heights)));
    }();
    return raster;
}

// Every node of a full pool is written anew: vertices (compact) and index runs.
void writeNodes(benchmark::State& state) {
    NodeCutOptions options;
    options.maxNodes = static_cast<std::uint32_t>(state.range(0));
    options.splitDistance = static_cast<double>(state.range(1));
    auto pool = bench::orExit(NodePool::create(ground(), options));
    const render::VulkanDevice device = bench::gpu().description();
    const auto layout = VertexLayout::compact();
    auto buffers = bench::orExit(render::NodeMeshBuffers::create(
        device, {.vertexBytes = pool.vertexCapacity() * layout.strideWords * 4,
                 .indexBytes = pool.indexCapacity() * 4,
                 .framesInFlight = 1}));
    auto writer =
        bench::orExit(render::NodeMeshWriter::create(device, buffers, pool, ground(), layout, kRepeats));
    bench::GpuClock clock(bench::gpu());
    render::NodeWriteStats stats;
    std::int64_t bytes = 0;
    int step = 0;
    const auto recordOnce = [&](VkCommandBuffer commands) -> Result<void> {
        // Far apart, so that no node stays.
        pool.invalidate(ground().rect());
        auto update = pool.update(ground(), {1000.0 + 2000 * (step % 2), 320, 1000.0 + 1900 * (step % 2)});
        ++step;
        if (!update) return update.error();
        auto written = writer.record(commands, pool, ground(), *update);
        if (!written) return written.error();
        stats = *written;
        bytes += static_cast<std::int64_t>(stats.writtenBytes);
        return {};
    };
    const auto record = [&](VkCommandBuffer commands) -> Result<void> {
        for (int i = 0; i < kRepeats; ++i) {
            if (auto done = recordOnce(commands); !done) return done;
        }
        return {};
    };
    clock.seconds(recordOnce);  // uploads the heights
    bytes = 0;
    for (auto _ : state)
        state.SetIterationTime(clock.seconds(record));
    state.SetBytesProcessed(bytes);
    state.counters["nodes"] = stats.nodes;
}
BENCHMARK(writeNodes)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond)
    ->Args({512, 2})
    ->Args({4096, 6})
    ->Args({16384, 14});

// What the device copies from one buffer to another, in bytes written.
void copy(benchmark::State& state) {
    const auto bytes = static_cast<std::uint64_t>(state.range(0)) << 20;
    auto buffers = bench::orExit(render::NodeMeshBuffers::create(
        bench::gpu().description(), {.vertexBytes = bytes, .indexBytes = bytes, .framesInFlight = 1}));
    bench::GpuClock clock(bench::gpu());
    for (auto _ : state) {
        state.SetIterationTime(clock.seconds([&](VkCommandBuffer commands) -> Result<void> {
            const VkBufferCopy region{0, 0, bytes};
            for (int i = 0; i < kRepeats; ++i) {
                VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
                memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
                memory.srcAccessMask = memory.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
                VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
                info.memoryBarrierCount = 1;
                info.pMemoryBarriers = &memory;
                vkCmdPipelineBarrier2(commands, &info);
                vkCmdCopyBuffer(commands, buffers.vertexBuffer(), buffers.indexBuffer(), 1, &region);
            }
            return {};
        }));
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * kRepeats *
                            static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(copy)->UseManualTime()->Unit(benchmark::kMicrosecond)->Arg(21)->Arg(172)->Arg(688);

}  // namespace
