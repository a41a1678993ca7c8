// Surfaces of the chunks of generated ground (hills with caves, layers of grass, ground and rock, snow on
// top, lakes; 16 x 4 x 16 chunks): reading padded fields, whole builds from a snapshot, and rays. Chunks are
// taken in turn, so that branches cannot be learned; items are chunks (those that own a surface unless said)
// or rays.

#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/surface_ray.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace karst;
using namespace karst::voxel;
using namespace karst::voxel_mesh;

constexpr int kSide = 16, kHeight = 4;

double unitOf(std::uint64_t& state) {
    state = mix64(state);
    return static_cast<double>(state >> 11) * 0x1p-53;
}

Cell groundAt(CellCoord c) {
    const double x = c.x, y = c.y, z = c.z;
    const double top = 64 + 22 * std::sin(x * 0.023 + 1) * std::cos(z * 0.019) +
                       9 * std::sin(x * 0.071 + z * 0.053) + 3 * std::sin(x * 0.19) * std::sin(z * 0.23 + 2);
    const double cave = std::sin(x * 0.11) + std::sin(y * 0.13 + x * 0.02) + std::sin(z * 0.12) - 1.7;
    const double depth = std::min(top - y, -cave * 6);
    const double value = std::clamp(depth * 0.6 + 0.5, 0.0, 1.0) * 255;
    if (value < 1) return y < 52 && top < 52 ? Cell{1, 255} : Cell{};
    const double below = top - y;
    const MaterialId material = below > 6 ? 4 : below > 2 ? 3 : top > 80 ? 6 : 2;
    return {material, static_cast<std::uint8_t>(value)};
}

struct World {
    GridSnapshot grid;
    std::vector<ChunkCoord> candidates, owners;
};

const World& world() {
    static const World made = [] {
        Grid grid = std::move(Grid::create({})).value();
        const CellBox box{{0, 0, 0}, {kSide * kChunkSize, kHeight * kChunkSize, kSide * kChunkSize}};
        (void)grid.edit(box, [](const EditBlock& block) {
            for (int y = block.box.min.y; y < block.box.max.y; ++y) {
                for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                    for (int x = block.box.min.x; x < block.box.max.x; ++x)
                        block.at({x, y, z}) = groundAt({x, y, z});
                }
            }
        });
        World out{grid.snapshot(), {}, {}};
        out.candidates = meshCandidates(out.grid);
        const std::vector<SurfaceMesh> meshes = buildSurfaces(out.grid, out.candidates, 0, inlineJobSystem());
        for (std::size_t i = 0; i < meshes.size(); ++i) {
            if (!meshes[i].empty()) out.owners.push_back(out.candidates[i]);
        }
        return out;
    }();
    return made;
}

void sampleField(benchmark::State& state) {
    const World& w = world();
    const int level = static_cast<int>(state.range(0));
    std::vector<std::uint8_t> samples(kMaxFieldSamples), materials(kMaxFieldSamples);
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            samplePaddedField(w.grid, w.owners[i++ % w.owners.size()], level, samples, materials));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sampleField)->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

void sampleWithoutMaterials(benchmark::State& state) {
    const World& w = world();
    const int level = static_cast<int>(state.range(0));
    std::vector<std::uint8_t> samples(kMaxFieldSamples);
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(samplePaddedField(w.grid, w.owners[i++ % w.owners.size()], level, samples));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sampleWithoutMaterials)->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

void sampleUniform(benchmark::State& state) {
    const World& w = world();
    std::vector<std::uint8_t> samples(kMaxFieldSamples), materials(kMaxFieldSamples);
    int i = 0;
    for (auto _ : state) {
        ++i;
        benchmark::DoNotOptimize(
            samplePaddedField(w.grid, {i & 15, kHeight + 1, i >> 4 & 15}, 0, samples, materials));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sampleUniform)->Unit(benchmark::kMicrosecond);

void buildChunk(benchmark::State& state) {
    const World& w = world();
    const int level = static_cast<int>(state.range(0));
    ChunkMesher mesher;
    SurfaceMesh mesh;
    std::size_t i = 0;
    double quads = 0;
    for (auto _ : state) {
        mesher.build(w.grid, w.owners[i++ % w.owners.size()], level, mesh);
        benchmark::DoNotOptimize(mesh.vertices.data());
        quads += static_cast<double>(mesh.indices.size()) / 6;
    }
    state.SetItemsProcessed(state.iterations());
    state.counters["quads"] = quads / static_cast<double>(state.iterations());
}
BENCHMARK(buildChunk)->DenseRange(0, 3)->Unit(benchmark::kMicrosecond);

void findCandidates(benchmark::State& state) {
    const World& w = world();
    for (auto _ : state)
        benchmark::DoNotOptimize(meshCandidates(w.grid));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(w.grid.chunkCount()));
}
BENCHMARK(findCandidates)->Unit(benchmark::kMicrosecond);

enum RayKind : std::int64_t { kVertical, kSteep, kGrazing, kCaves };

void castRays(benchmark::State& state) {
    const World& w = world();
    static const SurfaceRayCaster caster = [&] {
        SurfaceRayCaster made(w.grid);
        made.build(inlineJobSystem());
        return made;
    }();
    const double edge = w.grid.placement().cellSize, side = kSide * kChunkSize * edge,
                 top = kHeight * kChunkSize * edge;
    std::uint64_t seed = 1;
    std::vector<Ray> rays(4096);
    for (Ray& ray : rays) {
        const Vec3d from{unitOf(seed) * side, top, unitOf(seed) * side};
        const Vec3d to{unitOf(seed) * side, unitOf(seed) * top * 0.4, unitOf(seed) * side};
        switch (state.range(0)) {
            case kVertical:
                ray = {from, {0, -1, 0}};
                break;
            case kSteep: {
                const double angle = unitOf(seed) * 6.2831853, tilt = unitOf(seed) * 0.785;
                ray = {from,
                       {std::cos(angle) * std::sin(tilt), -std::cos(tilt), std::sin(angle) * std::sin(tilt)}};
                break;
            }
            case kGrazing:
                ray = {{-10, top * 0.75, from.z}, Vec3d{side, to.y, to.z} - Vec3d{-10, top * 0.75, from.z}};
                break;
            default:
                ray = {{from.x, top * unitOf(seed) * 0.4, from.z}, {}};
                ray.direction = to - ray.origin;
        }
    }
    std::size_t i = 0, hits = 0;
    for (auto _ : state) {
        const SurfaceRayHit hit = caster.cast(rays[i++ % rays.size()]);
        hits += hit.hit() ? 1u : 0u;
        benchmark::DoNotOptimize(hit.t);
    }
    state.SetItemsProcessed(state.iterations());
    state.counters["hit"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
    state.SetLabel(std::vector<const char*>{"vertical", "steep", "grazing",
                                            "caves"}[static_cast<std::size_t>(state.range(0))]);
}
BENCHMARK(castRays)->DenseRange(0, 3);

}  // namespace
