#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/voxel/brushes.h>
#include <karst/voxel/fill_shapes.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>

#include "cell_model.h"
#include "shape_coverage.h"

namespace karst::voxel {
namespace {

using test::Random;

constexpr MaterialId kWater = 1, kGrass = 2, kRock = 4;

/// The rules of fill_shapes.h once more, in their words.
Cell combined(Cell cell, int c, MaterialId material, FillMode mode) {
    const bool solid = cell.material >= 2, water = cell.material == kWater;
    const int o = cell.occupancy;
    if (c == 0) return cell;
    if (mode == FillMode::Paint) {
        if (solid && c >= 128) cell.material = material;
        return cell;
    }
    if (material == kAir) return canonical({cell.material, static_cast<std::uint8_t>(std::min(o, 255 - c))});
    const bool same = material == kWater ? water : solid;
    if (material == kWater && solid) return cell;
    if (!same) return {material, static_cast<std::uint8_t>(c)};
    return {c >= 128 || c >= o ? material : cell.material, static_cast<std::uint8_t>(std::max(o, c))};
}

struct Script {
    Grid grid;
    CellBox box;
    CellModel model;

    void expect(const Result<EditSummary>& edited, const CellModel& before, Revision revision,
                const char* what) {
        ASSERT_TRUE(edited.ok()) << edited.error().message;
        expectCells(grid, model, what);
        const std::int64_t changes = model.changes(before);
        EXPECT_EQ(edited->changedCells, changes) << what;
        EXPECT_EQ(edited->revision, revision + (changes > 0 ? 1 : 0)) << what;
        CellBox bounds;
        CellModel::forEach(box, [&](CellCoord c) {
            if (model.at(c) != before.at(c)) bounds = unite(bounds, {c, {c.x + 1, c.y + 1, c.z + 1}});
        });
        EXPECT_EQ(edited->bounds, bounds) << what;
    }
};

TEST(FillShapes, V32_ScriptsOfFillsEqualTheRulesCellByCell) {
    Random random(21);
    GridDefinition definition;
    definition.placement = {0.5, {100.25, -7, 3}};
    // Around corners of eight chunks, of negative and positive coordinates.
    const CellBox box{{-20, -22, -19}, {21, 20, 23}};
    Script s{Grid::create(definition).value(), box, {}};
    fillAtRandom(s.grid, box, 5);
    s.model = CellModel::of(s.grid, box);
    const GridPlacement& placement = s.grid.placement();
    for (int step = 0; step < 120; ++step) {
        const CellModel before = s.model;
        const Revision revision = s.grid.revision();
        const FillMode mode = random.chance(0.2) ? FillMode::Paint : FillMode::Combine;
        MaterialId material = static_cast<MaterialId>(random.integer(0, 5));
        if (mode == FillMode::Paint) material = static_cast<MaterialId>(random.integer(2, 5));
        Pose pose{placement.cellCenter({random.integer(-8, 8), random.integer(-8, 8), random.integer(-8, 8)}),
                  {}};
        if (random.chance(0.7)) {
            pose.center =
                pose.center + Vec3d{random.unit(), random.unit(), random.unit()} * placement.cellSize;
        }
        if (random.chance(0.5)) {
            pose.rotation =
                Rotation::aboutAxis({random.range(-1, 1), 1, random.range(-1, 1)}, random.range(-3, 3))
                    .value();
        }
        const double a = placement.cellSize * random.range(0.3, 9),
                     b = placement.cellSize * random.range(0.3, 9),
                     c = placement.cellSize * random.range(0.3, 9);
        const auto expected = [&](const ShapeCoverage& shape) {
            CellModel::forEach(box, [&](CellCoord cell) {
                s.model[cell] = combined(s.model[cell], shape.coverage(cell), material, mode);
            });
        };
        switch (random.integer(0, 4)) {
            case 0:
                expected(ShapeCoverage::ball(placement, pose.center, a));
                s.expect(fillBall(s.grid, pose.center, a, material, mode), before, revision, "ball");
                break;
            case 1:
                expected(ShapeCoverage::block(placement, pose, {a, b, c}));
                s.expect(fillBlock(s.grid, pose, {a, b, c}, material, mode), before, revision, "block");
                break;
            case 2:
                expected(ShapeCoverage::cylinder(placement, pose, a, b * 0.8));
                s.expect(fillCylinder(s.grid, pose, a, b * 0.8, material, mode), before, revision,
                         "cylinder");
                break;
            case 3:
                expected(ShapeCoverage::wedge(placement, pose, {a, b, c}));
                s.expect(fillWedge(s.grid, pose, {a, b, c}, material, mode), before, revision, "wedge");
                break;
            default: {
                const CellCoord low{random.integer(-20, 10), random.integer(-20, 10),
                                    random.integer(-19, 10)};
                const CellBox region{low,
                                     {low.x + random.integer(1, 10), low.y + random.integer(1, 10),
                                      low.z + random.integer(1, 12)}};
                CellModel::forEach(region, [&](CellCoord cell) {
                    s.model[cell] = combined(s.model[cell], 255, material, mode);
                });
                s.expect(fillRegion(s.grid, region, material, mode), before, revision, "region");
            }
        }
        if (::testing::Test::HasFailure()) FAIL() << "step " << step;
    }
}

TEST(FillShapes, V32_AStrokeDrawnTwiceIsTheStroke) {
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-16, -16, -16}, {16, 16, 16}}, 8);
    for (const MaterialId material : {kRock, kAir, kWater}) {
        ASSERT_TRUE(fillBall(grid, {3, 2, 1}, 41, material).ok());
        const Revision revision = grid.revision();
        const auto again = fillBall(grid, {3, 2, 1}, 41, material);
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(again->changedCells, 0);
        EXPECT_EQ(grid.revision(), revision);
    }
}

TEST(FillShapes, V32_WaterFillsOnlyFreeSpaceAndSolidDisplacesIt) {
    Grid grid = Grid::create({}).value();
    const CellBox box{{-4, 0, -4}, {4, 4, 4}};
    ASSERT_TRUE(grid.setCell({0, 1, 0}, {kRock, 100}).ok());
    ASSERT_TRUE(fillRegion(grid, box, kWater).ok());
    EXPECT_EQ(grid.cell({0, 1, 0}), (Cell{kRock, 100}));
    EXPECT_EQ(grid.cell({1, 1, 0}), (Cell{kWater, 255}));
    ASSERT_TRUE(fillBlock(grid, {{6, 6, 2}, {}}, {4, 4, 2}, kGrass).ok());
    EXPECT_EQ(grid.cell({1, 1, 0}), (Cell{kGrass, 128}));
    // Digging takes both.
    ASSERT_TRUE(fillRegion(grid, box, kAir).ok());
    EXPECT_EQ(grid.chunkCount(), 0u);
}

TEST(FillShapes, V32_WedgeRisesTowardsItsZ) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(fillWedge(grid, {{16, 16, 16}, {}}, {32, 32, 32}, kRock).ok());
    // Cells 0..7: the diagonal halves those with y = z.
    CellModel::forEach({{0, 0, 0}, {8, 8, 8}}, [&](CellCoord c) {
        const int expected = c.y < c.z ? 255 : c.y == c.z ? 128 : 0;
        EXPECT_EQ(int{grid.cell(c).occupancy}, expected) << c.x << " " << c.y << " " << c.z;
    });
}

TEST(FillShapes, V32_WholeChunksInsideTakeNoArray) {
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(fillBall(grid, {}, 4 * 100, kRock).ok());
    const Chunk* chunk = grid.chunk({0, 0, 0});
    ASSERT_NE(chunk, nullptr);
    EXPECT_TRUE(chunk->uniform());
    EXPECT_EQ(chunk->uniformCell(), (Cell{kRock, 255}));
    ASSERT_TRUE(fillBall(grid, {}, 4 * 100, kAir).ok());
    EXPECT_EQ(grid.chunk({0, 0, 0}), nullptr);
}

TEST(FillShapes, V32_SignedDistanceIsNearTheExactShape) {
    Random random(31);
    GridDefinition definition;
    definition.placement = {2, {1, 2, 3}};
    for (int trial = 0; trial < 6; ++trial) {
        Grid exact = Grid::create(definition).value(), sampled = Grid::create(definition).value();
        const Pose pose{{random.range(-9, 9), random.range(-9, 9), random.range(-9, 9)},
                        Rotation::aboutAxis({1, random.range(-1, 1), 0.3}, random.range(0, 3)).value()};
        const CellBox region{{-37, -37, -37}, {37, 37, 37}};
        if (trial % 2 == 0) {
            const double r = random.range(8, 40);
            ASSERT_TRUE(fillBall(exact, pose.center, r, kRock).ok());
            ASSERT_TRUE(
                fillSignedDistance(
                    sampled, region, [&](WorldPosition p) { return length(p - pose.center) - r; }, kRock)
                    .ok());
        } else {
            const Vec3d size{random.range(5, 40), random.range(5, 40), random.range(5, 40)};
            ASSERT_TRUE(fillBlock(exact, pose, size, kRock).ok());
            const auto distance = [&](WorldPosition p) {
                const Vec3d d = p - pose.center;
                const double q[3] = {std::abs(dot(d, pose.rotation.x)) - size.x / 2,
                                     std::abs(dot(d, pose.rotation.y)) - size.y / 2,
                                     std::abs(dot(d, pose.rotation.z)) - size.z / 2};
                const Vec3d out{std::max(q[0], 0.0), std::max(q[1], 0.0), std::max(q[2], 0.0)};
                return length(out) + std::min(std::max({q[0], q[1], q[2]}), 0.0);
            };
            ASSERT_TRUE(fillSignedDistance(sampled, region, distance, kRock).ok());
        }
        int worst = 0;
        CellModel::forEach(region, [&](CellCoord c) {
            worst = std::max(worst, std::abs(int{exact.cell(c).occupancy} - int{sampled.cell(c).occupancy}));
        });
        // Rounded edges blur a little more than flat faces.
        EXPECT_LE(worst, trial % 2 == 0 ? 6 : 12) << trial;
        EXPECT_GT(sampled.snapshot().chunkCount(), 0u);
    }
}

TEST(FillShapes, V32_SignedDistanceMayReadTheGridAndStaysInItsRegion) {
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-8, -8, -8}, {8, 8, 8}}, 3);
    const CellBox region{{-5, -3, -6}, {7, 6, 5}};
    const double s = grid.placement().cellSize;
    std::vector<WorldPosition> first, second;
    for (auto* asked : {&first, &second}) {
        Grid copy = grid.clone();
        ASSERT_TRUE(fillSignedDistance(
                        copy, region,
                        [&](WorldPosition p) {
                            asked->push_back(p);
                            EXPECT_TRUE(p.x > -5 * s && p.x < 7 * s && p.y > -3 * s && p.y < 6 * s &&
                                        p.z > -6 * s && p.z < 5 * s);
                            return copy.cell({0, 0, 0}).empty() ? p.y : p.y - 1;
                        },
                        kAir)
                        .ok());
        CellModel::forEach({{-8, -8, -8}, {8, 8, 8}}, [&](CellCoord c) {
            const Cell before = grid.cell(c), after = copy.cell(c);
            if (!region.contains(c) || c.y > 0) {
                EXPECT_EQ(before, after);
            } else if (c.y < 0) {
                EXPECT_TRUE(after.empty());
            }
        });
    }
    EXPECT_EQ(first, second);
}

TEST(FillShapes, V32_ResultsAreTheSameEverywhere) {
    // Numbers that every compiler must come to: no sine in the arguments.
    GridDefinition definition;
    definition.placement = {1.25, {-3.7, 11.1, 0.3}};
    Grid grid = Grid::create(definition).value();
    Random random(77);
    for (int i = 0; i < 60; ++i) {
        const Vec3d center{random.range(-40, 40), random.range(-40, 40), random.range(-40, 40)};
        const Vec3d q{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        const Pose pose{center, Rotation::fromQuaternion(q.x, q.y, q.z, 0.5).value()};
        const Vec3d size{random.range(1, 40), random.range(1, 40), random.range(1, 40)};
        const MaterialId material = static_cast<MaterialId>(random.integer(0, 4));
        ASSERT_TRUE(fillBlock(grid, pose, size, material).ok());
        ASSERT_TRUE(fillBall(grid, pose.center, size.x / 2, kRock).ok());
        ASSERT_TRUE(fillCylinder(grid, pose, size.y, size.z / 3, material).ok());
        ASSERT_TRUE(fillWedge(grid, pose, size, kAir).ok());
    }
    const auto distance = [](WorldPosition p) { return length(p - Vec3d{7, 8, 9}) - 21; };
    ASSERT_TRUE(fillSignedDistance(grid, {{-40, -40, -40}, {40, 40, 40}}, distance, kGrass).ok());
    ASSERT_TRUE(brushSmooth(grid, {{20, 10, 0}, 30, 0.8}).ok());
    ASSERT_TRUE(brushGrow(grid, {{-20, 10, 0}, 30, 0.6}).ok());
    ASSERT_TRUE(brushErode(grid, {{20, 10, 30}, 20, 0.7}).ok());
    ASSERT_TRUE(brushFlatten(grid, {{0, 30, 30}, 20, 1}, {{0, 30, 30}, {1, 3, 2}}).ok());
    Hasher hash;
    grid.snapshot().forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
        hash.u32(static_cast<std::uint32_t>(c.x))
            .u32(static_cast<std::uint32_t>(c.y))
            .u32(static_cast<std::uint32_t>(c.z));
        for (std::int32_t i = 0; i < kChunkCellCount; ++i)
            hash.u32(static_cast<std::uint32_t>(chunk.cell(i).material * 256 + chunk.cell(i).occupancy));
    });
    EXPECT_EQ(hash.value(), 18078590516103764411u);
}

}  // namespace
}  // namespace karst::voxel
