// Edit operations and rays of the voxel grid, one core. Balls are filled and dug in turn at places that move
// by fractions of a cell, in ground whose chunks are all mixed and shared with nobody, so that every call
// changes cells.
#include <benchmark/benchmark.h>
#include <karst/voxel/fill_shapes.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace karst;
using namespace karst::voxel;

constexpr MaterialId kRock = 4, kGrass = 2;

/// Hills with caves, `size` cells a side around the origin.
Grid makeGround(std::int32_t size) {
    Grid grid = Grid::create({}).value();
    const std::int32_t half = size / 2;
    const auto edited = grid.edit({{-half, -half, -half}, {half, half, half}}, [](const EditBlock& block) {
        const CellBox& b = block.box;
        for (std::int32_t y = b.min.y; y < b.max.y; ++y) {
            for (std::int32_t z = b.min.z; z < b.max.z; ++z) {
                for (std::int32_t x = b.min.x; x < b.max.x; ++x) {
                    const double ground = 6 * std::sin(0.07 * x) * std::cos(0.05 * z) - y;
                    const double cave =
                        8 * (std::sin(0.21 * x) + std::sin(0.17 * y) + std::sin(0.19 * z) + 1.2);
                    const double d = std::fmin(ground, cave);
                    const double share = std::fmin(std::fmax(0.5 + 0.5 * d, 0.0), 1.0);
                    block.at({x, y, z}) = {ground < 3 ? kGrass : kRock,
                                           static_cast<std::uint8_t>(share * 255 + 0.5)};
                }
            }
        }
    });
    if (!edited) std::abort();
    return grid;
}

void ball(benchmark::State& state, double radius) {
    Grid grid = makeGround(192);
    const double cell = grid.placement().cellSize;
    int i = 0;
    std::int64_t changed = 0;
    for (auto _ : state) {
        // Twelve places; each is filled, then dug.
        const int k = i / 2 % 12;
        const WorldPosition p{cell * (0.37 * k - 1.9), cell * (1.13 * k - 6.2), cell * (2.71 * k - 14.3)};
        const auto edited = fillBall(grid, p, cell * radius, i % 2 ? kAir : kRock);
        if (!edited || edited->changedCells == 0) std::abort();
        changed += edited->changedCells;
        ++i;
    }
    state.counters["changed cells"] = static_cast<double>(changed) / static_cast<double>(i);
}
BENCHMARK_CAPTURE(ball, radius_8, 8.0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ball, radius_64, 64.0)->Unit(benchmark::kMillisecond);

}  // namespace
