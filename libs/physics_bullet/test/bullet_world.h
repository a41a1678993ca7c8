#pragma once

#include <btBulletDynamicsCommon.h>
#include <karst/physics/height_colliders.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/physics_bullet/terrain_body.h>

#include <memory>
#include <vector>

namespace karst::physics_bullet {

/// A Bullet world with bodies that it owns.
class BulletWorld {
  public:
    BulletWorld() : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration) {
        world.setGravity({0, btScalar(-9.81), 0});
    }
    ~BulletWorld() {
        for (auto& body : bodies)
            world.removeRigidBody(body.get());
    }
    btRigidBody& add(std::shared_ptr<btCollisionShape> shape, btVector3 at, btScalar mass = 10) {
        btVector3 inertia(0, 0, 0);
        shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(at);
        shapes.push_back(std::move(shape));
        bodies.push_back(std::make_unique<btRigidBody>(info));
        world.addRigidBody(bodies.back().get());
        return *bodies.back();
    }
    void step(int count = 1) {
        for (int i = 0; i < count; ++i)
            world.stepSimulation(btScalar(1.0 / 60), 0);
    }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<std::shared_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

}  // namespace karst::physics_bullet
