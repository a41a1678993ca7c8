#include "gpu_floor.h"

namespace karst::bench {

FloorMesh makeFloor(std::span<const float> clip, std::span<const std::uint32_t> indices) {
    auto buffers = orExit(render::NodeMeshBuffers::create(
        gpu().description(),
        {.vertexBytes = clip.size_bytes(), .indexBytes = indices.size_bytes(), .framesInFlight = 1}));
    orExit(buffers.uploadVertices(0, std::as_bytes(clip)));
    orExit(buffers.uploadIndices(0, std::as_bytes(indices)));
    orExit(app::submitAndWait(gpu(), [&](VkCommandBuffer commands) -> Result<void> {
        buffers.recordUploads(commands);
        return {};
    }));
    return {std::move(buffers), static_cast<std::uint32_t>(indices.size())};
}

void timeRepeated(benchmark::State& state, GpuClock& clock, FunctionRef<Result<void>(VkCommandBuffer)> before,
                  FunctionRef<Result<void>(VkCommandBuffer)> record) {
    constexpr int kRepeats = 16;
    const auto many = [&](VkCommandBuffer commands) -> Result<void> {
        for (int i = 0; i < kRepeats; ++i) {
            if (auto done = record(commands); !done) return done;
        }
        return {};
    };
    for (auto _ : state)
        state.SetIterationTime(clock.seconds(before, many) / kRepeats);
}

void timeRepeated(benchmark::State& state, GpuClock& clock,
                  FunctionRef<Result<void>(VkCommandBuffer)> record) {
    timeRepeated(
        state, clock, [](VkCommandBuffer) -> Result<void> { return {}; }, record);
}

namespace {

Result<void> draw(VkCommandBuffer commands, GpuTarget& target, const FloorPass& pass, const FloorMesh& floor,
                  bool color) {
    target.begin(commands, color, !color);
    pass.record(commands, target.area(), floor.buffers.vertexBuffer(), floor.buffers.indexBuffer(),
                floor.indices);
    target.end(commands);
    return {};
}

}  // namespace

void timeFloorDepth(benchmark::State& state, GpuTarget& target, GpuClock& clock, const FloorMesh& floor) {
    const FloorPass pass(gpu(), target, false);
    timeRepeated(state, clock,
                 [&](VkCommandBuffer commands) { return draw(commands, target, pass, floor, false); });
    state.counters["triangles"] = floor.indices / 3;
}

void timeFloorLit(benchmark::State& state, GpuTarget& target, GpuClock& clock, const FloorMesh& floor) {
    const FloorPass depth(gpu(), target, false), pass(gpu(), target, true);
    timeRepeated(
        state, clock, [&](VkCommandBuffer commands) { return draw(commands, target, depth, floor, false); },
        [&](VkCommandBuffer commands) { return draw(commands, target, pass, floor, true); });
    state.counters["triangles"] = floor.indices / 3;
}

}  // namespace karst::bench
