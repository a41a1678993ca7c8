#include <gtest/gtest.h>
#include <karst/voxel/grid.h>

namespace karst::voxel {
namespace {

constexpr Cell kRock{4, 255};

TEST(Grid, V2_UnwrittenCellsReadEmpty) {
    const Grid grid = Grid::create({}).value();
    EXPECT_EQ(grid.cell({0, 0, 0}), Cell{});
    EXPECT_EQ(grid.cell({-1000, 5, 1 << 27}), Cell{});
    EXPECT_EQ(grid.chunk({0, 0, 0}), nullptr);
    EXPECT_EQ(grid.chunkCount(), 0u);
}

TEST(Grid, V2_NegativeCoordinatesWorkLikePositiveOnes) {
    Grid grid = Grid::create({}).value();
    const CellBox box{{-40, -33, -1}, {3, 1, 70}};
    const auto summary = grid.edit(box, [](const EditBlock& block) {
        for (int y = block.box.min.y; y < block.box.max.y; ++y) {
            for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                for (int x = block.box.min.x; x < block.box.max.x; ++x)
                    block.at({x, y, z}) = kRock;
            }
        }
    });
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    EXPECT_EQ(summary->changedCells, box.cellCount());
    EXPECT_EQ(summary->bounds, box);
    EXPECT_EQ(summary->revision, 1u);
    for (int y = -36; y < 4; ++y) {
        for (int z = -4; z < 74; ++z) {
            for (int x = -44; x < 6; ++x)
                ASSERT_EQ(grid.cell({x, y, z}), box.contains({x, y, z}) ? kRock : Cell{});
        }
    }
    EXPECT_EQ(grid.chunkCount(), 3u * 3 * 4);
}

TEST(Grid, V3_ASnapshotNeverChanges) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(grid.setCell({1, 2, 3}, kRock).ok());
    const GridSnapshot before = grid.snapshot();
    ASSERT_TRUE(grid.setCell({1, 2, 4}, kRock).ok());
    ASSERT_TRUE(grid.setCell({1, 2, 3}, {}).ok());
    EXPECT_EQ(before.cell({1, 2, 3}), kRock);
    EXPECT_EQ(before.cell({1, 2, 4}), Cell{});
    EXPECT_EQ(grid.cell({1, 2, 3}), Cell{});
    EXPECT_EQ(grid.cell({1, 2, 4}), kRock);
    EXPECT_EQ(before.revision(), 1u);
}

TEST(Grid, V7_ReadersHearOfChangesAndRemovals) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(grid.setCell({1, 2, 3}, kRock).ok());
    ASSERT_TRUE(grid.setCell({-1, 2, 3}, kRock).ok());
    GridChanges seen = grid.changesSince(grid.generation(), 0);
    EXPECT_EQ(seen.changed.size(), 2u);
    ASSERT_TRUE(grid.setCell({1, 2, 4}, kRock).ok());
    ASSERT_TRUE(grid.setCell({-1, 2, 3}, {}).ok());
    seen = grid.changesSince(seen.generation, seen.revision);
    ASSERT_EQ(seen.changed.size(), 1u);
    EXPECT_EQ(seen.changed[0], (ChunkChange{{0, 0, 0}, {{1, 2, 4}, {2, 3, 5}}}));
    EXPECT_EQ(seen.removed, (std::vector<ChunkCoord>{{-1, 0, 0}}));
}

}  // namespace
}  // namespace karst::voxel
