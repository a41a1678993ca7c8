#include <karst/voxel/fill_shapes.h>

#include "terrain_worlds.h"

namespace karst::physics_bullet {
namespace {

constexpr double kHalf = 56;  // of the ground that bodies rain on, a wall around it

struct RainCounts {
    int belowFloor = 0;  ///< bodies that fell out of the world
    int inside = 0;      ///< bodies whose middle stayed in solid ground for a second
    int sunk = 0;        ///< bodies at the end that reach more than 15 cm into the ground
    int hanging = 0;     ///< bodies asleep, or at rest at the end, without ground or a body under them
    int woken = 0, edits = 0, asleep = 0;
};

/// Does another body than the ground hold it?
bool touchesABody(btDispatcher& dispatcher, const btCollisionObject& body, const btCollisionObject& ground) {
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
        if (manifold.getBody0() != &body && manifold.getBody1() != &body) continue;
        if (manifold.getBody0() == &ground || manifold.getBody1() == &ground) continue;
        if (manifold.getNumContacts() > 0) return true;
    }
    return false;
}

double radiusAround(const btRigidBody& body) {
    if (body.getCollisionShape()->getShapeType() == SPHERE_SHAPE_PROXYTYPE)
        return double(static_cast<const btSphereShape*>(body.getCollisionShape())->getRadius());
    btVector3 center;
    btScalar radius;
    body.getCollisionShape()->getBoundingSphere(center, radius);
    return double(radius);
}

bool hangs(TerrainWorld& world, const btRigidBody& body) {
    const double reach = radiusAround(body) + 0.1;
    return world.distanceToGround(body.getWorldTransform().getOrigin(), reach) >= reach &&
           !touchesABody(world.bullet.dispatcher, body, world.terrain->body());
}

bool isSunk(const TerrainWorld& world, const btRigidBody& body) {
    const btTransform& at = body.getWorldTransform();
    if (body.getCollisionShape()->getShapeType() == SPHERE_SHAPE_PROXYTYPE)
        return world.distanceToGround(at.getOrigin(), 5) < radiusAround(body) - 0.15;
    const btVector3 half =
        static_cast<const btBoxShape*>(body.getCollisionShape())->getHalfExtentsWithMargin();
    for (int i = 0; i < 8; ++i) {
        const btVector3 corner =
            at(btVector3((i & 1) != 0 ? half.x() : -half.x(), (i & 2) != 0 ? half.y() : -half.y(),
                         (i & 4) != 0 ? half.z() : -half.z()));
        if (world.isInside(corner) && world.distanceToGround(corner, 1) > 0.15) return true;
    }
    return false;
}

/// 500 balls and boxes rain for 6 s while `edit(place, index)` takes ground away under bodies; then 8 s more.
template <class Edit>
RainCounts rain(TerrainWorld& world, double floor, std::uint64_t seed, Edit edit) {
    test::Random random(seed);
    RainCounts counts;
    for (int i = 0; i < 500; ++i) {
        const auto size = [&] { return btScalar(random.range(0.3, 0.9)); };
        std::shared_ptr<btCollisionShape> shape;
        if (random.chance(0.5)) {
            shape = std::make_shared<btSphereShape>(size());
        } else {
            shape = std::make_shared<btBoxShape>(btVector3(size(), size(), size()));
        }
        btRigidBody& body = world.bullet.add(
            std::move(shape), {btScalar(random.range(-kHalf + 4, kHalf - 4)), btScalar(random.range(14, 34)),
                               btScalar(random.range(-kHalf + 4, kHalf - 4))});
        body.setAngularVelocity({size(), size(), size()});
        body.setFriction(btScalar(0.7));
        body.setRollingFriction(btScalar(0.02));
        body.setDamping(btScalar(0.05), btScalar(0.1));
    }
    std::set<std::size_t> fallen;
    std::vector<int> stepsInside(world.bullet.bodies.size());
    for (int step = 0; step < 14 * 60; ++step) {
        world.bullet.step();
        if (step % 6 == 0 && step >= 60 && step < 6 * 60) {
            const auto which = static_cast<std::size_t>(random.integer(0, 499));
            Vec3d at = toDouble(world.bullet.bodies[which]->getWorldTransform().getOrigin());
            at.x = std::clamp(at.x, -kHalf, kHalf);
            at.z = std::clamp(at.z, -kHalf, kHalf);
            counts.woken += edit(at, counts.edits++);
        }
        for (std::size_t i = 0; i < world.bullet.bodies.size(); ++i) {
            const btRigidBody& body = *world.bullet.bodies[i];
            if (step % 10 != 9) break;
            const btVector3 at = body.getWorldTransform().getOrigin();
            if (double(at.y()) < floor) fallen.insert(i);
            stepsInside[i] = world.isInside(at) ? stepsInside[i] + 1 : 0;
            if (stepsInside[i] == 6) ++counts.inside;
            if (!body.isActive() && hangs(world, body)) ++counts.hanging;
        }
    }
    counts.belowFloor = static_cast<int>(fallen.size());
    for (const auto& body : world.bullet.bodies) {
        counts.asleep += body->isActive() ? 0 : 1;
        if (body->isActive() && body->getLinearVelocity().length() < btScalar(0.1) && hangs(world, *body))
            ++counts.hanging;
        if (isSunk(world, *body)) ++counts.sunk;
    }
    return counts;
}

void expectNoneLost(const RainCounts& counts) {
    EXPECT_EQ(counts.belowFloor, 0);
    EXPECT_EQ(counts.inside, 0);
    EXPECT_EQ(counts.sunk, 0);
    EXPECT_EQ(counts.hanging, 0);
    EXPECT_GT(counts.woken, 500);
    EXPECT_GT(counts.asleep, 100);
}

double hill(double x, double z) {
    const double border = std::max(std::abs(x), std::abs(z)) - kHalf;
    return 5 * std::sin(0.11 * x) * std::cos(0.13 * z) + 2 * std::sin(0.23 * x + 0.31 * z) +
           (border > 0 ? 6 * border : 0);
}

TEST(TerrainBodyRainSlow, V28_NoBodyFallsThroughVoxelGroundThatIsDugUnderIt) {
    VoxelWorld world({{-64, -48, -64}, {64, 40, 64}}, [](voxel::CellCoord c) {
        const double height = hill(c.x + 0.5, c.z + 0.5);
        const double cave = std::sin(0.29 * c.x) + std::sin(0.33 * c.y) + std::sin(0.27 * c.z) - 1.5;
        // The world's floor and sides are whole.
        const bool isWhole = c.y < -30 || std::max(std::abs(c.x + 0.5), std::abs(c.z + 0.5)) > kHalf;
        const double d = std::max(0.7 * (c.y + 0.5 - height), isWhole ? -9.0 : 2 * cave);
        return voxel::Cell{4,
                           static_cast<std::uint8_t>(std::lround(255 * std::clamp(0.5 - 0.5 * d, 0.0, 1.0)))};
    });
    const RainCounts counts = rain(world, -44, 7, [&](Vec3d at, int index) {
        const double deepest = -36;
        if (index % 3 == 2) {
            // A tunnel below, lying, as long as two chunks, and not through the walls of the world.
            const voxel::Rotation along{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
            const voxel::Rotation across{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
            const bool isAlong = index % 2 == 0;
            const WorldPosition middle{isAlong ? std::clamp(at.x, -20.0, 20.0) : at.x,
                                       std::max(at.y - 3, deepest),
                                       isAlong ? at.z : std::clamp(at.z, -20.0, 20.0)};
            EXPECT_TRUE(voxel::fillCylinder(world.grid, {middle, isAlong ? along : across}, 64, 2.5, 0).ok());
        } else {
            EXPECT_TRUE(
                voxel::fillBall(world.grid, {at.x, std::max(at.y - 1, deepest), at.z}, 2 + index % 4, 0)
                    .ok());
        }
        return world.sync();
    });
    expectNoneLost(counts);
}

TEST(TerrainBodyRainSlow, H29_NoBodyFallsThroughHeightGroundWithCratersUnderIt) {
    HeightWorld world(4, 4, 1, hill);
    std::uint32_t replaced = 0;
    const RainCounts counts = rain(world, -80, 8, [&](Vec3d at, int index) {
        const int woken = world.dig({at.x, at.z, 2.0 + index % 5, 1.0 + index % 3, index % 2 * 0.3});
        replaced += world.last.set;
        EXPECT_LE(world.last.set, 4u);
        return woken;
    });
    EXPECT_GE(replaced, 50u);
    expectNoneLost(counts);
}

}  // namespace
}  // namespace karst::physics_bullet
