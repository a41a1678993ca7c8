#include "terrain_worlds.h"

namespace karst::physics_bullet {
namespace {

struct Slide {
    double lowest = 1e9, highest = -1e9, aside = 0, slowest = 1e9, yaw = 0, tilt = 0;
    double endX = 0;
};

/// Sends a body at 20 m/s along x for ten seconds over flat ground at y = 0.
Slide slide(HeightWorld& world, btRigidBody& body, double z) {
    Slide out;
    for (int i = 0; i < 600; ++i) {
        world.bullet.step();
        const btVector3 at = body.getWorldTransform().getOrigin();
        out.lowest = std::min<double>(out.lowest, at.y());
        out.highest = std::max<double>(out.highest, at.y());
        out.aside = std::max(out.aside, std::abs(double(at.z()) - z));
        out.slowest = std::min<double>(out.slowest, body.getLinearVelocity().x());
        const btQuaternion q = body.getWorldTransform().getRotation();
        out.yaw = std::max(out.yaw, 2 * std::abs(double(q.y())));
        out.tilt = std::max(out.tilt, 2 * std::hypot(double(q.x()), double(q.z())));
    }
    out.endX = double(body.getWorldTransform().getOrigin().x());
    return out;
}

double flat(double, double) {
    return 0;
}

TEST(TerrainBodyHeights, H29_ABallRollsOver200MetresOfFlatTilesWithoutABump) {
    for (const double z : {0.0, 0.37, 16.5, 31.99}) {  // along a tile's border, and in the tiles
        HeightWorld world(8, 4, 1, flat);
        auto ball = std::make_shared<btSphereShape>(btScalar(0.5));
        btRigidBody& body = world.bullet.add(ball, {-100, btScalar(0.5), btScalar(z)});
        body.setDamping(0, 0);
        body.setActivationState(DISABLE_DEACTIVATION);
        world.bullet.step(30);
        const double height = double(body.getWorldTransform().getOrigin().y());
        EXPECT_NEAR(height, 0.5, 0.01);
        body.setLinearVelocity({20, 0, 0});
        body.setAngularVelocity({0, 0, -40});
        const Slide found = slide(world, body, z);
        EXPECT_GT(found.endX, 95) << z;
        EXPECT_LT(found.highest - height, 0.01) << z;
        EXPECT_LT(height - found.lowest, 0.01) << z;
        EXPECT_LT(found.aside, 0.01) << z;
        EXPECT_GT(found.slowest, 19.9) << z;
    }
}

TEST(TerrainBodyHeights, H29_ABoxSlidesOver200MetresOfFlatTilesWithoutABump) {
    for (const double z : {0.0, 0.21, 16.5, 31.99}) {
        HeightWorld world(8, 4, 1, flat);
        auto box = std::make_shared<btBoxShape>(btVector3(btScalar(0.6), btScalar(0.4), btScalar(0.5)));
        btRigidBody& body = world.bullet.add(box, {-100, btScalar(0.4), btScalar(z)});
        body.setFriction(0);
        body.setDamping(0, 0);
        body.setActivationState(DISABLE_DEACTIVATION);
        world.bullet.step(30);
        const double height = double(body.getWorldTransform().getOrigin().y());
        EXPECT_NEAR(height, 0.4, 0.01);
        body.setLinearVelocity({20, 0, 0});
        const Slide found = slide(world, body, z);
        EXPECT_GT(found.endX, 95) << z;
        EXPECT_LT(found.highest - height, 0.01) << z;
        EXPECT_LT(height - found.lowest, 0.01) << z;
        EXPECT_LT(found.aside, 0.01) << z;
        EXPECT_GT(found.slowest, 19.9) << z;
        EXPECT_LT(found.yaw, 1e-3) << z;
        EXPECT_LT(found.tilt, 0.0167) << z << ": more than 1 cm at the box's end";
    }
}

TEST(TerrainBodyHeights, H29_ABodyAsleepOnACraterTileWakesAndOthersSleepOn) {
    HeightWorld world(4, 4, 1, flat);
    btRigidBody& body = world.bullet.add(std::make_shared<btSphereShape>(btScalar(0.5)), {10, 1, 10});
    btRigidBody& other = world.bullet.add(std::make_shared<btSphereShape>(btScalar(0.5)), {-50, 1, -50});
    for (int i = 0; i < 600 && (body.isActive() || other.isActive()); ++i)
        world.bullet.step();
    ASSERT_FALSE(body.isActive());
    ASSERT_FALSE(other.isActive());
    EXPECT_EQ(world.dig({10, 10, 5, 3, 0}), 1);
    EXPECT_EQ(world.last.set, 1u);
    EXPECT_EQ(world.last.kept, 15u);
    EXPECT_TRUE(body.isActive());
    EXPECT_FALSE(other.isActive()) << "far from the edit";
    world.bullet.step(240);
    EXPECT_NEAR(body.getWorldTransform().getOrigin().y(), -2.5, 0.1);
    EXPECT_NEAR(other.getWorldTransform().getOrigin().y(), 0.5, 0.02);
}

TEST(TerrainBodyHeights, H29_ABodyComesToRestOnBothSidesOfATilesBorder) {
    // Edges and vertices that two and four tiles share hold a body just as the middle of a cell does.
    HeightWorld world(4, 4, 1, flat);
    for (const double x : {-32.0, 0.0, 0.5, 32.0}) {
        for (const double z : {-32.0, 0.0, 0.25, 32.0}) {
            const btVector3 at{btScalar(x), btScalar(1.5), btScalar(z)};
            world.bullet.add(std::make_shared<btSphereShape>(btScalar(0.1)), at);
        }
    }
    world.bullet.step(300);
    for (const auto& body : world.bullet.bodies)
        EXPECT_NEAR(body->getWorldTransform().getOrigin().y(), 0.1, 0.01);
}

}  // namespace
}  // namespace karst::physics_bullet
