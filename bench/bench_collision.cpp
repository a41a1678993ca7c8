// Collision surfaces of voxel chunks: building them, and an edit from the cells to the surfaces.

#include <benchmark/benchmark.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/collision_cache.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace karst;

/// Hills as in the chunks "rot" of the voxel inputs, over 8 x 2 x 8 chunks.
voxel::Grid hills() {
    voxel::Grid grid = std::move(voxel::Grid::create({})).value();
    const auto done = grid.edit({{-128, -32, -128}, {128, 32, 128}}, [](const voxel::EditBlock& block) {
        for (int y = block.box.min.y; y < block.box.max.y; ++y) {
            for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                for (int x = block.box.min.x; x < block.box.max.x; ++x) {
                    const double height = 6 * std::sin(0.31 * x) * std::cos(0.27 * z) +
                                          2.5 * std::sin(0.13 * x + 0.71 * z) +
                                          1.1 * std::sin(0.9 * x) * std::sin(0.83 * z);
                    const double cave = std::sin(0.41 * x) + std::sin(0.37 * y) + std::sin(0.43 * z) - 1.4;
                    const double d = std::max(0.7 * (y - 4 - height), cave);
                    block.at({x, y, z}) = {
                        4, static_cast<std::uint8_t>(std::lround(255 * std::clamp(0.5 - 0.5 * d, 0.0, 1.0)))};
                }
            }
        }
    });
    (void)done;
    return grid;
}

void dig(voxel::Grid& grid, voxel::CellCoord at, int radius, voxel::Cell cell) {
    const auto done = grid.edit({{at.x - radius, at.y - radius, at.z - radius},
                                 {at.x + radius + 1, at.y + radius + 1, at.z + radius + 1}},
                                [&](const voxel::EditBlock& block) {
                                    for (int y = block.box.min.y; y < block.box.max.y; ++y) {
                                        for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                                            for (int x = block.box.min.x; x < block.box.max.x; ++x) {
                                                const int dx = x - at.x, dy = y - at.y, dz = z - at.z;
                                                if (dx * dx + dy * dy + dz * dz <= radius * radius)
                                                    block.at({x, y, z}) = cell;
                                            }
                                        }
                                    }
                                });
    (void)done;
}

void build(benchmark::State& state) {
    const voxel::Grid grid = hills();
    const voxel::GridSnapshot snapshot = grid.snapshot();
    const std::vector<voxel::ChunkCoord> chunks = voxel_mesh::meshCandidates(snapshot);
    voxel_mesh::CollisionBuilder builder;
    std::int64_t triangles = 0, built = 0;
    for (auto _ : state) {
        for (const voxel::ChunkCoord chunk : chunks) {
            if (chunk.y != 0) continue;
            const auto surface = builder.build(snapshot, chunk);
            triangles += surface ? static_cast<std::int64_t>(surface->triangles().size()) : 0;
            ++built;
        }
    }
    state.SetItemsProcessed(built);
    state.counters["triangles"] = static_cast<double>(triangles) / static_cast<double>(built);
    state.counters["us_a_chunk"] = benchmark::Counter(
        static_cast<double>(built) * 1e-6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(build)->Unit(benchmark::kMicrosecond);

void sampleField(benchmark::State& state) {
    const voxel::Grid grid = hills();
    const voxel::GridSnapshot snapshot = grid.snapshot();
    std::vector<std::uint8_t> samples(voxel_mesh::kMaxFieldSamples);
    std::int64_t built = 0;
    for (auto _ : state) {
        for (int x = -3; x < 3; ++x) {
            benchmark::DoNotOptimize(voxel_mesh::samplePaddedField(snapshot, {x, 0, x}, 0, samples));
            ++built;
        }
    }
    state.counters["us_a_chunk"] = benchmark::Counter(
        static_cast<double>(built) * 1e-6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(sampleField)->Unit(benchmark::kMicrosecond);

/// Dig and fill in turn: cells, changes, and the collision surfaces of all affected chunks.
void editToSurface(benchmark::State& state) {
    voxel::Grid grid = hills();
    voxel_mesh::CollisionCache cache;
    cache.update(grid);
    const bool corner = state.range(0) != 0;
    const voxel::CellCoord at = corner ? voxel::CellCoord{0, 0, 0} : voxel::CellCoord{16, 8, 16};
    bool solid = false;
    std::uint32_t chunks = 0;
    for (auto _ : state) {
        dig(grid, at, 6, solid ? voxel::Cell{4, 255} : voxel::Cell{});
        chunks = cache.update(grid).built;
        solid = !solid;
    }
    state.counters["chunks"] = chunks;
}
BENCHMARK(editToSurface)->Arg(0)->Arg(1)->ArgName("corner")->Unit(benchmark::kMicrosecond);

}  // namespace
