// Bodies rain on hills over a cave while holes are dug under them. The ground is ONE static body of Bullet's;
// after each dig only the chunks that it touched get another surface. None may fall through.
#include <btBulletDynamicsCommon.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/physics_bullet/terrain_body.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace karst;

namespace {

/// Hills of rock under grass, a rim so that nothing rolls off, and a cave below. Cells of 1 m.
bool makeGround(voxel::Grid& grid) {
    const auto rock = *grid.materials().find("rock"), grass = *grid.materials().find("grass");
    const auto hills = [](WorldPosition p) {
        const double height = 5 * std::sin(p.x / 17) + 4 * std::cos(p.z / 13);
        return 0.8 * (p.y - height);  // below the true distance, as hills slope
    };
    const voxel::CellBox land{{-64, -32, -64}, {64, 16, 64}};
    const auto top = [&](WorldPosition p) { return std::max(hills(p), -2 - hills(p)); };
    bool ok = voxel::fillSignedDistance(grid, land, hills, rock).ok() &&
              voxel::fillSignedDistance(grid, land, top, grass, voxel::FillMode::Paint).ok();
    for (const voxel::CellBox& wall :
         {voxel::CellBox{{-64, -32, -64}, {-60, 24, 64}}, voxel::CellBox{{60, -32, -64}, {64, 24, 64}},
          voxel::CellBox{{-64, -32, -64}, {64, 24, -60}}, voxel::CellBox{{-64, -32, 60}, {64, 24, 64}}}) {
        ok = ok && voxel::fillRegion(grid, wall, rock).ok();
    }
    for (int i = -12; ok && i <= 12; ++i)
        ok = voxel::fillBall(grid, {i * 3.0, -13, 6 * std::sin(i * 0.4)}, 5, voxel::kAir).ok();
    return ok;
}

double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
    voxel::GridDefinition definition;
    definition.placement.cellSize = 1;
    auto grid = voxel::Grid::create(definition);
    if (!grid) return std::puts(grid.error().message.c_str()), 1;
    if (!makeGround(*grid)) return std::puts("the ground could not be made"), 1;
    auto shape = physics::TerrainShape::create(
        physics::shapeDefinitionFor(grid->placement(), {{-64, -32, -64}, {64, 32, 64}}));
    if (!shape) return std::puts(shape.error().message.c_str()), 1;
    physics::VoxelColliders colliders(*shape);
    auto start = std::chrono::steady_clock::now();
    const auto made = colliders.update(*grid);
    if (!made) return std::puts(made.error().message.c_str()), 1;
    std::printf("%u chunks have a collider, made in %.0f ms\n", made->replaced, millisecondsSince(start));

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity({0, btScalar(-9.81), 0});
    physics_bullet::TerrainBody terrain(world, *shape);

    btSphereShape ball(btScalar(0.5));
    btBoxShape box({btScalar(0.5), btScalar(0.4), btScalar(0.6)});
    btCapsuleShape capsule(btScalar(0.4), btScalar(0.8));
    btCollisionShape* const shapes[] = {&ball, &box, &capsule};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    for (int i = 0; i < 150; ++i) {
        btCollisionShape* const form = shapes[i % 3];
        btVector3 inertia;
        form->calculateLocalInertia(10, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(10, nullptr, form, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(
            {btScalar((i * 37) % 101 - 50), btScalar(16 + i % 10), btScalar((i * 61) % 103 - 51)});
        bodies.push_back(std::make_unique<btRigidBody>(info));
        world.addRigidBody(bodies.back().get());
    }

    // Ten seconds; twice a second a hole right below one of the bodies, down to the cave and no deeper.
    double stepping = 0, editing = 0, slowestEdit = 0;
    int digs = 0, woken = 0;
    for (int step = 1; step <= 600; ++step) {
        if (step > 120 && step % 30 == 0) {
            const btVector3 at =
                bodies[static_cast<std::size_t>(digs * 7) % bodies.size()]->getWorldTransform().getOrigin();
            const WorldPosition below{double(at.x()), std::max(double(at.y()) - 2, -16.0), double(at.z())};
            start = std::chrono::steady_clock::now();
            if (!voxel::fillBall(*grid, below, 4, voxel::kAir)) return std::puts("the dig failed"), 1;
            if (!colliders.update(*grid)) return std::puts("the colliders were not made"), 1;
            woken += terrain.sync();  // wakes who slept on what is gone
            const double took = millisecondsSince(start);
            editing += took;
            slowestEdit = std::max(slowestEdit, took);
            ++digs;
        }
        start = std::chrono::steady_clock::now();
        world.stepSimulation(btScalar(1.0 / 60), 0);
        stepping += millisecondsSince(start);
    }
    std::printf(
        "%zu bodies: %.2f ms a step; %d digs: %.1f ms each with colliders (slowest %.1f), %d bodies woken\n",
        bodies.size(), stepping / 600, digs, editing / digs, slowestEdit, woken);

    // What lies under the contacts? The shape has one friction; the material is a question to the grid.
    std::map<std::string, int> under;
    int named = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(i);
        const bool terrainIsA = manifold->getBody0() == &terrain.body();
        if (!terrainIsA && manifold->getBody1() != &terrain.body()) continue;
        for (int c = 0; c < manifold->getNumContacts(); ++c) {
            const btManifoldPoint& contact = manifold->getContactPoint(c);
            const btVector3 point =
                terrainIsA ? contact.getPositionWorldOnA() : contact.getPositionWorldOnB();
            const auto material = voxel::solidMaterialAt(*grid, physics_bullet::toDouble(point));
            if (material) ++under[grid->materials()[*material].name];
            // Bullet's part and index name the triangle too.
            const physics::TriangleId id =
                terrainIsA ? physics_bullet::triangleId(contact.m_partId0, contact.m_index0)
                           : physics_bullet::triangleId(contact.m_partId1, contact.m_index1);
            if ((*shape)->triangle(id)) ++named;
        }
    }
    for (const auto& [name, count] : under)
        std::printf("contacts on %s: %d\n", name.c_str(), count);

    int falls = 0;
    for (const auto& body : bodies) {
        // The ground's bottom is at -32 and nobody dug below -20.
        if (!(body->getWorldTransform().getOrigin().y() > -22)) ++falls;
        world.removeRigidBody(body.get());
    }
    std::printf("falls through the ground: %d\n", falls);
    return falls == 0 && digs > 0 && named > 0 && under["rock"] + under["grass"] > 0 ? 0 : 1;
}
