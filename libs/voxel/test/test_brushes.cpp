#include <gtest/gtest.h>
#include <karst/voxel/brushes.h>
#include <karst/voxel/fill_shapes.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "cell_model.h"
#include "shape_coverage.h"

namespace karst::voxel {
namespace {

using test::Random;

constexpr MaterialId kWater = 1, kGrass = 2, kRock = 4;
const CellBox kAround{{-26, -24, -25}, {25, 26, 24}};

int solidOf(Cell cell) {
    return cell.material > kWater ? cell.occupancy : 0;
}

/// The rules of brushes.h once more, cell by cell over a plain array.
CellModel brushed(const CellModel& before, const GridPlacement& placement, const Brush& brush,
                  MaterialId fallback, const std::function<double(CellCoord)>& target) {
    CellModel after = before;
    CellModel::forEach(before.box, [&](CellCoord c) {
        const Vec3d d = placement.cellCenter(c) - brush.center;
        const double rest = 1 - dot(d, d) / (brush.radius * brush.radius);
        if (rest <= 0) return;
        const Cell cell = before.at(c);
        const int o = solidOf(cell);
        const int wanted =
            static_cast<int>(std::floor(o + brush.strength * rest * rest * (target(c) - o) + 0.5));
        if (wanted == o) return;
        const auto near = [&](int x, int y, int z) { return before.at({c.x + x, c.y + y, c.z + z}); };
        if (wanted == 0) {
            Cell water;
            if (near(0, 1, 0).material == kWater) {
                water = {kWater, 255};
            } else {
                for (const Cell side : {near(1, 0, 0), near(-1, 0, 0), near(0, 0, 1), near(0, 0, -1)}) {
                    if (side.material == kWater) water = {kWater, std::max(water.occupancy, side.occupancy)};
                }
            }
            after[c] = water;
            return;
        }
        if (cell.material > kWater) {
            after[c].occupancy = static_cast<std::uint8_t>(wanted);
            return;
        }
        if (cell.material == kWater && wanted < 128) return;
        std::map<MaterialId, int> votes;
        for (int i = 0; i < 27; ++i) {
            const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
            const Cell other = near(x, y, z);
            if (other.material > kWater)
                votes[other.material] += other.occupancy << (3 - (x != 0) - (y != 0) - (z != 0));
        }
        MaterialId material = fallback;
        int most = 0;
        for (const auto& [id, vote] : votes) {
            if (vote > most) {
                most = vote;
                material = id;
            }
        }
        if (material != kAir) after[c] = {material, static_cast<std::uint8_t>(wanted)};
    });
    return after;
}

TEST(Brushes, V32_ScriptsEqualTheRulesCellByCell) {
    Random random(41);
    GridDefinition definition;
    definition.placement = {2, {1, -3, 5}};
    Grid grid = Grid::create(definition).value();
    fillAtRandom(grid, {{-22, -21, -20}, {21, 22, 20}}, 6);
    CellModel model = CellModel::of(grid, kAround);
    const GridPlacement& p = grid.placement();
    for (int step = 0; step < 60; ++step) {
        // Around the corner of eight chunks.
        const Brush brush{
            p.origin + Vec3d{random.range(-24, 24), random.range(-24, 24), random.range(-24, 24)},
            random.range(1, 18), random.chance(0.5) ? 1 : random.range(0.1, 1)};
        const MaterialId fallback = random.chance(0.5) ? kAir : kRock;
        const CellModel before = model;
        const auto around = [&](CellCoord c, bool least) {
            int value = solidOf(before.at(c));
            for (int axis = 0; axis < 3; ++axis) {
                for (const int d : {-1, 1}) {
                    const int o = solidOf(before.at(
                        {c.x + (axis == 0 ? d : 0), c.y + (axis == 1 ? d : 0), c.z + (axis == 2 ? d : 0)}));
                    value = least ? std::min(value, o) : std::max(value, o);
                }
            }
            return value;
        };
        Result<EditSummary> edited = Error{};
        switch (step % 4) {
            case 0:
                model = brushed(before, p, brush, kAir, [&](CellCoord c) {
                    int sum = 0;
                    for (int i = 0; i < 27; ++i) {
                        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
                        sum += solidOf(before.at({c.x + x, c.y + y, c.z + z}))
                               << (3 - (x != 0) - (y != 0) - (z != 0));
                    }
                    return std::clamp(2 * (sum / 64.0) - 127.5, 0.0, 255.0);
                });
                edited = brushSmooth(grid, brush);
                break;
            case 1:
                model = brushed(before, p, brush, fallback, [&](CellCoord c) { return around(c, false); });
                edited = brushGrow(grid, brush, fallback);
                break;
            case 2:
                model = brushed(before, p, brush, kAir, [&](CellCoord c) { return around(c, true); });
                edited = brushErode(grid, brush);
                break;
            default: {
                const FlattenPlane plane{brush.center + Vec3d{random.range(-2, 2), random.range(-2, 2), 0},
                                         {random.range(-1, 1), 2, random.range(-1, 1)}};
                const auto mode = static_cast<FlattenMode>(random.integer(0, 2));
                const Vec3d normal = normalized(Vec3d{plane.normal.x / 2, 1, plane.normal.z / 2});
                model = brushed(before, p, brush, fallback, [&](CellCoord c) -> double {
                    const double distance = dot(normal, p.cellCenter(c) - plane.point) / p.cellSize;
                    const double share =
                        std::floor(255 * cubeBelowPlane(distance, CutDirection::of(normal)) + 0.5);
                    const double o = solidOf(before.at(c));
                    if (mode == FlattenMode::FillOnly) return std::max(share, o);
                    return mode == FlattenMode::DigOnly ? std::min(share, o) : share;
                });
                edited = brushFlatten(grid, brush, plane, mode, fallback);
            }
        }
        ASSERT_TRUE(edited.ok()) << edited.error().message;
        EXPECT_EQ(edited->changedCells, model.changes(before));
        expectCells(grid, model, "brush");
        if (::testing::Test::HasFailure()) FAIL() << "step " << step;
    }
}

TEST(Brushes, V32_SmoothingKeepsLevelGroundAndTakesBumps) {
    for (const std::uint8_t top : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{77}, std::uint8_t{254}}) {
        Grid grid = Grid::create({}).value();
        ASSERT_TRUE(fillRegion(grid, {{-20, -20, -20}, {20, 0, 20}}, kRock).ok());
        if (top > 0) {
            ASSERT_TRUE(
                grid.edit({{-20, 0, -20}, {20, 1, 20}},
                          [&](const EditBlock& block) {
                              CellModel::forEach(block.box, [&](CellCoord c) { block.at(c) = {kRock, top}; });
                          })
                    .ok());
        }
        const Revision revision = grid.revision();
        ASSERT_TRUE(brushSmooth(grid, {{0, 0, 0}, 40, 1}).ok());
        EXPECT_EQ(grid.revision(), revision) << int{top};
        ASSERT_TRUE(grid.setCell({0, 2, 0}, {kGrass, 255}).ok());
        ASSERT_TRUE(brushSmooth(grid, {{2, 10, 2}, 40, 1}).ok());
        EXPECT_TRUE(grid.cell({0, 2, 0}).empty());
    }
}

TEST(Brushes, V32_GrowAndErodeMoveTheSurfaceByACell) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(fillRegion(grid, {{-20, -20, -20}, {20, 0, 20}}, kRock).ok());
    const Brush brush{grid.placement().cellCenter({0, 0, 0}), 30, 1};
    ASSERT_TRUE(brushGrow(grid, brush).ok());
    EXPECT_EQ(grid.cell({0, 0, 0}), (Cell{kRock, 255}));
    EXPECT_TRUE(grid.cell({0, 1, 0}).empty());
    EXPECT_LT(grid.cell({5, 0, 0}).occupancy, 128);
    ASSERT_TRUE(brushErode(grid, brush).ok());
    EXPECT_TRUE(grid.cell({0, 0, 0}).empty());
    // Where nothing is there is nothing to grow from.
    const auto none = brushGrow(grid, {{0, 500, 0}, 30, 1}, kGrass);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->changedCells, 0);
}

TEST(Brushes, V32_FlattenFillsFromNothingWithItsMaterial) {
    Grid grid = Grid::create({}).value();
    const Brush brush{{0, 0, 0}, 40, 1};
    const FlattenPlane plane{{0, 0, 0}, {0, 3, 0}};
    EXPECT_EQ(brushFlatten(grid, brush, plane).value().changedCells, 0);
    ASSERT_TRUE(brushFlatten(grid, brush, plane, FlattenMode::FillOnly, kGrass).ok());
    EXPECT_EQ(grid.cell({0, -1, 0}).material, kGrass);
    EXPECT_GT(grid.cell({0, -1, 0}).occupancy, 240);
    EXPECT_TRUE(grid.cell({0, 0, 0}).empty());
    EXPECT_EQ(brushFlatten(grid, brush, plane, FlattenMode::DigOnly).value().changedCells, 0);
}

TEST(Brushes, V32_WaterFollowsWhereGroundGoes) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(fillRegion(grid, {{-16, -8, -16}, {16, 0, 16}}, kRock).ok());
    ASSERT_TRUE(fillRegion(grid, {{-16, 0, -16}, {16, 4, 16}}, kWater).ok());
    // A lump under water goes: water above it takes its place.
    ASSERT_TRUE(grid.setCell({0, 1, 0}, {kRock, 200}).ok());
    ASSERT_TRUE(brushErode(grid, {grid.placement().cellCenter({0, 1, 0}), 3, 1}).ok());
    EXPECT_EQ(grid.cell({0, 1, 0}), (Cell{kWater, 255}));
    // Ground that rises only a little into water does not take it away.
    ASSERT_TRUE(brushGrow(grid, {grid.placement().cellCenter({0, 0, 0}), 3, 0.4}).ok());
    EXPECT_EQ(grid.cell({0, 0, 0}), (Cell{kWater, 255}));
    ASSERT_TRUE(brushGrow(grid, {grid.placement().cellCenter({0, 0, 0}), 3, 0.6}).ok());
    EXPECT_EQ(grid.cell({0, 0, 0}), (Cell{kRock, 153}));
}

}  // namespace
}  // namespace karst::voxel
