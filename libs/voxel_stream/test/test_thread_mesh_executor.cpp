#include "mesh_workshop.h"
#include "stream_rig.h"

#include <karst/voxel_stream/thread_mesh_executor.h>

namespace karst::voxel_stream {
namespace {

std::shared_ptr<MeshBatch> batchOf(const std::shared_ptr<MeshWorkshop>& workshop, const voxel::Grid& grid,
                                   std::uint64_t serial) {
    return std::make_shared<MeshBatch>(workshop, grid.snapshot(),
                                       std::vector<MeshRequest>{{{0, 0, 0}, 0, serial, true, true}});
}

TEST(ThreadMeshExecutorThreads, V20_RunsEveryBatchOnceOnABoundedSetOfThreads) {
    const voxel::Grid grid = rig::hills(1);
    const auto workshop = std::make_shared<MeshWorkshop>(WorkshopOptions());
    ThreadMeshExecutor executor(2);
    EXPECT_EQ(executor.freeSlots(), 4u);
    std::uint64_t started = 0;
    while (started < 40) {
        const std::uint32_t slots = executor.freeSlots();
        EXPECT_LE(slots, 4u);
        for (std::uint32_t i = 0; i < slots && started < 40; ++i)
            executor.start(batchOf(workshop, grid, ++started));
        std::this_thread::yield();
    }
    std::vector<int> seen(41);
    for (std::size_t count = 0; count < 40;) {
        const std::optional<MeshResult> result = workshop->next();
        if (!result) {
            std::this_thread::yield();
            continue;
        }
        EXPECT_FALSE(result->abandoned);
        EXPECT_EQ(++seen[result->request.serial], 1);
        ++count;
    }
    while (executor.freeSlots() < 4)
        std::this_thread::yield();
    EXPECT_EQ(workshop->waiting(), 0u);
}

TEST(ThreadMeshExecutorThreads, V20_TheDestructorLetsWaitingBatchesGo) {
    const voxel::Grid grid = rig::hills(1);
    const auto workshop = std::make_shared<MeshWorkshop>(WorkshopOptions());
    {
        ThreadMeshExecutor executor(1);
        for (std::uint64_t i = 1; i <= 12; ++i)
            executor.start(batchOf(workshop, grid, i));
    }
    // Each was made or given back.
    std::vector<int> seen(13);
    for (int i = 0; i < 12; ++i) {
        const std::optional<MeshResult> result = workshop->next();
        ASSERT_TRUE(result.has_value());
        EXPECT_EQ(++seen[result->request.serial], 1);
    }
    EXPECT_FALSE(workshop->next().has_value());
}

}  // namespace
}  // namespace karst::voxel_stream
