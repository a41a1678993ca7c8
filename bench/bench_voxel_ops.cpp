// Edit operations and rays of the voxel grid, one core. Balls are filled and dug in turn at places that move
// by fractions of a cell, in ground whose chunks are all mixed and shared with nobody, so that every call
// changes cells.
#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/voxel/brushes.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>
#include <karst/voxel/occupancy_ray.h>
#include <karst/voxel/voxel_arrays.h>

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

void cylinder(benchmark::State& state) {
    Grid grid = makeGround(192);
    const double cell = grid.placement().cellSize;
    const Pose pose{{3, 5, 7}, Rotation::fromQuaternion(0.3, 0.2, 0.5, 1).value()};
    int i = 0;
    for (auto _ : state) {
        if (!fillCylinder(grid, pose, 32 * cell, 8 * cell, i++ % 2 ? kAir : kRock)) std::abort();
    }
}
BENCHMARK(cylinder)->Unit(benchmark::kMicrosecond);

void block(benchmark::State& state) {
    Grid grid = makeGround(192);
    const double cell = grid.placement().cellSize;
    const Pose pose{{3, 5, 7}, Rotation::fromQuaternion(0.3, 0.2, 0.5, 1).value()};
    int i = 0;
    for (auto _ : state) {
        if (!fillBlock(grid, pose, Vec3d{32, 16, 24} * cell, i++ % 2 ? kAir : kRock)) std::abort();
    }
}
BENCHMARK(block)->Unit(benchmark::kMicrosecond);

void smoothBrush(benchmark::State& state) {
    Grid grid = makeGround(192);
    const double cell = grid.placement().cellSize;
    const Brush brush{{0, 0, 0}, 8 * cell, 0.5};
    int i = 0;
    for (auto _ : state) {
        if (!(i++ % 2 ? brushGrow(grid, brush) : brushSmooth(grid, brush))) std::abort();
    }
}
BENCHMARK(smoothBrush)->Unit(benchmark::kMicrosecond);

void readWriteArrays(benchmark::State& state) {
    Grid grid = makeGround(192);
    const CellBox box{{-64, -64, -64}, {64, 64, 64}};
    for (auto _ : state) {
        const auto arrays = readVoxels(grid, box);
        if (!arrays || !writeVoxels(grid, box, arrays->materials, arrays->occupancies)) std::abort();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * box.cellCount());
}
BENCHMARK(readWriteArrays)->Unit(benchmark::kMillisecond);

double unitOf(std::uint64_t k) {
    return static_cast<double>(mix64(k) >> 11) * 0x1p-53;
}

/// Rays over 192 x 192 cells of hills: from above at a slant, and nearly level just over the ground.
void ray(benchmark::State& state, double fromY, double toY, double spread) {
    const Grid grid = makeGround(192);
    const double cell = grid.placement().cellSize;
    const GridSnapshot snapshot = grid.snapshot();
    std::uint64_t k = 0;
    std::int64_t hits = 0;
    double cells = 0;
    for (auto _ : state) {
        const WorldPosition from{cell * 180 * (unitOf(k) - 0.5), cell * fromY,
                                 cell * 180 * (unitOf(k + 1) - 0.5)};
        const Vec3d way{cell * spread * (unitOf(k + 2) - 0.5), cell * (toY - fromY),
                        cell * spread * (unitOf(k + 3) - 0.5)};
        k += 4;
        const auto hit = castOccupancyRay(snapshot, from, way, length(way));
        if (!hit) std::abort();
        hits += hit->has_value() ? 1 : 0;
        cells += (hit->has_value() ? (*hit)->distance : length(way)) / cell;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
    state.counters["hit"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
    state.counters["cells"] = cells / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(ray, slanted, 60, -40, 120);
BENCHMARK_CAPTURE(ray, level, 9, 0, 300);

void sample(benchmark::State& state) {
    const Grid grid = makeGround(192);
    const GridSnapshot snapshot = grid.snapshot();
    std::uint64_t k = 0;
    double sum = 0;
    for (auto _ : state) {
        const WorldPosition p{700 * (unitOf(k) - 0.5), 60 * (unitOf(k + 1) - 0.5),
                              700 * (unitOf(k + 2) - 0.5)};
        k += 3;
        sum += solidFractionAt(snapshot, p).value();
    }
    benchmark::DoNotOptimize(sum);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(sample);

}  // namespace
