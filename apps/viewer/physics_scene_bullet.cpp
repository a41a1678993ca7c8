#include <BulletCollision/CollisionDispatch/btGhostObject.h>
#include <BulletDynamics/Character/btKinematicCharacterController.h>
#include <btBulletDynamicsCommon.h>
#include <karst/physics_bullet/terrain_body.h>

#include "falling_bodies.h"

namespace karst::viewer {

namespace {

using physics_bullet::toBullet;

constexpr btScalar kStep = btScalar(1.0 / 60);
constexpr int kMostSteps = 16;
constexpr btScalar kWalkerRadius = btScalar(0.35), kWalkerHeight = btScalar(1.8);

class BulletScene final : public PhysicsScene {
  public:
    explicit BulletScene(std::unique_ptr<GroundColliders> colliders)
        : m_dispatcher(&m_configuration),
          m_world(&m_dispatcher, &m_broadphase, &m_solver, &m_configuration),
          m_capsule(kWalkerRadius, kWalkerHeight - 2 * kWalkerRadius),
          m_bodies(m_world) {
        m_world.setGravity({0, btScalar(-9.81), 0});
        m_broadphase.getOverlappingPairCache()->setInternalGhostPairCallback(&m_ghostPairs);
        setGround(std::move(colliders));
    }

    ~BulletScene() override { stopWalking(); }

    const GroundColliders& ground() const override { return *m_colliders; }

    void setGround(std::unique_ptr<GroundColliders> colliders) override {
        stopWalking();
        m_bodies.freeze();
        m_terrain.reset();
        m_colliders = std::move(colliders);
        m_origin = origin();
        m_terrain.emplace(m_world, m_colliders->shape(),
                          physics_bullet::TerrainBodyOptions{.worldOrigin = m_origin});
    }

    Result<void> step(double seconds, std::span<const SolidPlace> places) override {
        const auto changed = m_colliders->update(places);
        if (!changed) return changed.error();
        m_bodies.takeGround(*m_colliders, m_origin);
        m_terrain->sync();
        const bool held = m_walker && !m_colliders->solidAt(feet(), double{kWalkerRadius});
        const btTransform stood = m_walker ? m_ghost->getWorldTransform() : btTransform::getIdentity();
        if (m_walker) {
            m_walker->setWalkDirection(toBullet(toFloat(m_wish)) * kStep);
            if (m_jump && m_walker->onGround()) m_walker->jump({0, btScalar(5.5), 0});
            m_jump = false;
        }
        m_world.stepSimulation(btScalar(seconds), kMostSteps, kStep);
        if (held) {
            // Ran ahead of the ground: waits for it.
            m_ghost->setWorldTransform(stood);
            m_walker->reset(&m_world);
        }
        m_bodies.takePoses();
        return {};
    }

    std::optional<double> groundBelow(WorldPosition place, double depth) const override {
        const auto hit = m_colliders->shape()->castRay({place - m_origin, {0, -1, 0}}, depth);
        if (!hit) return std::nullopt;
        return place.y - hit->t;
    }

    void startWalking(WorldPosition feet) override {
        stopWalking();
        m_ghost = std::make_unique<btPairCachingGhostObject>();
        btTransform at = btTransform::getIdentity();
        at.setOrigin(local(feet) + btVector3(0, kWalkerHeight / 2 + btScalar(0.05), 0));
        m_ghost->setWorldTransform(at);
        m_ghost->setCollisionShape(&m_capsule);
        m_ghost->setCollisionFlags(btCollisionObject::CF_CHARACTER_OBJECT);
        m_walker = std::make_unique<btKinematicCharacterController>(m_ghost.get(), &m_capsule, btScalar(0.4),
                                                                    btVector3(0, 1, 0));
        m_ghost->setWorldTransform(at);  // the controller turned it over: for it shapes stand along Z
        m_walker->setGravity({0, btScalar(-9.81), 0});
        m_walker->setMaxSlope(btRadians(btScalar(50)));
        m_world.addCollisionObject(m_ghost.get(), btBroadphaseProxy::CharacterFilter,
                                   btBroadphaseProxy::StaticFilter | btBroadphaseProxy::DefaultFilter);
        m_world.addAction(m_walker.get());
    }

    void stopWalking() override {
        if (!m_walker) return;
        m_world.removeAction(m_walker.get());
        m_world.removeCollisionObject(m_ghost.get());
        m_walker.reset();
        m_ghost.reset();
    }

    void walk(Vec3d velocity, bool jump) override {
        m_wish = velocity;
        m_jump = m_jump || jump;
    }

    WorldPosition feet() const override {
        if (!m_ghost) return m_origin;
        return world(m_ghost->getWorldTransform().getOrigin()) - Vec3d{0, double(kWalkerHeight) / 2, 0};
    }

    bool canDrop() const override { return true; }

    void drop(WorldPosition from, double size, int count) override { m_bodies.drop(from, size, count); }
    void clear() override { m_bodies.clear(); }
    std::span<const BodyPose> bodies() const override { return m_bodies.poses(); }

  private:
    btVector3 local(WorldPosition p) const { return toBullet(toFloat(p - m_origin)); }
    WorldPosition world(const btVector3& v) const { return m_origin + physics_bullet::toDouble(v); }

    std::unique_ptr<GroundColliders> m_colliders;
    WorldPosition m_origin;
    btDefaultCollisionConfiguration m_configuration;
    btCollisionDispatcher m_dispatcher;
    btDbvtBroadphase m_broadphase;
    btGhostPairCallback m_ghostPairs;
    btSequentialImpulseConstraintSolver m_solver;
    btDiscreteDynamicsWorld m_world;
    std::optional<physics_bullet::TerrainBody> m_terrain;
    btCapsuleShape m_capsule;
    std::unique_ptr<btPairCachingGhostObject> m_ghost;
    std::unique_ptr<btKinematicCharacterController> m_walker;
    Vec3d m_wish;
    bool m_jump = false;
    FallingBodies m_bodies;
};

}  // namespace

std::unique_ptr<PhysicsScene> makePhysicsScene(std::unique_ptr<GroundColliders> colliders) {
    return std::make_unique<BulletScene>(std::move(colliders));
}

}  // namespace karst::viewer
