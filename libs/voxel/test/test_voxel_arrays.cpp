#include <gtest/gtest.h>
#include <karst/voxel/voxel_arrays.h>
#include <karst_test/test_support.h>

#include "cell_model.h"

namespace karst::voxel {
namespace {

using test::Random;

constexpr MaterialId kWater = 1, kGrass = 2, kRock = 4;

CellBox randomBox(Random& random) {
    const CellCoord low{random.integer(-30, 4), random.integer(-30, 14), random.integer(-30, 4)};
    return {low,
            {low.x + random.integer(1, 26), low.y + random.integer(1, 12), low.z + random.integer(1, 26)}};
}

TEST(VoxelArrays, V32_ReadsTheCellsInTheirOrder) {
    Random random(1);
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-33, -20, -35}, {34, 20, 5}}, 1);
    // A uniform chunk is read too.
    ASSERT_TRUE(grid.edit({{32, 0, 32}, {64, 32, 64}},
                          [](const EditBlock& block) {
                              CellModel::forEach(block.box, [&](CellCoord c) { block.at(c) = {kRock, 200}; });
                          })
                    .ok());
    const GridSnapshot snapshot = grid.snapshot();
    for (int trial = 0; trial < 30; ++trial) {
        const CellBox box = randomBox(random);
        const auto arrays = readVoxels(grid, box);
        const auto channels = readVoxelChannels(snapshot, box);
        ASSERT_TRUE(arrays.ok() && channels.ok());
        EXPECT_EQ(arrays->size,
                  (CellCoord{box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z}));
        EXPECT_EQ(channels->size, arrays->size);
        std::size_t i = 0;
        CellModel::forEach(box, [&](CellCoord c) {
            const Cell cell = grid.cell(c);
            ASSERT_EQ(arrays->materials[i], cell.material);
            ASSERT_EQ(arrays->occupancies[i], cell.occupancy);
            const bool solid = cell.material >= kGrass, water = cell.material == kWater;
            ASSERT_EQ(channels->solidMaterials[i], solid ? cell.material : kAir);
            ASSERT_EQ(channels->solidOccupancies[i], solid ? cell.occupancy : 0);
            ASSERT_EQ(channels->waterMaterials[i], water ? cell.material : kAir);
            ASSERT_EQ(channels->waterOccupancies[i], water ? cell.occupancy : 0);
            ++i;
        });
        EXPECT_EQ(arrays->materials.size(), i);
        EXPECT_EQ(channels->waterOccupancies.size(), i);
    }
}

TEST(VoxelArrays, V32_WriteThenReadIsIdentity) {
    Random random(2);
    Grid grid = Grid::create({}).value();
    for (int trial = 0; trial < 20; ++trial) {
        const CellBox box = randomBox(random);
        const auto count = static_cast<std::size_t>(box.cellCount());
        std::vector<MaterialId> materials(count);
        std::vector<std::uint8_t> occupancies(count);
        for (std::size_t i = 0; i < count; ++i) {
            materials[i] = static_cast<MaterialId>(random.integer(0, 13));
            occupancies[i] = static_cast<std::uint8_t>(random.chance(0.2) ? 0 : random.integer(0, 255));
        }
        const CellBox around{{-31, -31, -31}, {31, 28, 31}};
        CellModel model = CellModel::of(grid, around);
        const auto written = writeVoxels(grid, box, materials, occupancies);
        ASSERT_TRUE(written.ok()) << written.error().message;
        std::size_t i = 0;
        CellModel::forEach(box, [&](CellCoord c) {
            model[c] = canonical({materials[i], occupancies[i]});
            ++i;
        });
        expectCells(grid, model, "write");
        const auto read = readVoxels(grid, box);
        ASSERT_TRUE(read.ok());
        // Once more changes nothing, also by channels.
        const auto again = writeVoxels(grid, box, read->materials, read->occupancies);
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(again->changedCells, 0);
        const auto channels = readVoxelChannels(grid, box);
        ASSERT_TRUE(channels.ok());
        const auto byChannels = writeVoxelChannels(grid, box, *channels);
        ASSERT_TRUE(byChannels.ok());
        EXPECT_EQ(byChannels->changedCells, 0);
        EXPECT_EQ(grid.revision(), written->revision);
        Grid other = Grid::create({}).value();
        ASSERT_TRUE(writeVoxelChannels(other, box, *channels).ok());
        CellModel::forEach(box, [&](CellCoord c) { ASSERT_EQ(other.cell(c), grid.cell(c)); });
    }
}

TEST(VoxelArrays, V32_OneChannelKeepsTheOther) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(grid.setCell({0, 0, 0}, {kRock, 80}).ok());
    ASSERT_TRUE(grid.setCell({1, 0, 0}, {kWater, 90}).ok());
    const CellBox box{{0, 0, 0}, {4, 1, 1}};
    // Water alone, without materials: solid cells stay.
    const std::vector<std::uint8_t> water{10, 0, 30, 0};
    VoxelChannelsView channels;
    channels.waterOccupancies = water;
    ASSERT_TRUE(writeVoxelChannels(grid, box, channels).ok());
    EXPECT_EQ(grid.cell({0, 0, 0}), (Cell{kRock, 80}));
    EXPECT_TRUE(grid.cell({1, 0, 0}).empty());
    EXPECT_EQ(grid.cell({2, 0, 0}), (Cell{kWater, 30}));
    // Solid alone: water stays where no solid comes.
    const std::vector<MaterialId> materials{kAir, kGrass, kAir, kGrass};
    const std::vector<std::uint8_t> solid{255, 0, 3, 20};
    channels = {};
    channels.solidMaterials = materials;
    channels.solidOccupancies = solid;
    ASSERT_TRUE(writeVoxelChannels(grid, box, channels).ok());
    EXPECT_TRUE(grid.cell({0, 0, 0}).empty());
    EXPECT_TRUE(grid.cell({1, 0, 0}).empty());
    EXPECT_EQ(grid.cell({2, 0, 0}), (Cell{kWater, 30}));
    EXPECT_EQ(grid.cell({3, 0, 0}), (Cell{kGrass, 20}));
    // Both in one cell: the solid stays.
    const std::vector<std::uint8_t> all(4, 77);
    channels.waterOccupancies = all;
    ASSERT_TRUE(writeVoxelChannels(grid, box, channels).ok());
    EXPECT_EQ(grid.cell({3, 0, 0}), (Cell{kGrass, 20}));
    EXPECT_EQ(grid.cell({0, 0, 0}), (Cell{kWater, 77}));
}

}  // namespace
}  // namespace karst::voxel
