#pragma once

#include <benchmark/benchmark.h>
#include <karst/render/node_mesh_buffers.h>

#include <cstdint>
#include <span>

#include "gpu_target.h"

namespace karst::bench {

/// Triangles in clip space on the GPU: the floor that a pass is compared with.
struct FloorMesh {
    render::NodeMeshBuffers buffers;
    std::uint32_t indices = 0;
};

/// `clip`: four numbers a vertex.
FloorMesh makeFloor(std::span<const float> clip, std::span<const std::uint32_t> indices);

/// Times `record`, many times in one submission so that the GPU's clocks are up, after `before`.
void timeRepeated(benchmark::State& state, GpuClock& clock, FunctionRef<Result<void>(VkCommandBuffer)> before,
                  FunctionRef<Result<void>(VkCommandBuffer)> record);
void timeRepeated(benchmark::State& state, GpuClock& clock,
                  FunctionRef<Result<void>(VkCommandBuffer)> record);

/// The floor of depth alone, and of one flat colour over a depth that is there.
void timeFloorDepth(benchmark::State& state, GpuTarget& target, GpuClock& clock, const FloorMesh& floor);
void timeFloorLit(benchmark::State& state, GpuTarget& target, GpuClock& clock, const FloorMesh& floor);

}  // namespace karst::bench
