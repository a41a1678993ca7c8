// The voxel grid: one core. The large world is a plane of 100,000 chunks, each with a record of its own; 400
// of them, spread over the plane, are mixed ground and take the edits.
#include <benchmark/benchmark.h>
#include <karst/voxel/grid.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace {

using namespace karst;
using namespace karst::voxel;

constexpr Cell kRock{4, 255};
constexpr int kSide = 317;
constexpr int kChunks = 100000;

ChunkRef groundChunk(int kind) {
    std::vector<Cell> cells(kChunkCellCount);
    for (int y = 0; y < kChunkSize; ++y) {
        for (int z = 0; z < kChunkSize; ++z) {
            for (int x = 0; x < kChunkSize; ++x) {
                const double height = 16 + 6 * std::sin((x + kind) * 0.2) * std::cos(z * 0.2);
                const double part = std::clamp(height - y, 0.0, 1.0);
                const auto material = static_cast<MaterialId>(height - y < 2 ? 2 : 4);
                cells[std::size_t(cellIndex(x, y, z))] =
                    canonical({material, static_cast<std::uint8_t>(std::lround(part * 255))});
            }
        }
    }
    return Chunk::make(cells, heapAllocator());
}

// The n-th chunk that takes edits, over and over.
ChunkCoord chunkAt(std::uint32_t n) {
    const auto i = static_cast<std::int32_t>(n * 173 % 400);
    return {i % 20 * 15 - 150, 0, i / 20 * 15 - 150};
}

Grid largeWorld() {
    Grid grid = Grid::create({}).value();
    std::vector<ChunkReplacement> chunks;
    for (int n = 0; n < kChunks; ++n) {
        const Cell cell{static_cast<MaterialId>(2 + n % 8), static_cast<std::uint8_t>(1 + n % 255)};
        chunks.push_back({{n % kSide - 150, 0, n / kSide - 150}, Chunk::makeUniform(cell, heapAllocator())});
    }
    grid.replaceChunks(chunks).value();
    chunks.clear();
    for (std::uint32_t n = 0; n < 400; ++n)
        chunks.push_back({chunkAt(n), groundChunk(static_cast<int>(n))});
    grid.replaceChunks(chunks).value();
    return grid;
}

CellCoord cellAt(std::uint32_t n) {
    const CellCoord first = firstCell(chunkAt(n));
    return {first.x + static_cast<std::int32_t>(n * 13 % 32), first.y + 24,
            first.z + static_cast<std::int32_t>(n * 29 % 32)};
}

void snapshotOf100000(benchmark::State& state) {
    const Grid grid = largeWorld();
    for (auto _ : state) {
        const GridSnapshot snapshot = grid.snapshot();
        benchmark::DoNotOptimize(snapshot.chunkCount());
    }
}
BENCHMARK(snapshotOf100000)->Unit(benchmark::kMicrosecond);

// What the n-th edit writes: never what is there.
Cell inkOf(std::uint32_t n) {
    return {4, static_cast<std::uint8_t>(1 + n / 400 % 2 + n % 128)};
}

// One cell of a mixed chunk, right after a snapshot of 100,000: a shard's records and one
// chunk are copied. The last snapshot is dropped within.
void firstEditAfterSnapshot(benchmark::State& state) {
    Grid grid = largeWorld();
    std::uint32_t n = 0;
    GridSnapshot snapshot;
    for (auto _ : state) {
        state.PauseTiming();
        snapshot = GridSnapshot();
        snapshot = grid.snapshot();
        ++n;
        state.ResumeTiming();
        benchmark::DoNotOptimize(grid.setCell(cellAt(n), inkOf(n)).ok());
    }
}
BENCHMARK(firstEditAfterSnapshot)->Unit(benchmark::kMicrosecond);

void snapshotThenEdit(benchmark::State& state) {
    Grid grid = largeWorld();
    std::uint32_t n = 0;
    GridSnapshot snapshot;
    for (auto _ : state) {
        snapshot = grid.snapshot();
        ++n;
        benchmark::DoNotOptimize(grid.setCell(cellAt(n), inkOf(n)).ok());
    }
}
BENCHMARK(snapshotThenEdit)->Unit(benchmark::kMicrosecond);

void setCellInOneChunk(benchmark::State& state) {
    Grid grid = Grid::create({}).value();
    const std::vector<ChunkReplacement> chunk{{{0, 0, 0}, groundChunk(1)}};
    grid.replaceChunks(chunk).value();
    std::uint32_t n = 0;
    for (auto _ : state) {
        ++n;
        const CellCoord c{static_cast<std::int32_t>(n * 13 % 32), static_cast<std::int32_t>(n % 30),
                          static_cast<std::int32_t>(n * 29 % 32)};
        benchmark::DoNotOptimize(grid.setCell(c, {4, static_cast<std::uint8_t>(1 + n % 255)}).ok());
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(setCellInOneChunk);

void readCell(benchmark::State& state) {
    const Grid grid = largeWorld();
    std::uint32_t n = 0;
    for (auto _ : state) {
        ++n;
        benchmark::DoNotOptimize(grid.cell(cellAt(n)));
    }
}
BENCHMARK(readCell);

void changesOf10In100000(benchmark::State& state) {
    Grid grid = largeWorld();
    const Revision before = grid.revision();
    for (std::uint32_t n = 0; n < 10; ++n)
        grid.setCell(cellAt(n * 977), {4, 77}).value();
    for (auto _ : state)
        benchmark::DoNotOptimize(grid.changesSince(grid.generation(), before).changed.size());
}
BENCHMARK(changesOf10In100000)->Unit(benchmark::kMicrosecond);

void selectiveSnapshot(benchmark::State& state) {
    const Grid grid = largeWorld();
    std::vector<ChunkCoord> chosen;
    for (std::int32_t i = 0; i < state.range(0); ++i)
        chosen.push_back(chunkAt(static_cast<std::uint32_t>(i)));
    for (auto _ : state)
        benchmark::DoNotOptimize(grid.snapshot(chosen).chunkCount());
}
BENCHMARK(selectiveSnapshot)->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);

void fillBlock(const EditBlock& block, Cell cell) {
    for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
        for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z) {
            Cell* row = block.row(y, z);
            std::fill(row, row + (block.box.max.x - block.box.min.x), cell);
        }
    }
}

// A cube of `range` cells an axis in mixed ground, rock and sand in turn.
void fillBox(benchmark::State& state) {
    Grid grid = Grid::create({}).value();
    std::vector<ChunkReplacement> chunks;
    for (int i = 0; i < 8 * 8 * 8; ++i)
        chunks.push_back({{i % 8, i / 64, i / 8 % 8}, groundChunk(i)});
    grid.replaceChunks(chunks).value();
    chunks.clear();
    const auto side = static_cast<std::int32_t>(state.range(0));
    const CellBox box{{27, 29, 25}, {27 + side, 29 + side, 25 + side}};
    bool sand = false;
    for (auto _ : state) {
        sand = !sand;
        const Cell cell = sand ? Cell{5, 200} : kRock;
        benchmark::DoNotOptimize(
            grid.edit(box, [&](const EditBlock& block) { fillBlock(block, cell); }).ok());
    }
    state.SetItemsProcessed(state.iterations() * box.cellCount());
}
BENCHMARK(fillBox)->Arg(4)->Arg(17)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

// The same with cells of many occupancies, so that no chunk becomes one record.
void editNoisyBox(benchmark::State& state) {
    Grid grid = Grid::create({}).value();
    const auto side = static_cast<std::int32_t>(state.range(0));
    const CellBox box{{27, 29, 25}, {27 + side, 29 + side, 25 + side}};
    std::uint32_t n = 0;
    for (auto _ : state) {
        ++n;
        benchmark::DoNotOptimize(
            grid.edit(box,
                      [&](const EditBlock& block) {
                          for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
                              for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z) {
                                  Cell* row = block.row(y, z);
                                  for (std::int32_t i = 0; i < block.box.max.x - block.box.min.x; ++i)
                                      row[i] = {4, static_cast<std::uint8_t>(1 + (i * 7 + y + n) % 128)};
                              }
                          }
                      })
                .ok());
    }
    state.SetItemsProcessed(state.iterations() * box.cellCount());
}
BENCHMARK(editNoisyBox)->Arg(17)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

}  // namespace
