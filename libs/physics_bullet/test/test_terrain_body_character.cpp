#include <karst/voxel/fill_shapes.h>

#include "terrain_worlds.h"

namespace karst::physics_bullet {
namespace {

/// A character as games on Bullet drive them: an upright dynamic capsule that cannot tip over, 1.8 m tall,
/// whose horizontal speed is set each step. It is part of the solver, so that it feels the ground's contacts
/// as any body does; btKinematicCharacterController asks the ground by convex sweeps alone and would prove
/// nothing about contacts.
class Walker {
  public:
    Walker(TerrainWorld& world, btVector3 feet)
        : m_world(world),
          m_body(world.bullet.add(std::make_shared<btCapsuleShape>(kRadius, btScalar(1.8) - 2 * kRadius),
                                  feet + btVector3(0, btScalar(0.9), 0), 80)) {
        m_body.setAngularFactor(0);
        m_body.setFriction(0);
        m_body.setActivationState(DISABLE_DEACTIVATION);
    }
    btVector3 feet() const { return m_body.getWorldTransform().getOrigin() - btVector3(0, btScalar(0.9), 0); }
    void stand(int steps) {
        for (int i = 0; i < steps; ++i)
            walk({0, 0, 0});
    }
    void walk(btVector3 speed) {
        speed.setY(m_body.getLinearVelocity().y());
        m_body.setLinearVelocity(speed);
        m_world.bullet.step();
    }

  private:
    static constexpr btScalar kRadius = btScalar(0.4);
    TerrainWorld& m_world;
    btRigidBody& m_body;
};

/// Cells of 1 m, solid below y = 0 and a hill of rock above.
VoxelWorld rock() {
    return VoxelWorld({{-64, -32, -32}, {96, 64, 32}}, [](voxel::CellCoord c) {
        return c.y < 0 || (c.x >= 0 && c.y < 24) ? kSolid : voxel::Cell{};
    });
}

TEST(TerrainBodyCharacter, V26_ACapsuleWalksUpADugStair) {
    VoxelWorld world = rock();
    // Steps of one cell height and two cells depth, 4 cells wide, open to the sky.
    for (int step = 0; step < 24; ++step) {
        EXPECT_TRUE(voxel::fillRegion(world.grid, {{2 * step, step, -2}, {2 * step + 2, 25, 2}}, 0).ok());
    }
    world.sync();
    Walker walker(world, {-6, btScalar(0.05), btScalar(0.1)});
    walker.stand(60);
    EXPECT_NEAR(walker.feet().y(), 0, 0.02);
    double deepest = 0, aside = 0;
    int still = 0, most = 0;
    btScalar furthest = walker.feet().x();
    for (int i = 0; i < 40 * 60 && walker.feet().x() < 52; ++i) {
        walker.walk({3, 0, 0});
        const btVector3 feet = walker.feet();
        still = feet.x() > furthest + btScalar(0.005) ? 0 : still + 1;
        furthest = std::max(furthest, feet.x());
        most = std::max(most, still);
        aside = std::max(aside, std::abs(double(feet.z()) - 0.1));
        const double r = 0.4;
        deepest = std::max(deepest, r - world.distanceToGround(feet + btVector3(0, btScalar(r), 0), r));
    }
    EXPECT_GE(walker.feet().x(), 52) << "got stuck at height " << walker.feet().y();
    EXPECT_NEAR(walker.feet().y(), 24, 0.1);
    EXPECT_LT(most, 30) << "steps without getting on";
    EXPECT_LT(deepest, 0.12);
    EXPECT_LT(aside, 0.05);
}

TEST(TerrainBodyCharacter, V26_ACapsuleWalksAlongATunnel) {
    VoxelWorld world = rock();
    EXPECT_TRUE(voxel::fillRegion(world.grid, {{-1, 0, -2}, {96, 4, 2}}, 0).ok());
    world.sync();
    for (const double slant : {0.0, 0.4, -0.4}) {  // along the middle, and pressed to either wall
        Walker walker(world, {-6, btScalar(0.05), btScalar(0.1)});
        walker.stand(60);
        double lowest = 1e9, highest = -1e9, slowest = 1e9, deepest = 0;
        btScalar last = walker.feet().x();
        int steps = 0;
        for (; steps < 40 * 60 && walker.feet().x() < 80; ++steps) {
            walker.walk({3, 0, btScalar(slant)});
            const btVector3 feet = walker.feet();
            slowest = std::min<double>(slowest, feet.x() - last);
            last = feet.x();
            if (feet.x() < 4) continue;  // past the mouth
            lowest = std::min<double>(lowest, feet.y());
            highest = std::max<double>(highest, feet.y());
            deepest =
                std::max(deepest, 0.4 - world.distanceToGround(feet + btVector3(0, btScalar(0.4), 0), 0.4));
        }
        EXPECT_GE(walker.feet().x(), 80);
        EXPECT_LT(steps, 30 * 60) << slant;
        EXPECT_GT(slowest, 0.045) << "of 0.05 a step, slant " << slant;
        EXPECT_LT(deepest, 0.05);
        if (slant == 0) {
            EXPECT_LT(highest - lowest, 0.02);
        } else {
            EXPECT_GT(std::abs(walker.feet().z()), 1) << "at the wall";
        }
    }
}

}  // namespace
}  // namespace karst::physics_bullet
