// A crate floats and a stone sinks in a lake of voxels: lift and drag come from the water at a few points of
// each body, read from the grid. Whoever drains the lake lowers the crate.
#include <btBulletDynamicsCommon.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/physics_bullet/terrain_body.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>

#include <cmath>
#include <cstdio>
#include <memory>

using namespace karst;

constexpr double kGravity = 9.81, kWaterDensity = 1000;

/// Takes a body for 4 x 8 x 4 small blocks, each with the water at its middle. Before each step.
void applyWater(btRigidBody& body, const voxel::Grid& grid) {
    const btVector3 half =
        static_cast<const btBoxShape*>(body.getCollisionShape())->getHalfExtentsWithMargin();
    const int counts[3] = {4, 8, 4};
    const double volume = 8.0 * double(half.x()) * double(half.y()) * double(half.z()) / (4 * 8 * 4);
    for (int i = 0; i < 4 * 8 * 4; ++i) {
        const int at[3] = {i % 4, i / 4 % 8, i / 32};
        btVector3 local;
        for (int a = 0; a < 3; ++a)
            local[a] = half[a] * btScalar((2 * at[a] + 1.0) / counts[a] - 1);
        const btVector3 arm = body.getWorldTransform().getBasis() * local;
        const btVector3 point = body.getWorldTransform().getOrigin() + arm;
        // Bullet's world and the grid's have the same zero here. From 0 to 1, without a step at the surface.
        const auto water = voxel::waterFractionAt(grid, physics_bullet::toDouble(point));
        if (!water || *water <= 0) continue;
        const double mass = kWaterDensity * volume * *water;  // of the water that is not there
        const btVector3 lift(0, btScalar(mass * kGravity), 0);
        const btVector3 drag = body.getVelocityInLocalPoint(arm) * btScalar(-1.5 * mass);
        body.applyForce(lift + drag, arm);
    }
}

int main() {
    voxel::GridDefinition definition;
    definition.placement.cellSize = 0.5;
    auto grid = voxel::Grid::create(definition);
    if (!grid) return std::puts(grid.error().message.c_str()), 1;
    // A basin of rock 6 m deep, filled to y = 0.
    const auto rock = *grid->materials().find("rock"), water = *grid->materials().find("water");
    const voxel::CellBox land{{-32, -24, -32}, {32, 2, 32}};
    if (!voxel::fillRegion(*grid, land, rock) ||
        !voxel::fillRegion(*grid, {{-24, -12, -24}, {24, 2, 24}}, voxel::kAir) ||
        !voxel::fillRegion(*grid, {{-24, -12, -24}, {24, 0, 24}}, water)) {
        return std::puts("the lake could not be made"), 1;
    }
    auto shape = physics::TerrainShape::create(physics::shapeDefinitionFor(grid->placement(), land));
    if (!shape) return std::puts(shape.error().message.c_str()), 1;
    physics::VoxelColliders colliders(*shape);
    if (!colliders.update(*grid)) return std::puts("no colliders"), 1;

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity({0, btScalar(-kGravity), 0});
    physics_bullet::TerrainBody terrain(world, *shape);

    btBoxShape box({1, btScalar(0.5), 1});
    const auto add = [&](btVector3 at, double density) {
        const btScalar mass = btScalar(density * 2 * 1 * 2);
        btVector3 inertia;
        box.calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &box, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(at);
        auto body = std::make_unique<btRigidBody>(info);
        body->setActivationState(DISABLE_DEACTIVATION);  // water that rises or drains must still move it
        world.addRigidBody(body.get());
        return body;
    };
    const double density = 400;  // of the crate: 4 tenths of it are below the surface
    const auto crate = add({3, 4, 0}, density), stone = add({-4, 4, 0}, 2500);
    for (int step = 0; step <= 60 * 20; ++step) {
        if (step % (60 * 5) == 0) {
            std::printf("after %2d s the crate's middle is at y = %.2f, the stone's at %.2f\n", step / 60,
                        double(crate->getWorldTransform().getOrigin().y()),
                        double(stone->getWorldTransform().getOrigin().y()));
        }
        applyWater(*crate, *grid);
        applyWater(*stone, *grid);
        world.stepSimulation(btScalar(1.0 / 60), 0);
    }
    const double draught = 0.5 - double(crate->getWorldTransform().getOrigin().y());
    const double stoneBottom = double(stone->getWorldTransform().getOrigin().y()) - 0.5;
    std::printf("the crate floats %.2f m deep (%.2f by its density), the stone lies on the bed at y = %.2f\n",
                draught, density / kWaterDensity, stoneBottom);
    world.removeRigidBody(crate.get());
    world.removeRigidBody(stone.get());
    return std::abs(draught - density / kWaterDensity) < 0.05 && std::abs(stoneBottom + 6) < 0.1 ? 0 : 1;
}
