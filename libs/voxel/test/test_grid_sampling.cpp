#include <gtest/gtest.h>
#include <karst/voxel/grid_sampling.h>
#include <karst_test/test_support.h>

#include <cmath>

#include "cell_model.h"

namespace karst::voxel {
namespace {

using test::Random;

constexpr MaterialId kWater = 1, kGrass = 2, kRock = 4;

Grid randomGrid() {
    GridDefinition definition;
    definition.placement = {0.75, {-11.5, 3.25, 1000}};
    Grid grid = Grid::create(definition).value();
    fillAtRandom(grid, {{-34, -34, -34}, {34, 34, 34}}, 12);
    return grid;
}

TEST(GridSampling, V32_FractionsInterpolateBetweenCellMiddles) {
    const Grid grid = randomGrid();
    const GridPlacement& p = grid.placement();
    Random random(1);
    for (int trial = 0; trial < 3000; ++trial) {
        const Vec3d cells{random.range(-36, 36), random.range(-36, 36), random.range(-36, 36)};
        const WorldPosition point = p.origin + cells * p.cellSize;
        double solid = 0, water = 0;
        std::array<double, 256> votes{};
        const CellCoord low{static_cast<std::int32_t>(std::floor(cells.x - 0.5)),
                            static_cast<std::int32_t>(std::floor(cells.y - 0.5)),
                            static_cast<std::int32_t>(std::floor(cells.z - 0.5))};
        CellModel::forEach({low, {low.x + 2, low.y + 2, low.z + 2}}, [&](CellCoord c) {
            const double weight = (1 - std::abs(c.x + 0.5 - cells.x)) * (1 - std::abs(c.y + 0.5 - cells.y)) *
                                  (1 - std::abs(c.z + 0.5 - cells.z));
            const Cell cell = grid.cell(c);
            (cell.material == kWater ? water : solid) += weight * cell.occupancy / 255;
            votes[cell.material] += weight * cell.occupancy;
        });
        const PointSample sample = sampleAt(grid.snapshot(), point).value();
        EXPECT_NEAR(sample.solid, solid, 1e-9);
        EXPECT_NEAR(sample.water, water, 1e-9);
        EXPECT_EQ(solidFractionAt(grid, point).value(), sample.solid);
        EXPECT_EQ(waterFractionAt(grid, point).value(), sample.water);
        EXPECT_EQ(solidMaterialAt(grid, point).value(), sample.solidMaterial);
        for (std::size_t i = 2; i < 256; ++i)
            EXPECT_LE(votes[i], votes[sample.solidMaterial] + 1e-7);
        EXPECT_EQ(sample.solidMaterial == kAir, solid == 0);
        EXPECT_EQ(sample.waterMaterial, water > 0 ? kWater : kAir);
    }
}

TEST(GridSampling, V1_AtACellsMiddleTheFractionsAreItsOwn) {
    const Grid grid = randomGrid();
    Random random(2);
    for (int trial = 0; trial < 500; ++trial) {
        const CellCoord c{random.integer(-36, 36), random.integer(-36, 36), random.integer(-36, 36)};
        const WorldPosition middle = cellCenterToWorld(grid.placement(), c).value();
        const Cell cell = grid.cell(c);
        EXPECT_NEAR(solidFractionAt(grid, middle).value(),
                    cell.material > kWater ? cell.occupancy / 255.0 : 0, 1e-9);
        EXPECT_NEAR(waterFractionAt(grid, middle).value(),
                    cell.material == kWater ? cell.occupancy / 255.0 : 0, 1e-9);
    }
}

TEST(GridSampling, V32_EqualSharesTakeTheLowerMaterial) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(grid.setCell({0, 0, 0}, {kRock, 100}).ok());
    ASSERT_TRUE(grid.setCell({1, 0, 0}, {kGrass, 100}).ok());
    EXPECT_EQ(solidMaterialAt(grid, {4, 2, 2}).value(), kGrass);
    EXPECT_EQ(solidMaterialAt(grid, {3.9, 2, 2}).value(), kRock);
    EXPECT_EQ(solidMaterialAt(grid, {40, 2, 2}).value(), kAir);
}

TEST(GridSampling, V32_CellsAndWorldAreInverse) {
    Random random(3);
    for (const GridPlacement& p :
         {GridPlacement{}, GridPlacement{0.3, {5, -7, 0.1}}, GridPlacement{16, {1e6, 0, -1e6}}}) {
        for (int trial = 0; trial < 500; ++trial) {
            const int reach = trial < 250 ? 100 : 100000000;
            const CellCoord c{random.integer(-reach, reach), random.integer(-reach, reach),
                              random.integer(-reach, reach)};
            EXPECT_EQ(worldToCell(p, cellCenterToWorld(p, c).value()).value(), c);
            const Vec3d edge = cellCenterToWorld(p, c).value() - cellCornerToWorld(p, c).value();
            EXPECT_NEAR(edge.x, p.cellSize / 2, 1e-5);
            if (p.cellSize != 0.3) {
                EXPECT_EQ(worldToCell(p, cellCornerToWorld(p, c).value()).value(), c);
            }
        }
    }
    EXPECT_EQ(worldToCell({}, {-0.001, 0, 3.999}).value(), (CellCoord{-1, 0, 0}));
}

TEST(GridSampling, V32_BordersPreferEmptyOrSolid) {
    Grid grid = Grid::create({}).value();
    const CellCoord solid{-1, 0, 0}, water{0, 0, -1}, empty{0, 0, 0};
    ASSERT_TRUE(grid.setCell(solid, {kRock, 10}).ok());
    ASSERT_TRUE(grid.setCell(water, {kWater, 255}).ok());
    // On the face between rock (west) and nothing (east).
    EXPECT_EQ(worldToCell(grid.placement(), {0, 2, 2}).value(), empty);
    EXPECT_EQ(worldToCellPreferEmpty(grid, {0, 2, 2}).value(), empty);
    EXPECT_EQ(worldToCellPreferSolid(grid, {0, 2, 2}).value(), solid);
    EXPECT_EQ(worldToCellPreferSolid(grid, {0.00001, 2, 2}).value(), solid);
    // Not on the border.
    EXPECT_EQ(worldToCellPreferSolid(grid, {0.01, 2, 2}).value(), empty);
    EXPECT_EQ(worldToCellPreferEmpty(grid, {-0.01, 2, 2}).value(), solid);
    EXPECT_EQ(worldToCellPreferEmpty(grid, {-0.00001, 2, 2}).value(), empty);
    // Water is neither.
    EXPECT_EQ(worldToCellPreferSolid(grid, {2, 2, 0}).value(), empty);
    EXPECT_EQ(worldToCellPreferEmpty(grid, {2, 2, -0.00001}).value(), empty);
    EXPECT_EQ(worldToCellPreferSolid(grid, {2, 2, -0.00001}).value(), water);
    // A corner of eight: the only solid one, and the first empty one by y, z, x where the own is not.
    ASSERT_TRUE(grid.setCell({0, 0, 0}, {kWater, 255}).ok());
    EXPECT_EQ(worldToCellPreferSolid(grid, {0, 0, 0}).value(), solid);
    EXPECT_EQ(worldToCellPreferEmpty(grid, {0, 0, 0}).value(), (CellCoord{-1, -1, -1}));
}

TEST(GridSampling, V32_RegionsAroundBoxes) {
    const GridPlacement p{2, {1, 0, 0}};
    EXPECT_EQ(regionAround(p, {{1, 0, 0}, {5, 2, 4}}).value(), (CellBox{{0, 0, 0}, {2, 1, 2}}));
    EXPECT_EQ(regionAround(p, {{0.9, -0.1, 0}, {5.1, 2, 4}}).value(), (CellBox{{-1, -1, 0}, {3, 1, 2}}));
}

}  // namespace
}  // namespace karst::voxel
