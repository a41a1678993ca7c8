#include <karst/voxel/fill_shapes.h>

#include "short_rays.h"

namespace karst::physics_bullet {
namespace {

TEST(TerrainBodyRaysSlow, V24_FiftyThousandShortRaysMeetTheSameVoxelGroundAsBullets) {
    VoxelWorld world({{-40, -24, -40}, {40, 24, 40}}, [](voxel::CellCoord c) {
        const double d = c.y - 6 * std::sin(0.17 * c.x) * std::cos(0.13 * c.z);
        return voxel::Cell{4,
                           static_cast<std::uint8_t>(std::lround(255 * std::clamp(0.5 - 0.5 * d, 0.0, 1.0)))};
    });
    test::Random random(5);
    for (int i = 0; i < 30; ++i) {
        const WorldPosition at{random.range(-36, 36), random.range(-10, 8), random.range(-36, 36)};
        EXPECT_TRUE(voxel::fillBall(world.grid, at, random.range(2, 6), random.chance(0.7) ? 0 : 4).ok());
    }
    world.sync();
    expectSame(castMany(world, 50'000, 11), 50'000);
}

TEST(TerrainBodyRaysSlow, H29_FiftyThousandShortRaysMeetTheSameTilesAsBullets) {
    HeightWorld world(3, 3, 1.25, [](double x, double z) {
        return 5 * std::sin(0.21 * x) * std::cos(0.17 * z) + std::sin(0.9 * x + 0.7 * z);
    });
    test::Random random(6);
    for (int i = 0; i < 20; ++i) {
        world.dig({random.range(-50, 50), random.range(-50, 50), random.range(2, 8), random.range(1, 5),
                   random.range(0, 1)});
    }
    expectSame(castMany(world, 50'000, 12), 50'000);
}

}  // namespace
}  // namespace karst::physics_bullet
