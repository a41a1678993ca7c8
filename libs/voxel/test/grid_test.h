#pragma once

#include <gtest/gtest.h>
#include <karst/voxel/grid.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace karst::voxel::test {

using karst::test::Random;

inline constexpr Cell kWater{1, 255}, kGrass{2, 255}, kRock{4, 255}, kSand{5, 100};
inline constexpr std::size_t kArrayBytes = 65536;

inline Grid makeGrid(std::uint32_t removalLogCapacity = 65536, const Externals& externals = {}) {
    GridDefinition definition;
    definition.removalLogCapacity = removalLogCapacity;
    return Grid::create(definition, externals).value();
}

/// Counts what goes through it; arrays are allocations of a chunk's cells.
class CountingAllocator final : public Allocator {
  public:
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        ++calls;
        if (bytes == kArrayBytes) ++arrays;
        liveBytes += static_cast<std::int64_t>(bytes);
        return heapAllocator().allocate(bytes, alignment);
    }
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        liveBytes -= static_cast<std::int64_t>(bytes);
        heapAllocator().deallocate(memory, bytes, alignment);
    }
    std::atomic<int> calls{0}, arrays{0};
    std::atomic<std::int64_t> liveBytes{0};
};

template <class Visit>
void forEachCell(const CellBox& box, Visit visit) {
    for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
        for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
            for (std::int32_t x = box.min.x; x < box.max.x; ++x)
                visit(CellCoord{x, y, z});
        }
    }
}

inline Result<EditSummary> fill(Grid& grid, const CellBox& box, Cell cell) {
    return grid.edit(box, [&](const EditBlock& block) {
        forEachCell(block.box, [&](CellCoord c) { block.at(c) = cell; });
    });
}

/// Makes the chunk one of two cells, so that it has an array.
inline void makeMixed(Grid& grid, ChunkCoord chunk) {
    ASSERT_TRUE(fill(grid, chunkBox(chunk), kRock).ok());
    ASSERT_TRUE(grid.setCell(firstCell(chunk), kGrass).ok());
    ASSERT_FALSE(grid.chunk(chunk)->uniform());
}

/// A box of up to `size` cells an axis inside `within`.
inline CellBox randomBox(Random& random, const CellBox& within, int size) {
    const auto axis = [&](std::int32_t low, std::int32_t high) {
        const int extent = random.integer(1, std::min(size, high - low));
        const int first = random.integer(low, high - extent);
        return std::pair{first, first + extent};
    };
    const auto [x0, x1] = axis(within.min.x, within.max.x);
    const auto [y0, y1] = axis(within.min.y, within.max.y);
    const auto [z0, z1] = axis(within.min.z, within.max.z);
    return {{x0, y0, z0}, {x1, y1, z1}};
}

/// Every cell of 3 x 3 x 3 chunks around the origin, and all that a grid says about their edits, the simple
/// way: each edit is found by comparing all cells.
struct NaiveGrid {
    static constexpr std::int32_t kLow = -64, kSide = 96;
    static constexpr CellBox kBox{{kLow, kLow, kLow}, {kLow + kSide, kLow + kSide, kLow + kSide}};
    struct Edit {
        Revision revision;
        CellBox bounds;
    };
    struct Removal {
        Revision revision;
        ChunkCoord chunk;
    };

    std::vector<Cell> cells = std::vector<Cell>(std::size_t{kSide} * kSide * kSide);
    Revision revision = 0;
    Revision first = 0;  ///< of a clone: what came before is nobody's to ask
    std::size_t removalCapacity = 0;
    std::map<ChunkCoord, std::vector<Edit>> chunks;  ///< those that exist, with their edits since they do
    std::vector<Removal> removals;

    static std::size_t indexOf(CellCoord c) {
        return static_cast<std::size_t>((c.x - kLow) + kSide * ((c.z - kLow) + kSide * (c.y - kLow)));
    }
    Cell cell(CellCoord c) const { return cells[indexOf(c)]; }
    static std::vector<ChunkCoord> allChunks() {
        std::vector<ChunkCoord> all;
        for (int y = -2; y < 1; ++y) {
            for (int z = -2; z < 1; ++z) {
                for (int x = -2; x < 1; ++x)
                    all.push_back({x, y, z});
            }
        }
        return all;
    }

    /// Makes the cells those of `after`, as one edit.
    EditSummary become(std::vector<Cell> after) {
        EditSummary summary;
        std::vector<std::pair<ChunkCoord, CellBox>> changed;
        for (const ChunkCoord chunk : allChunks()) {
            CellBox bounds;
            const CellBox box = chunkBox(chunk);
            for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
                for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
                    const std::size_t row = indexOf({box.min.x, y, z});
                    if (std::equal(&cells[row], &cells[row] + 32, &after[row])) continue;
                    for (std::int32_t x = 0; x < 32; ++x) {
                        if (cells[row + std::size_t(x)] == after[row + std::size_t(x)]) continue;
                        const CellCoord c{box.min.x + x, y, z};
                        bounds = unite(bounds, {c, {c.x + 1, c.y + 1, c.z + 1}});
                        ++summary.changedCells;
                    }
                }
            }
            if (!bounds.empty()) changed.push_back({chunk, bounds});
            summary.bounds = unite(summary.bounds, bounds);
        }
        cells = std::move(after);
        if (!changed.empty()) ++revision;
        summary.revision = revision;
        for (const auto& [chunk, bounds] : changed) {
            if (emptyChunk(chunk)) {
                chunks.erase(chunk);
                removals.push_back({revision, chunk});
            } else if (chunks.count(chunk) == 0) {
                chunks[chunk] = {{revision, chunkBox(chunk)}};
            } else {
                chunks[chunk].push_back({revision, bounds});
            }
        }
        return summary;
    }

    bool emptyChunk(ChunkCoord chunk) const {
        bool empty = true;
        forEachCell(chunkBox(chunk), [&](CellCoord c) { empty = empty && cell(c).empty(); });
        return empty;
    }

    /// What a grid must answer to a reader of its generation.
    GridChanges changesSince(Revision since) const {
        GridChanges changes;
        changes.revision = revision;
        const std::size_t kept = std::min(removals.size(), removalCapacity);
        const Revision floor =
            std::max(first, kept < removals.size() ? removals[removals.size() - kept - 1].revision : 0);
        if (since > revision || since < floor) {
            changes.fullRefresh = true;
            return changes;
        }
        for (const auto& [chunk, edits] : chunks) {
            CellBox extent;
            int count = 0;
            for (const Edit& edit : edits) {
                if (edit.revision <= since) continue;
                extent = unite(extent, edit.bounds);
                ++count;
            }
            if (count > 6) extent = chunkBox(chunk);
            if (count > 0) changes.changed.push_back({chunk, extent});
        }
        std::set<ChunkCoord> removed;
        for (const Removal& removal : removals) {
            if (removal.revision > since && chunks.count(removal.chunk) == 0) removed.insert(removal.chunk);
        }
        changes.removed.assign(removed.begin(), removed.end());
        return changes;
    }
};

/// Every cell, and that a chunk is stored as one record exactly where all its cells are equal.
template <class GridOrSnapshot>
void expectSame(const GridOrSnapshot& grid, const NaiveGrid& naive) {
    ASSERT_EQ(grid.chunkCount(), naive.chunks.size());
    for (const ChunkCoord coord : NaiveGrid::allChunks()) {
        const Chunk* chunk = grid.chunk(coord);
        ASSERT_EQ(chunk != nullptr, naive.chunks.count(coord) == 1);
        if (!chunk) continue;
        bool equal = true, uniform = true;
        std::vector<Cell> cells(kChunkCellCount);
        chunk->copyTo(cells);
        forEachCell(chunkBox(coord), [&](CellCoord c) {
            const Cell want = naive.cell(c);
            equal = equal && cells[std::size_t(cellIndex(c))] == want;
            uniform = uniform && cells[0] == want;
        });
        ASSERT_TRUE(equal) << coord.x << " " << coord.y << " " << coord.z;
        ASSERT_EQ(chunk->uniform(), uniform) << coord.x << " " << coord.y << " " << coord.z;
    }
}

}  // namespace karst::voxel::test
