#include <gtest/gtest.h>
#include <karst/voxel/region_ops.h>
#include <karst_test/test_support.h>

#include "cell_model.h"

namespace karst::voxel {
namespace {

using test::Random;

constexpr MaterialId kWater = 1;
const CellBox kAround{{-30, -28, -29}, {30, 29, 28}};

CellBox randomBox(Random& random) {
    const CellCoord low{random.integer(-28, 8), random.integer(-28, 8), random.integer(-28, 8)};
    return {low,
            {low.x + random.integer(1, 18), low.y + random.integer(1, 18), low.z + random.integer(1, 18)}};
}

TEST(RegionOps, V32_ScriptsEqualTheModel) {
    Random random(3);
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-29, -28, -27}, {29, 28, 26}}, 2);
    CellModel model = CellModel::of(grid, kAround);
    for (int step = 0; step < 80; ++step) {
        const CellModel before = model;
        const CellBox box = randomBox(random);
        const auto check = [&](const Result<EditSummary>& edited, const char* what) {
            ASSERT_TRUE(edited.ok()) << edited.error().message;
            EXPECT_EQ(edited->changedCells, model.changes(before)) << what;
            expectCells(grid, model, what);
        };
        switch (random.integer(0, 3)) {
            case 0: {
                const auto from = static_cast<MaterialId>(random.integer(0, 5));
                const auto to = static_cast<MaterialId>(random.integer(0, 5));
                CellModel::forEach(box, [&](CellCoord c) {
                    Cell& cell = model[c];
                    if (cell.material != from) return;
                    cell = canonical({to, from == kAir ? std::uint8_t{255} : cell.occupancy});
                });
                check(replaceMaterial(grid, box, from, to), "replace");
                break;
            }
            case 1:
                if (step % 3) break;
                CellModel::forEach(box, [&](CellCoord c) { model[c] = {}; });
                check(clearRegion(grid, box), "clear");
                break;
            default: {
                const auto copy = copyRegion(grid.snapshot(), box);
                ASSERT_TRUE(copy.ok());
                const CellCoord corner{random.integer(-30, 12), random.integer(-28, 11),
                                       random.integer(-29, 10)};
                const EmptyCells empty = random.chance(0.5) ? EmptyCells::Paste : EmptyCells::Skip;
                CellModel::forEach(box, [&](CellCoord c) {
                    const CellCoord to{c.x - box.min.x + corner.x, c.y - box.min.y + corner.y,
                                       c.z - box.min.z + corner.z};
                    const Cell cell = before.at(c);
                    if (!cell.empty() || empty == EmptyCells::Paste) model[to] = cell;
                });
                check(pasteRegion(grid, corner, *copy, empty), "paste");
            }
        }
        if (::testing::Test::HasFailure()) FAIL() << "step " << step;
    }
}

TEST(RegionOps, V32_CopyThenPasteIsIdentity) {
    Random random(4);
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-29, -28, -27}, {29, 28, 26}}, 7);
    const CellModel model = CellModel::of(grid, kAround);
    for (int trial = 0; trial < 20; ++trial) {
        const CellBox box = randomBox(random);
        const auto copy = copyRegion(grid, box);
        ASSERT_TRUE(copy.ok());
        const Revision revision = grid.revision();
        for (const EmptyCells empty : {EmptyCells::Paste, EmptyCells::Skip}) {
            const auto pasted = pasteRegion(grid, box.min, *copy, empty);
            ASSERT_TRUE(pasted.ok());
            EXPECT_EQ(pasted->changedCells, 0);
        }
        EXPECT_EQ(grid.revision(), revision);
        ASSERT_TRUE(clearRegion(grid, box).ok());
        ASSERT_TRUE(pasteRegion(grid, box.min, *copy).ok());
        expectCells(grid, model, "identity");
    }
}

TEST(RegionOps, V32_CountsEqualBruteForce) {
    Random random(5);
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-29, -28, -27}, {29, 28, 26}}, 9);
    ASSERT_TRUE(fillRegion(grid, {{-32, 0, 0}, {0, 32, 32}}, 3).ok());
    const GridSnapshot snapshot = grid.snapshot();
    const auto expect = [&](const CellBox& box, const CellCount& got) {
        CellCount count;
        CellModel::forEach(box, [&](CellCoord c) {
            const Cell cell = grid.cell(c);
            if (cell.empty()) return;
            ++count.cells;
            ++count.byMaterial[cell.material];
            ++(cell.material == kWater ? count.water : count.solid);
        });
        EXPECT_EQ(got.cells, count.cells);
        EXPECT_EQ(got.solid, count.solid);
        EXPECT_EQ(got.water, count.water);
        EXPECT_EQ(got.byMaterial, count.byMaterial);
    };
    expect({{-32, -32, -32}, {32, 32, 32}}, countCells(snapshot));
    for (int trial = 0; trial < 20; ++trial) {
        const CellBox box = randomBox(random);
        expect(box, countCells(snapshot, box).value());
    }
    const CellBox all{{-kCellLimit, -kCellLimit, -kCellLimit}, {kCellLimit, kCellLimit, kCellLimit}};
    EXPECT_EQ(countCells(snapshot, all).value().cells, countCells(snapshot).cells);
}

TEST(RegionOps, V32_TheSeaComesIn) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(grid.setCell({3, 3, 3}, {5, 9}).ok());
    ASSERT_TRUE(replaceMaterial(grid, {{0, 0, 0}, {32, 32, 32}}, kAir, kWater).ok());
    const CellCount count = countCells(grid.snapshot());
    EXPECT_EQ(count.water, 32767);
    EXPECT_EQ(grid.cell({3, 3, 3}), (Cell{5, 9}));
    ASSERT_TRUE(replaceMaterial(grid, {{0, 0, 0}, {32, 32, 32}}, kWater, kAir).ok());
    EXPECT_EQ(countCells(grid.snapshot()).cells, 1);
}

}  // namespace
}  // namespace karst::voxel
