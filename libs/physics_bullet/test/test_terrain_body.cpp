#include <gtest/gtest.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>

#include <cmath>
#include <map>

#include "../../voxel_mesh/test/surface_checks.h"
#include "bullet_world.h"

namespace karst::physics_bullet {
namespace {

using voxel::Cell;
using voxel::CellCoord;

constexpr Cell kSolid{4, 255};

/// Cells of 1 m; the ground is flat, its surface at y = 0.
struct FlatWorld {
    voxel::Grid grid;
    std::shared_ptr<physics::TerrainShape> shape;
    std::unique_ptr<physics::VoxelColliders> colliders;
    BulletWorld bullet;
    std::unique_ptr<TerrainBody> terrain;

    explicit FlatWorld(int halfX = 128, int halfZ = 64) : grid(makeGrid()) {
        voxel_mesh::fill(grid, {{-halfX, -32, -halfZ}, {halfX, 0, halfZ}}, [](CellCoord) { return kSolid; });
        shape = *physics::TerrainShape::create(
            physics::shapeDefinitionFor(grid.placement(), {{-halfX, -32, -halfZ}, {halfX, 32, halfZ}}));
        colliders = std::make_unique<physics::VoxelColliders>(shape);
        EXPECT_TRUE(colliders->update(grid).ok());
        terrain = std::make_unique<TerrainBody>(bullet.world, shape);
    }
    static voxel::Grid makeGrid() {
        voxel::GridDefinition definition;
        definition.placement.cellSize = 1;
        return std::move(voxel::Grid::create(definition)).value();
    }
    int edit(const voxel::CellBox& box, Cell cell) {
        voxel_mesh::fill(grid, box, [&](CellCoord) { return cell; });
        EXPECT_TRUE(colliders->update(grid).ok());
        return terrain->sync();
    }
};

TEST(TerrainBody, V26_ABallRollsOver200MetresOfFlatGroundWithoutABump) {
    FlatWorld world;
    auto ball = std::make_shared<btSphereShape>(btScalar(0.5));
    btRigidBody& body = world.bullet.add(ball, {-100, btScalar(0.5), btScalar(0.37)});
    body.setDamping(0, 0);
    body.setActivationState(DISABLE_DEACTIVATION);
    world.bullet.step(30);
    const btScalar height = body.getWorldTransform().getOrigin().y();
    body.setLinearVelocity({20, 0, 0});
    body.setAngularVelocity({0, 0, -40});
    double lowest = 1e9, highest = -1e9, aside = 0;
    for (int i = 0; i < 600; ++i) {
        world.bullet.step();
        const btVector3 at = body.getWorldTransform().getOrigin();
        lowest = std::min<double>(lowest, at.y());
        highest = std::max<double>(highest, at.y());
        aside = std::max(aside, std::abs(double(at.z()) - 0.37));
    }
    EXPECT_GT(body.getWorldTransform().getOrigin().x(), 95);
    EXPECT_LT(highest - height, 0.01);
    EXPECT_LT(height - lowest, 0.01);
    EXPECT_LT(aside, 0.01);
}

TEST(TerrainBody, V26_ABoxSlidesOver200MetresOfFlatGroundWithoutABump) {
    FlatWorld world;
    auto box = std::make_shared<btBoxShape>(btVector3(btScalar(0.6), btScalar(0.4), btScalar(0.5)));
    btRigidBody& body = world.bullet.add(box, {-100, btScalar(0.4), btScalar(0.21)});
    body.setFriction(0);
    body.setDamping(0, 0);
    body.setActivationState(DISABLE_DEACTIVATION);
    world.bullet.step(30);
    const btScalar height = body.getWorldTransform().getOrigin().y();
    body.setLinearVelocity({20, 0, 0});
    double lowest = 1e9, highest = -1e9, aside = 0, slowest = 1e9, turned = 0;
    for (int i = 0; i < 600; ++i) {
        world.bullet.step();
        const btVector3 at = body.getWorldTransform().getOrigin();
        lowest = std::min<double>(lowest, at.y());
        highest = std::max<double>(highest, at.y());
        aside = std::max(aside, std::abs(double(at.z()) - 0.21));
        slowest = std::min<double>(slowest, body.getLinearVelocity().x());
        turned = std::max<double>(turned, body.getWorldTransform().getRotation().getAngle());
    }
    EXPECT_GT(body.getWorldTransform().getOrigin().x(), 95);
    EXPECT_LT(highest - height, 0.01);
    EXPECT_LT(height - lowest, 0.01);
    EXPECT_LT(aside, 0.01);
    EXPECT_GT(slowest, 19.9);
    EXPECT_LT(turned, 0.01);
}

TEST(TerrainBody, V28_ABodyAsleepOnEditedGroundWakesAndFalls) {
    FlatWorld world(64, 64);
    btRigidBody& body = world.bullet.add(std::make_shared<btSphereShape>(btScalar(0.5)), {10, 1, 10});
    btRigidBody& other = world.bullet.add(std::make_shared<btSphereShape>(btScalar(0.5)), {-50, 1, -50});
    for (int i = 0; i < 600 && (body.isActive() || other.isActive()); ++i)
        world.bullet.step();
    ASSERT_FALSE(body.isActive());
    ASSERT_FALSE(other.isActive());
    EXPECT_NEAR(body.getWorldTransform().getOrigin().y(), 0.5, 0.02);
    EXPECT_GE(world.edit({{7, -6, 7}, {14, 0, 14}}, {}), 1);
    EXPECT_TRUE(body.isActive());
    EXPECT_FALSE(other.isActive()) << "far from the edit";
    world.bullet.step(240);
    EXPECT_NEAR(body.getWorldTransform().getOrigin().y(), -5.5, 0.1);
    // A layer laid under it, half of its height: it is lifted out.
    world.edit({{7, -6, 7}, {14, -5, 14}}, kSolid);
    world.bullet.step(240);
    EXPECT_NEAR(body.getWorldTransform().getOrigin().y(), -4.5, 0.1);
}

TEST(TerrainBody, V28_TheMaterialUnderAContactIsAQueryOfTheGrid) {
    FlatWorld world(32, 32);
    const auto grass = *world.grid.materials().find("grass"), snow = *world.grid.materials().find("snow");
    // Stripes along z: grass, the ground's own, and snow.
    EXPECT_TRUE(
        voxel::fillRegion(world.grid, {{-32, -2, -32}, {-10, 0, 32}}, grass, voxel::FillMode::Paint).ok());
    EXPECT_TRUE(
        voxel::fillRegion(world.grid, {{10, -2, -32}, {32, 0, 32}}, snow, voxel::FillMode::Paint).ok());
    EXPECT_TRUE(world.colliders->update(world.grid).ok());
    world.terrain->sync();
    for (const double x : {-20.0, 0.0, 20.0})
        world.bullet.add(std::make_shared<btSphereShape>(btScalar(0.5)), {btScalar(x), 1, btScalar(0.3)});
    world.bullet.step(120);
    std::map<int, voxel::MaterialId> under;
    for (int i = 0; i < world.bullet.dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold& manifold = *world.bullet.dispatcher.getManifoldByIndexInternal(i);
        const bool terrainIsA = manifold.getBody0() == &world.terrain->body();
        for (int c = 0; c < manifold.getNumContacts(); ++c) {
            const btManifoldPoint& contact = manifold.getContactPoint(c);
            const Vec3d point =
                toDouble(terrainIsA ? contact.getPositionWorldOnA() : contact.getPositionWorldOnB());
            under[static_cast<int>(std::lround(point.x))] = voxel::solidMaterialAt(world.grid, point).value();
            const auto triangle =
                world.shape->triangle(terrainIsA ? triangleId(contact.m_partId0, contact.m_index0)
                                                 : triangleId(contact.m_partId1, contact.m_index1));
            ASSERT_TRUE(triangle.has_value());
            EXPECT_NEAR(triangle->vertices[0].y, 0, 1e-3);
        }
    }
    const std::map<int, voxel::MaterialId> expected{{-20, grass}, {0, kSolid.material}, {20, snow}};
    EXPECT_EQ(under, expected);
}

TEST(TerrainBody, V24_BulletsRaysAndKarstsMeetTheSameGround) {
    test::Random random(3);
    FlatWorld world(64, 64);
    for (int i = 0; i < 40; ++i) {
        const CellCoord at{random.integer(-50, 50), random.integer(-14, 6), random.integer(-50, 50)};
        const int r = random.integer(2, 6);
        world.edit({{at.x - r, at.y - r, at.z - r}, {at.x + r, at.y + r, at.z + r}},
                   random.chance(0.6) ? Cell{} : kSolid);
    }
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
        const btVector3 from(btScalar(random.range(-60, 60)), btScalar(random.range(-20, 30)),
                             btScalar(random.range(-60, 60)));
        const btVector3 to =
            from + btVector3(btScalar(random.range(-20, 20)), btScalar(random.range(-30, 10)),
                             btScalar(random.range(-20, 20)));
        btCollisionWorld::ClosestRayResultCallback bullet(from, to);
        world.bullet.world.rayTest(from, to, bullet);
        const auto karst = world.terrain->castRay(from, to);
        // Bullet's test leaves a hair at edges; ours never does.
        if (bullet.hasHit()) {
            ASSERT_TRUE(karst.has_value());
            EXPECT_LE(karst->fraction, bullet.m_closestHitFraction + btScalar(1e-4));
            ++hits;
        }
        if (karst && bullet.hasHit() &&
            std::abs(karst->fraction - bullet.m_closestHitFraction) < btScalar(1e-4)) {
            EXPECT_NEAR((karst->normal - bullet.m_hitNormalWorld).length(), 0, 1e-2);
        }
    }
    EXPECT_GT(hits, 800);
}

}  // namespace
}  // namespace karst::physics_bullet
