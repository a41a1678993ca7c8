#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "grid_test.h"

namespace karst::voxel::test {
namespace {

// Snapshots on their way from the grid's thread to its readers.
class Mailbox {
  public:
    void put(std::optional<GridSnapshot> snapshot) {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(std::move(snapshot));
        m_changed.notify_one();
    }
    /// Nothing is the end.
    std::optional<GridSnapshot> take() {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return !m_waiting.empty(); });
        auto snapshot = std::move(m_waiting.front());
        m_waiting.pop_front();
        return snapshot;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::optional<GridSnapshot>> m_waiting;
};

// The box lies in 8 chunks; at each revision all its cells have one occupancy.
constexpr CellBox kBox{{-6, -6, -6}, {6, 6, 6}};

Cell cellAt(Revision revision) {
    return {4, static_cast<std::uint8_t>(1 + revision % 255)};
}

TEST(GridThreads, V3_SnapshotsAreReadAndDroppedWhileTheGridIsEdited) {
    CountingAllocator counting;
    std::atomic<int> wrong{0}, read{0};
    {
        Externals externals;
        externals.allocator = &counting;
        Grid grid = makeGrid(16, externals);
        ASSERT_TRUE(fill(grid, kBox, cellAt(1)).ok());
        std::vector<Mailbox> mailboxes(3);
        std::vector<std::thread> readers;
        for (Mailbox& mailbox : mailboxes) {
            readers.emplace_back([&] {
                std::optional<GridSnapshot> kept;
                while (auto snapshot = mailbox.take()) {
                    const Cell want = cellAt(snapshot->revision());
                    forEachCell(kBox, [&](CellCoord c) { wrong += snapshot->cell(c) != want; });
                    snapshot->forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
                        wrong += snapshot->chunkRef(c).get() != &chunk;
                    });
                    // The older one goes here, on this thread.
                    kept = std::move(snapshot);
                    ++read;
                }
            });
        }
        for (int i = 0; i < 400; ++i) {
            if (i % 3 == 0) {
                mailboxes[std::size_t(i / 3 % 3)].put(grid.snapshot());
            } else if (i % 10 == 0) {
                mailboxes[0].put(grid.snapshot(std::vector<ChunkCoord>{{0, 0, 0}}));
            }
            const auto summary = fill(grid, kBox, cellAt(grid.revision() + 1));
            ASSERT_TRUE(summary.ok());
            ASSERT_EQ(summary->changedCells, kBox.cellCount());
        }
        for (Mailbox& mailbox : mailboxes)
            mailbox.put(std::nullopt);
        for (std::thread& reader : readers)
            reader.join();
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(read, 130);
    EXPECT_EQ(counting.liveBytes, 0);
}

// Only the counts of references order the reader's last look before the grid's write in place: the reader
// says that it is done without any order, and nothing else is shared.
TEST(GridThreads, V3_AWriteInPlaceComesAfterAllReadsOfThoseWhoShared) {
    constexpr int kRounds = 200;
    Grid grid = makeGrid();
    for (const ChunkCoord c : {ChunkCoord{0, 0, 0}, ChunkCoord{-1, 0, 0}, ChunkCoord{64, 0, 0}})
        makeMixed(grid, c);
    std::vector<GridSnapshot> handed(kRounds);
    std::atomic<int> given{0}, done{0}, wrong{0};
    std::thread reader([&] {
        for (int i = 0; i < kRounds; ++i) {
            while (given.load(std::memory_order_acquire) <= i)
                std::this_thread::yield();
            GridSnapshot snapshot = std::exchange(handed[std::size_t(i)], GridSnapshot());
            const auto occupancy = static_cast<std::uint8_t>(i == 0 ? 255 : i);
            if (i % 2 == 0) {
                wrong += snapshot.cell({7, 7, 7}).occupancy != occupancy;
                snapshot = GridSnapshot();
            } else {
                const ChunkRef chunk = snapshot.chunkRef({0, 0, 0});
                snapshot = GridSnapshot();
                wrong += chunk->cell(cellIndex(7, 7, 7)).occupancy != occupancy;
            }
            done.store(i + 1, std::memory_order_relaxed);
        }
    });
    int inPlace = 0;
    for (int i = 0; i < kRounds; ++i) {
        handed[std::size_t(i)] = grid.snapshot();
        given.store(i + 1, std::memory_order_release);
        while (done.load(std::memory_order_relaxed) <= i)
            std::this_thread::yield();
        const Chunk* before = grid.chunk({0, 0, 0});
        wrong += !grid.setCell({7, 7, 7}, {4, static_cast<std::uint8_t>(i + 1)}).ok();
        inPlace += grid.chunk({0, 0, 0}) == before;
    }
    reader.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(inPlace, kRounds);
}

TEST(GridThreads, V5_ClonesAreEditedOnTheirOwnThreads) {
    CountingAllocator counting;
    {
        Externals externals;
        externals.allocator = &counting;
        Grid grid = makeGrid(16, externals);
        ASSERT_TRUE(fill(grid, kBox, cellAt(1)).ok());
        std::vector<Grid> clones;
        for (int i = 0; i < 3; ++i)
            clones.push_back(grid.clone());
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < clones.size(); ++t) {
            threads.emplace_back([&wrong, t, clone = std::move(clones[t])]() mutable {
                for (int i = 0; i < 100; ++i) {
                    const Cell cell{static_cast<MaterialId>(5 + t), static_cast<std::uint8_t>(1 + i)};
                    wrong += !fill(clone, kBox, cell).ok();
                    forEachCell(kBox, [&](CellCoord c) { wrong += clone.cell(c) != cell; });
                }
            });
        }
        for (int i = 0; i < 100; ++i) {
            ASSERT_TRUE(fill(grid, kBox, {4, static_cast<std::uint8_t>(100 + i)}).ok());
            forEachCell(kBox, [&](CellCoord c) {
                wrong += grid.cell(c) != Cell{4, static_cast<std::uint8_t>(100 + i)};
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        EXPECT_EQ(wrong, 0);
    }
    EXPECT_EQ(counting.liveBytes, 0);
}

}  // namespace
}  // namespace karst::voxel::test
