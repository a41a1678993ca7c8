#include "mesh_workshop.h"
#include "stream_rig.h"

namespace karst::voxel_stream {
namespace {

TEST(MeshBatchTest, V20_MeshesTheSnapshotWhateverBecomesOfTheGrid) {
    voxel::Grid grid = rig::hills(2);
    const voxel::GridSnapshot before = grid.snapshot();
    rig::CheckingSink fresh(grid);
    const auto workshop = std::make_shared<MeshWorkshop>(WorkshopOptions());
    std::vector<MeshRequest> requests;
    std::vector<ChunkCoord> chunks;
    for (int i = 0; i < 8; ++i) {
        const ChunkCoord chunk{i % 4 - 2, -(i & 1), i / 4};
        chunks.push_back(chunk);
        requests.push_back({chunk, i % 4, static_cast<std::uint64_t>(i), i != 3, i != 5});
    }
    MeshBatch batch(workshop, grid.snapshot(chunks), requests);
    rig::ball(grid, {0, 0, 0}, 20, {});
    batch.run();
    batch.run();
    EXPECT_EQ(workshop->waiting(), 8u) << "once";
    for (int i = 0; i < 8; ++i) {
        const MeshResult result = std::move(*workshop->next());
        EXPECT_EQ(result.request, requests[static_cast<std::size_t>(i)]);
        EXPECT_FALSE(result.abandoned);
        const ChunkCoord chunk = result.request.chunk;
        const auto solid = fresh.freshSolid(before, chunk, result.request.level);
        const auto bare = fresh.freshSolid(before, chunk, result.request.level, false);
        const auto water = fresh.freshWater(before, chunk);
        if (result.request.solid) {
            EXPECT_EQ(result.solid.vertices, solid.vertices);
            EXPECT_EQ(result.solid.indices, solid.indices);
            EXPECT_EQ(result.solidVertices, bare.vertices.size());
            EXPECT_EQ(result.solidIndices, bare.indices.size());
        } else {
            EXPECT_TRUE(result.solid.empty());
        }
        EXPECT_EQ(result.water.vertices, result.request.water ? water.vertices : decltype(water.vertices)());
    }
}

TEST(MeshBatchTest, V20_ABatchThatIsLetGoUnrunSaysSo) {
    const voxel::Grid grid = rig::hills(1);
    const auto workshop = std::make_shared<MeshWorkshop>(WorkshopOptions());
    { MeshBatch batch(workshop, grid.snapshot(), {{{0, 0, 0}, 1, 7, true, true}}); }
    const std::optional<MeshResult> result = workshop->next();
    ASSERT_TRUE(result.has_value());
    EXPECT_TRUE(result->abandoned);
    EXPECT_EQ(result->request.serial, 7u);
}

TEST(MeshBatchTest, V20_NothingIsDoneForAStreamerThatIsGone) {
    const voxel::Grid grid = rig::hills(1);
    const auto workshop = std::make_shared<MeshWorkshop>(WorkshopOptions());
    auto run = std::make_unique<MeshBatch>(workshop, grid.snapshot(),
                                           std::vector<MeshRequest>{{{0, 0, 0}, 1, 7, true, true}});
    auto unrun = std::make_unique<MeshBatch>(workshop, grid.snapshot(),
                                             std::vector<MeshRequest>{{{0, 0, 0}, 1, 8, true, true}});
    workshop->close();
    run->run();
    run.reset();
    unrun.reset();
    EXPECT_EQ(workshop->waiting(), 0u);
}

}  // namespace
}  // namespace karst::voxel_stream
