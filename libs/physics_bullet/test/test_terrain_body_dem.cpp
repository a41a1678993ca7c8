// Bodies and rays on tiles of a real DEM: SRTM of the Pyrenees, cells of 93 m, slopes up to cliffs.
#include <fstream>
#include <set>

#include "short_rays.h"

namespace karst::physics_bullet {
namespace {

constexpr int kSamples = 1201;
constexpr std::uint32_t kTiles = 4;
constexpr int kCells = static_cast<int>(kTiles * HeightWorld::kTileCells);
constexpr double kSpacing = 92.6;

/// Heights of a window without a void, as high as there is one.
struct Mountains {
    std::vector<int> heights;
    int column = -1, row = -1, low = 0, high = 0;

    explicit Mountains(const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        for (int i = 0; i < kSamples * kSamples; ++i) {
            const int upper = file.get(), lower = file.get();
            heights.push_back(static_cast<std::int16_t>(upper << 8 | lower));
        }
        EXPECT_TRUE(file.good());
        for (int z = 1; z + kCells + 2 < kSamples; z += 16) {
            for (int x = 1; x + kCells + 2 < kSamples; x += 16)
                look(x, z);
        }
    }
    double at(double x, double z) const {
        const int i = column + static_cast<int>(std::lround(x / kSpacing)) + kCells / 2;
        const int j = row + static_cast<int>(std::lround(z / kSpacing)) + kCells / 2;
        return heights[static_cast<std::size_t>(i + kSamples * j)];
    }

  private:
    void look(int x, int z) {
        int lowest = 10000, highest = -10000;
        for (int j = z - 1; j <= z + kCells + 1; ++j) {
            for (int i = x - 1; i <= x + kCells + 1; ++i) {
                const int height = heights[static_cast<std::size_t>(i + kSamples * j)];
                if (height < -1000) return;
                lowest = std::min(lowest, height);
                highest = std::max(highest, height);
            }
        }
        if (highest - lowest <= high - low) return;
        column = x, row = z, low = lowest, high = highest;
    }
};

HeightWorld worldOf(const Mountains& mountains) {
    return HeightWorld(kTiles, kTiles, kSpacing, [&](double x, double z) { return mountains.at(x, z); });
}

TEST(TerrainBodyDemSlow, H29_NoBodyFallsThroughARealMountainWithCratersUnderIt) {
    KARST_REAL_DATA_OR_SKIP(path, "N42E001.hgt");
    const Mountains mountains(path);
    ASSERT_GT(mountains.high - mountains.low, 1000) << "mountains are steep";
    HeightWorld world = worldOf(mountains);
    test::Random random(29);
    const auto groundBelow = [&](Vec3d at) {
        const auto hit = world.shape->castRay({{at.x, 5000, at.z}, {0, -1, 0}});
        return hit ? 5000 - hit->t : -1e9;
    };
    constexpr int kBodies = 300;
    for (int i = 0; i < kBodies; ++i) {
        const auto size = [&] { return btScalar(random.range(0.5, 6)); };
        std::shared_ptr<btCollisionShape> shape;
        if (random.chance(0.5)) {
            shape = std::make_shared<btSphereShape>(size());
        } else {
            shape = std::make_shared<btBoxShape>(btVector3(size(), size(), size()));
        }
        // Every third one over the border of a tile.
        Vec3d at{random.range(-3000, 3000), 0, random.range(-3000, 3000)};
        if (i % 3 == 0)
            at.x = random.integer(-1, 1) * kSpacing * HeightWorld::kTileCells + random.range(-2, 2);
        at.y = groundBelow(at) + random.range(12, 40);
        btRigidBody& body = world.bullet.add(std::move(shape), toBullet(toFloat(at)));
        body.setFriction(btScalar(0.8));
        body.setRollingFriction(btScalar(0.3));
        body.setDamping(btScalar(0.05), btScalar(0.2));
    }
    std::set<int> under, touched;  // bodies that were so once
    std::vector<int> stepsInside(kBodies);
    int woken = 0;
    for (int step = 0; step < 12 * 60; ++step) {
        world.bullet.step();
        if (step % 15 == 0 && step >= 60 && step < 8 * 60) {
            const auto which = static_cast<std::size_t>(random.integer(0, kBodies - 1));
            const Vec3d at = toDouble(world.bullet.bodies[which]->getWorldTransform().getOrigin());
            if (std::max(std::abs(at.x), std::abs(at.z)) > 5000) continue;
            woken += world.dig({at.x, at.z, random.range(100, 400), random.range(5, 60), 2});
            EXPECT_LE(world.last.set, 4u);
        }
        if (step % 6 != 5) continue;
        for (int i = 0; i < kBodies; ++i) {
            const auto place = static_cast<std::size_t>(i);
            const btVector3 at = world.bullet.bodies[place]->getWorldTransform().getOrigin();
            stepsInside[place] = world.isInside(at) ? stepsInside[place] + 6 : 0;
            const double height = groundBelow(toDouble(at));
            // A second below the ground, or as far below as no body is large.
            if (stepsInside[place] >= 60 || double(at.y()) < height - 11) under.insert(i);
            if (double(at.y()) < height + 12) touched.insert(i);
        }
    }
    EXPECT_EQ(under.size(), 0u);
    EXPECT_EQ(touched.size(), static_cast<std::size_t>(kBodies));
    EXPECT_GT(woken, 20);
}

TEST(TerrainBodyDemSlow, H29_ShortRaysMeetTheSameMountainAsBullets) {
    KARST_REAL_DATA_OR_SKIP(path, "N42E001.hgt");
    const Mountains mountains(path);
    HeightWorld world = worldOf(mountains);
    expectSame(castMany(world, 20'000, 13), 20'000);
}

}  // namespace
}  // namespace karst::physics_bullet
