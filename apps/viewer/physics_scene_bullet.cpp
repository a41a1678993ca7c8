#include <BulletCollision/CollisionDispatch/btGhostObject.h>
#include <BulletDynamics/Character/btKinematicCharacterController.h>
#include <btBulletDynamicsCommon.h>
#include <karst/physics_bullet/terrain_body.h>

#include <cmath>
#include <vector>

#include "physics_scene.h"

namespace karst::viewer {

namespace {

using physics_bullet::toBullet;

constexpr btScalar kStep = btScalar(1.0 / 60);
constexpr int kMostSteps = 16;
constexpr btScalar kWalkerRadius = btScalar(0.35), kWalkerHeight = btScalar(1.8);
// Whatever fell this far below where it was dropped fell out of the world.
constexpr double kFallen = 3000;
constexpr std::size_t kMostBodies = 400;

class BulletScene final : public PhysicsScene {
  public:
    explicit BulletScene(std::unique_ptr<GroundColliders> colliders)
        : m_colliders(std::move(colliders)),
          m_origin(m_colliders->shape()->definition().origin),
          m_dispatcher(&m_configuration),
          m_world(&m_dispatcher, &m_broadphase, &m_solver, &m_configuration),
          m_terrain(m_world, m_colliders->shape(), {.worldOrigin = m_origin}),
          m_capsule(kWalkerRadius, kWalkerHeight - 2 * kWalkerRadius) {
        m_world.setGravity({0, btScalar(-9.81), 0});
        m_broadphase.getOverlappingPairCache()->setInternalGhostPairCallback(&m_ghostPairs);
    }

    ~BulletScene() override {
        stopWalking();
        clear();
    }

    WorldPosition origin() const override { return m_origin; }

    Result<void> step(double seconds, WorldPosition center, double radius) override {
        const auto changed = m_colliders->update(center, radius);
        if (!changed) return changed.error();
        m_terrain.sync();
        if (m_walker) {
            m_walker->setWalkDirection(toBullet(toFloat(m_wish)) * kStep);
            if (m_jump && m_walker->onGround()) m_walker->jump({0, btScalar(5.5), 0});
            m_jump = false;
        }
        m_world.stepSimulation(btScalar(seconds), kMostSteps, kStep);
        takePoses();
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

    void drop(WorldPosition from, double size, int count) override {
        for (int i = 0; i < count && m_bodies.size() < kMostBodies; ++i) {
            const auto number = m_dropped++;
            // A loose spiral, so that no body begins inside another.
            const double angle = number * 2.4, out = size * 1.5 * std::sqrt(double(i));
            add(static_cast<BodyForm>(number % 3),
                from + Vec3d{std::cos(angle) * out, size * 1.2 * (i % 3), std::sin(angle) * out}, size,
                number);
        }
        takePoses();
    }

    void clear() override {
        for (const Body& body : m_bodies)
            m_world.removeRigidBody(body.rigid.get());
        m_bodies.clear();
        m_poses.clear();
    }

    std::span<const BodyPose> bodies() const override { return m_poses; }

  private:
    struct Body {
        std::unique_ptr<btCollisionShape> shape;
        std::unique_ptr<btRigidBody> rigid;
        BodyPose pose;
        double from = 0;  // height that it fell from
    };

    btVector3 local(WorldPosition p) const { return toBullet(toFloat(p - m_origin)); }
    WorldPosition world(const btVector3& v) const { return m_origin + physics_bullet::toDouble(v); }

    void add(BodyForm form, WorldPosition at, double size, std::uint32_t number) {
        const auto half = static_cast<float>(size / 2);
        Body body;
        body.pose.form = form;
        body.pose.number = number;
        body.from = at.y;
        switch (form) {
            case BodyForm::Ball:
                body.pose.halfSize = {half, half, half};
                body.shape = std::make_unique<btSphereShape>(half);
                break;
            case BodyForm::Box:
                body.pose.halfSize = {half, half * 0.8f, half * 1.2f};
                body.shape = std::make_unique<btBoxShape>(toBullet(body.pose.halfSize));
                break;
            case BodyForm::Capsule:
                body.pose.halfSize = {half * 0.7f, half * 1.4f, half * 0.7f};
                body.shape = std::make_unique<btCapsuleShape>(half * 0.7f, half * 1.4f);
                break;
        }
        btVector3 inertia;
        const btScalar mass = 10;
        body.shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, body.shape.get(), inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(local(at));
        info.m_startWorldTransform.setRotation(
            btQuaternion(btVector3(1, 0, 1).normalized(), btScalar(number % 7) * btScalar(0.4)));
        info.m_friction = btScalar(0.7);
        info.m_angularDamping = btScalar(0.2);
        body.rigid = std::make_unique<btRigidBody>(info);
        m_world.addRigidBody(body.rigid.get());
        m_bodies.push_back(std::move(body));
    }

    void takePoses() {
        std::erase_if(m_bodies, [&](const Body& body) {
            const bool fallen = world(body.rigid->getWorldTransform().getOrigin()).y < body.from - kFallen;
            if (fallen) m_world.removeRigidBody(body.rigid.get());
            return fallen;
        });
        m_poses.clear();
        for (const Body& body : m_bodies) {
            BodyPose& pose = m_poses.emplace_back(body.pose);
            const btTransform& at = body.rigid->getWorldTransform();
            pose.position = world(at.getOrigin());
            for (int i = 0; i < 3; ++i)
                pose.axes[static_cast<std::size_t>(i)] =
                    physics_bullet::fromBullet(at.getBasis().getColumn(i));
            pose.asleep = !body.rigid->isActive();
        }
    }

    std::unique_ptr<GroundColliders> m_colliders;
    WorldPosition m_origin;
    btDefaultCollisionConfiguration m_configuration;
    btCollisionDispatcher m_dispatcher;
    btDbvtBroadphase m_broadphase;
    btGhostPairCallback m_ghostPairs;
    btSequentialImpulseConstraintSolver m_solver;
    btDiscreteDynamicsWorld m_world;
    physics_bullet::TerrainBody m_terrain;
    btCapsuleShape m_capsule;
    std::unique_ptr<btPairCachingGhostObject> m_ghost;
    std::unique_ptr<btKinematicCharacterController> m_walker;
    Vec3d m_wish;
    bool m_jump = false;
    std::vector<Body> m_bodies;
    std::vector<BodyPose> m_poses;
    std::uint32_t m_dropped = 0;
};

}  // namespace

std::unique_ptr<PhysicsScene> makePhysicsScene(std::unique_ptr<GroundColliders> colliders) {
    return std::make_unique<BulletScene>(std::move(colliders));
}

}  // namespace karst::viewer
