// The chunk codec on one core: chunks taken in turn, bytes of cells (64 KiB a chunk) a second, and bytes a
// chunk as coded.
#include "../libs/voxel/test/terrain_cells.h"

#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/voxel/chunk_codec.h>
#include <karst/voxel_sqlite/voxel_store.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace karst;
using namespace karst::voxel;

enum Input { kTerrain, kTerrainLayers, kRot16, kRot16Layers, kColumns, kLake, kRandom };
const char* const kNames[] = {"terrain", "terrain, layers", "rot16", "rot16, layers", "columns",
                              "lake",    "random"};

std::vector<std::vector<Cell>> makeChunks(int input) {
    std::vector<std::vector<Cell>> chunks;
    for (int k = 0; k < 16; ++k) {
        switch (input) {
            case kTerrain:
                chunks.push_back(test_data::terrainCells(k, false, false));
                break;
            case kTerrainLayers:
                chunks.push_back(test_data::terrainCells(k, false, true));
                break;
            case kRot16:
                chunks.push_back(test_data::terrainCells(k, true, false));
                break;
            case kRot16Layers:
                chunks.push_back(test_data::terrainCells(k, true, true));
                break;
            case kColumns:
                chunks.push_back(test_data::columnCells(k, 0));
                break;
            case kLake:
                chunks.push_back(test_data::columnCells(k, 14.3));
                break;
            default: {
                std::vector<Cell> cells(kChunkCellCount);
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    const std::uint64_t bits = mix64(i + static_cast<std::uint64_t>(k) * 77777);
                    cells[i] = canonical(
                        {static_cast<MaterialId>(bits % 14), static_cast<std::uint8_t>(bits >> 32)});
                }
                chunks.push_back(std::move(cells));
            }
        }
    }
    return chunks;
}

struct Case {
    std::vector<std::vector<Cell>> chunks;
    std::vector<std::vector<std::byte>> coded;
    ChunkCodecScratch scratch;

    explicit Case(benchmark::State& state) : chunks(makeChunks(static_cast<int>(state.range(0)))) {
        coded.resize(chunks.size());
        double sum = 0, most = 0;
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            encodeChunkCells(chunks[i], scratch, coded[i]);
            sum += static_cast<double>(coded[i].size());
            most = std::max(most, static_cast<double>(coded[i].size()));
        }
        state.counters["bytes/chunk"] = sum / static_cast<double>(chunks.size());
        state.counters["most"] = most;
        state.SetLabel(kNames[state.range(0)]);
    }
};

void encode(benchmark::State& state) {
    Case c(state);
    std::vector<std::byte> out;
    std::size_t i = 0;
    for (auto _ : state) {
        encodeChunkCells(c.chunks[i], c.scratch, out);
        benchmark::DoNotOptimize(out.data());
        i = (i + 1) % c.chunks.size();
    }
    state.SetBytesProcessed(state.iterations() * kChunkCellCount * 2);
}

void decode(benchmark::State& state) {
    Case c(state);
    std::vector<Cell> cells(kChunkCellCount);
    std::size_t i = 0;
    for (auto _ : state) {
        if (!decodeChunkCells(c.coded[i], 14, c.scratch, cells)) state.SkipWithError("decode failed");
        benchmark::DoNotOptimize(cells.data());
        i = (i + 1) % c.chunks.size();
    }
    state.SetBytesProcessed(state.iterations() * kChunkCellCount * 2);
}

struct World {
    static constexpr std::int32_t kSide = 10;
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("karst-bench-" + std::to_string(getpid()) + ".karst");
    Grid grid = Grid::create({}).value();
    Result<VoxelStore> store;

    explicit World(int input) : store(VoxelStore::create(path, grid.placement(), grid.materials())) {
        const auto cells = makeChunks(input);
        std::vector<ChunkReplacement> chunks;
        for (std::int32_t i = 0; i < kSide * kSide * kSide; ++i) {
            chunks.push_back(
                {{i % kSide, i / kSide % kSide, i / (kSide * kSide)},
                 Chunk::make(cells[static_cast<std::size_t>(i) % cells.size()], heapAllocator())});
        }
        if (!grid.replaceChunks(chunks) || !store || !store->save(grid)) std::abort();
    }
    ~World() { std::filesystem::remove(path); }
    // One cell of each chunk.
    void touch(int round) {
        const Cell cell{6, static_cast<std::uint8_t>(round % 200 + 1)};
        for (std::int32_t i = 0; i < kSide * kSide * kSide; ++i) {
            const CellCoord at{i % kSide * 32 + 7, i / kSide % kSide * 32 + 30, i / (kSide * kSide) * 32 + 9};
            if (!grid.setCell(at, cell)) std::abort();
        }
    }
};

void save1000(benchmark::State& state) {
    World world(static_cast<int>(state.range(0)));
    int round = 0;
    for (auto _ : state) {
        state.PauseTiming();
        world.touch(++round);
        state.ResumeTiming();
        const auto saved = world.store->save(world.grid);
        if (!saved || saved->written != 1000) state.SkipWithError("save failed");
    }
    state.counters["file bytes"] = static_cast<double>(std::filesystem::file_size(world.path));
    state.SetLabel(kNames[state.range(0)]);
}

void load1000(benchmark::State& state) {
    World world(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        if (world.store->load()->chunkCount() != 1000) state.SkipWithError("load failed");
    }
    state.SetLabel(kNames[state.range(0)]);
}

BENCHMARK(decode)->DenseRange(kTerrain, kRandom)->Unit(benchmark::kMicrosecond);
BENCHMARK(encode)->DenseRange(kTerrain, kRandom)->Unit(benchmark::kMicrosecond);
BENCHMARK(save1000)->DenseRange(kTerrain, kLake)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(load1000)->DenseRange(kTerrain, kLake)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
