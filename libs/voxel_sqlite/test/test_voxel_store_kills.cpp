#include "store_worlds.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace karst::voxel {
namespace {

using namespace test_data;

// The counter that is written with the world: how many steps it has seen, 7 bits a cell.
constexpr CellCoord kCounter{200, 200, 200};
constexpr int kDigits = 4;

int counterOf(const Grid& grid) {
    int count = 0;
    for (int i = kDigits - 1; i >= 0; --i)
        count =
            count * 128 + std::max<int>(grid.cell({kCounter.x + i, kCounter.y, kCounter.z}).occupancy, 1) - 1;
    return count;
}

// Step `n` of the world's life: the same edits whoever makes them.
void takeStep(Grid& grid, int n) {
    test::Random random(static_cast<std::uint64_t>(n) * 977 + 5);
    for (int edits = random.integer(1, 3); edits > 0; --edits)
        randomEdit(grid, random, 60);
    for (int i = 0; i < kDigits; ++i, n /= 128) {
        const Cell digit{2, static_cast<std::uint8_t>(n % 128 + 1)};
        if (!grid.setCell({kCounter.x + i, kCounter.y, kCounter.z}, digit)) std::abort();
    }
}

// Edits and saves until it is killed, and says after each save how far it is. The exit code is what went
// wrong.
int liveOn(const std::filesystem::path& path, int known, int most, int report) {
    auto store = VoxelStore::open(path);
    if (!store) return 10;
    Result<Grid> grid = store->load();
    if (!grid) return 11;
    int count = counterOf(*grid);
    if (count < known || count > most) return 12;
    for (;;) {
        takeStep(*grid, ++count);
        if (!store->save(*grid)) return 13;
        if (write(report, &count, sizeof(count)) != sizeof(count)) return 14;
    }
}

// Whatever moment a process is killed at, the file holds a finished save, the last one that was reported or
// the one under way, and all of it.
TEST(VoxelStoreSlow, AnyKillLeavesAFinishedSave) {
    const test::TempFolder folder;
    const auto path = folder.path() / "world.karst";
    Grid model = newGrid();
    takeStep(model, 0);
    writeStore(path, model);
    model = newGrid();
    takeStep(model, 0);
    test::Random random(2026);
    // Of the saves, `known` are sure; each child may have finished one more than it could report.
    int modelAt = 0, known = 0, most = 0, inFlight = 0, journals = 0, kills = 0;
    for (int round = 0; round < 400; ++round) {
        std::array<int, 2> pipeEnds;
        ASSERT_EQ(pipe(pipeEnds.data()), 0);
        const pid_t child = fork();
        if (child == 0) {
            close(pipeEnds[0]);
            _exit(liveOn(path, known, most, pipeEnds[1]));
        }
        close(pipeEnds[1]);
        // From the first report on, so that opening and loading do not take up the time; now and then before.
        int reported = 0;
        const int before = known;
        if (!random.chance(0.15) && read(pipeEnds[0], &reported, sizeof(reported)) == sizeof(reported))
            known = reported;
        usleep(static_cast<useconds_t>(random.integer(0, 30000)));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round << ", exit code " << WEXITSTATUS(status);
        ++kills;
        while (read(pipeEnds[0], &reported, sizeof(reported)) == sizeof(reported))
            known = reported;
        close(pipeEnds[0]);
        most = (known > before ? known : most) + 1;
        const bool journal = std::filesystem::exists(path.string() + "-journal");
        journals += journal;
        // In some rounds the next child is the one to clear up.
        if (random.chance(0.3)) continue;
        const Result<Grid> grid = loadAll(path);
        ASSERT_TRUE(grid.ok()) << "round " << round << ": " << grid.error().message;
        const int count = counterOf(*grid);
        ASSERT_TRUE(count >= known && count <= most) << count << " after " << known << " to " << most;
        inFlight += count > known;
        known = most = count;
        while (modelAt < count)
            takeStep(model, ++modelAt);
        ASSERT_TRUE(sameCells(model, *grid)) << "round " << round << ", step " << count;
    }
    std::printf("%d kills over %d saves; %d left a journal, %d came after the commit and before the report\n",
                kills, known, journals, inFlight);
    // The kills did fall into saves.
    EXPECT_GT(journals, kills / 20);
    EXPECT_GT(known, 250);
}

}  // namespace
}  // namespace karst::voxel
