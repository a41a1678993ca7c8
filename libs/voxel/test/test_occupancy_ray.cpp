#include <gtest/gtest.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>
#include <karst/voxel/occupancy_ray.h>
#include <karst_test/test_support.h>

#include <cmath>

#include "cell_model.h"

namespace karst::voxel {
namespace {

using test::Random;

constexpr MaterialId kWater = 1, kRock = 4;

double fraction(const CellView& view, WorldPosition p, RayTarget target) {
    const PointSample s = sampleAt(view, p).value();
    return (target != RayTarget::Water ? s.solid : 0) + (target != RayTarget::Solid ? s.water : 0);
}

/// Goes along in small steps, then halves the first one that reaches 0.5; -1 where none does.
double marched(const CellView& view, WorldPosition origin, Vec3d unit, double length, double step,
               RayTarget target) {
    const auto at = [&](double t) { return fraction(view, origin + unit * t, target) >= 0.5; };
    if (at(0)) return 0;
    double low = 0;
    while (low < length) {
        double high = std::min(low + step, length);
        if (at(high)) {
            for (int i = 0; i < 50; ++i) {
                const double middle = 0.5 * (low + high);
                (at(middle) ? high : low) = middle;
            }
            return high;
        }
        low = high;
    }
    return -1;
}

class OccupancyRay : public ::testing::Test {
  protected:
    void SetUp() override {
        GridDefinition definition;
        definition.placement = {0.5, {3, -2, 7}};
        grid.emplace(Grid::create(definition).value());
        fillAtRandom(*grid, {{-36, -34, -35}, {35, 36, 34}}, 4);
        // Room for rays: tunnels, a big cave, a pond, and empty chunks around.
        const GridPlacement& p = grid->placement();
        ASSERT_TRUE(fillBall(*grid, p.cellCenter({0, 0, 0}), 9, kAir).ok());
        ASSERT_TRUE(fillBall(*grid, p.cellCenter({-20, 10, -20}), 4, kWater).ok());
        for (int i = 0; i < 40; ++i) {
            Random random(static_cast<std::uint64_t>(i));
            ASSERT_TRUE(fillBall(*grid,
                                 p.cellCenter({random.integer(-34, 34), random.integer(-34, 34),
                                               random.integer(-34, 34)}),
                                 random.range(1, 4), i % 3 ? kAir : kRock)
                            .ok());
        }
    }
    std::optional<Grid> grid;

    void compare(WorldPosition origin, Vec3d direction, double length, RayTarget target) {
        const auto got = castOccupancyRay(*grid, origin, direction, length, target);
        ASSERT_TRUE(got.ok()) << got.error().message;
        const Vec3d unit = normalized(direction);
        const double cell = grid->placement().cellSize;
        const double expected = marched(*grid, origin, unit, length, cell / 100, target);
        if (!got->has_value()) {
            // A march cannot see what the ray missed, but for rounding at the very threshold and end.
            if (expected >= 0) {
                EXPECT_NEAR(fraction(*grid, origin + unit * expected, target), 0.5, 1e-7);
                EXPECT_GT(expected, length - 1e-6);
            }
            ++misses;
            return;
        }
        const OccupancyHit& hit = **got;
        ++hits;
        EXPECT_LE(hit.distance, length);
        EXPECT_NEAR(length_(hit.normal), 1, 1e-9);
        EXPECT_NEAR(length_(hit.point - (origin + unit * hit.distance)), 0, 1e-9);
        EXPECT_EQ(grid->cell(hit.cell).material, hit.material);
        const WorldPosition middle = grid->placement().cellCenter(hit.cell);
        const Vec3d away = hit.point - middle;
        EXPECT_LE(std::max({std::abs(away.x), std::abs(away.y), std::abs(away.z)}), cell * (1 + 1e-6));
        const double at = fraction(*grid, hit.point, target);
        if (hit.distance == 0) {
            EXPECT_GE(at, 0.5 - 1e-7);
        } else {
            EXPECT_NEAR(at, 0.5, 1e-6);
            EXPECT_LE(dot(hit.normal, unit), 1e-6);
        }
        // The march may step over a thin rim that the ray sees, never the other way round.
        if (expected < 0 || std::abs(expected - hit.distance) > 1e-6 * cell) {
            EXPECT_TRUE(expected < 0 || hit.distance < expected) << hit.distance << " " << expected;
            const double behind = fraction(*grid, origin + unit * (hit.distance + cell / 200), target);
            EXPECT_LT(behind, 0.505);
            ++thin;
        }
        const PointSample s = sampleAt(*grid, hit.point).value();
        if (target == RayTarget::Solid && hit.distance > 0) {
            // Rounding decides where two materials have the same share.
            if (hit.material != s.solidMaterial) ++ties;
        }
    }
    static double length_(Vec3d v) { return karst::length(v); }
    int hits = 0, misses = 0, thin = 0, ties = 0;
};

TEST_F(OccupancyRay, V32_EqualsAFineMarch) {
    Random random(6);
    const GridPlacement& p = grid->placement();
    for (int trial = 0; trial < 300; ++trial) {
        const WorldPosition origin =
            p.origin +
            Vec3d{random.range(-45, 45), random.range(-45, 45), random.range(-45, 45)} * p.cellSize;
        const Vec3d direction{random.range(-3, 3), random.range(-3, 3), random.range(-3, 3)};
        compare(origin, direction, random.range(1, 40), static_cast<RayTarget>(trial % 3));
    }
    EXPECT_GT(hits, 100);
    EXPECT_GT(misses, 20);
    EXPECT_LT(thin, 8);
    EXPECT_LT(ties, 4);
}

TEST_F(OccupancyRay, V32_AlongAxesOnBordersAndCorners) {
    Random random(7);
    const GridPlacement& p = grid->placement();
    for (int trial = 0; trial < 300; ++trial) {
        // On cell borders, cell middles (where samples are) and chunk corners.
        const double grain = trial % 2 ? 0.5 : 16;
        const auto coordinate = [&] {
            return grain * random.integer(static_cast<int>(-40 / grain), static_cast<int>(40 / grain));
        };
        const WorldPosition origin = p.origin + Vec3d{coordinate(), coordinate(), coordinate()} * p.cellSize;
        Vec3d direction{double(random.integer(-1, 1)), double(random.integer(-1, 1)),
                        double(random.integer(-1, 1))};
        if (direction == Vec3d{}) direction.y = -1;
        compare(origin, direction, 30, static_cast<RayTarget>(trial % 3));
    }
    EXPECT_GT(hits, 100);
    EXPECT_GT(misses, 5);
}

TEST_F(OccupancyRay, V32_InsideHitsAtOnce) {
    Grid solid = Grid::create({}).value();
    ASSERT_TRUE(fillRegion(solid, {{-32, -32, -32}, {32, 32, 32}}, kRock).ok());
    const auto hit = castOccupancyRay(solid, {1, 2, 3}, {0, 0, 5}, 10).value();
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->distance, 0);
    EXPECT_EQ(hit->normal, (Vec3d{0, 0, -1}));
    EXPECT_EQ(hit->material, kRock);
    EXPECT_EQ(hit->cell, (CellCoord{0, 0, 0}));
}

TEST_F(OccupancyRay, V32_AFloorIsHitWhereItsFractionIs) {
    Grid floor = Grid::create({}).value();
    // Half a cell of rock on full ones: the surface is half way up between the middles of the two.
    ASSERT_TRUE(fillRegion(floor, {{-64, -40, -64}, {64, 0, 64}}, kRock).ok());
    const auto flat = castOccupancyRay(floor, {17.3, 500, -4.4}, {0, -2, 0}, 600).value();
    ASSERT_TRUE(flat.has_value());
    EXPECT_NEAR(flat->point.y, 0, 1e-9);
    EXPECT_NEAR(flat->distance, 500, 1e-9);
    EXPECT_EQ(flat->normal, (Vec3d{0, 1, 0}));
    EXPECT_EQ(flat->cell, (CellCoord{4, -1, -2}));
    EXPECT_FALSE(castOccupancyRay(floor, {17.3, 500, -4.4}, {0, -2, 0}, 499.99).value().has_value());
    EXPECT_FALSE(castOccupancyRay(floor, {17.3, 500, -4.4}, {0, 2, 0}, 60000).value().has_value());
    // Under water: the sheet first, or the floor.
    ASSERT_TRUE(fillRegion(floor, {{-64, 0, -64}, {64, 5, 64}}, kWater).ok());
    const auto sheet =
        castOccupancyRay(floor, {0, 100, 0}, {0.5, -1, 0}, 300, RayTarget::SolidOrWater).value();
    ASSERT_TRUE(sheet.has_value());
    EXPECT_NEAR(sheet->point.y, 20, 1e-9);
    EXPECT_EQ(sheet->material, kWater);
    const auto bed = castOccupancyRay(floor, {0, 100, 0}, {0.5, -1, 0}, 300, RayTarget::Solid).value();
    ASSERT_TRUE(bed.has_value());
    EXPECT_NEAR(bed->point.y, 0, 1e-9);
    // From the rock up, water begins at its bed.
    const auto up = castOccupancyRay(floor, {0, -50, 0}, {0, 1, 0}, 300, RayTarget::Water).value();
    ASSERT_TRUE(up.has_value());
    EXPECT_NEAR(up->point.y, 0, 1e-9);
    EXPECT_NEAR(up->normal.y, -1, 1e-12);
}

TEST_F(OccupancyRay, V32_LongRaysThroughNothingEnd) {
    Grid far = Grid::create({}).value();
    ASSERT_TRUE(fillBall(far, {4 * 1000000.0, 4 * 500000.0, 0}, 400, kRock).ok());
    const auto hit = castOccupancyRay(far, {0, 0, 0}, {2, 1, 0}, 4 * 1048576.0 * 1.0).value();
    EXPECT_FALSE(hit.has_value());
    const auto nearer = castOccupancyRay(far, {2000000, 1000000, 0}, {2, 1, 0}, 4e6).value();
    ASSERT_TRUE(nearer.has_value());
    EXPECT_NEAR(nearer->distance, std::sqrt(5.0) * 1e6 - 400, 0.4);
    // Out of the limit the world ends.
    EXPECT_FALSE(
        castOccupancyRay(far, {4.0 * kCellLimit - 100, 0, 0}, {1, 0.001, 0}, 4e6).value().has_value());
}

}  // namespace
}  // namespace karst::voxel
