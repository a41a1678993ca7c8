#include "falling_bodies.h"

#include <karst/physics_bullet/terrain_body.h>

#include <cmath>

namespace karst::viewer {

using physics_bullet::toBullet;

namespace {

// Whatever fell this far below where it was dropped fell out of the world.
constexpr double kFallen = 3000;

}  // namespace

void FallingBodies::drop(WorldPosition from, double size, int count) {
    for (int i = 0; i < count && m_bodies.size() < kMost; ++i) {
        const auto number = m_dropped++;
        // A loose spiral, so that no body begins inside another.
        const double angle = number * 2.4, out = size * 1.5 * std::sqrt(double(i));
        add(static_cast<BodyForm>(number % 3),
            from + Vec3d{std::cos(angle) * out, size * 1.2 * (i % 3), std::sin(angle) * out}, size, number);
    }
    takePoses();
}

void FallingBodies::clear() {
    freeze();
    m_bodies.clear();
    m_poses.clear();
}

void FallingBodies::freeze() {
    for (Body& body : m_bodies)
        setMoving(body, false);
}

// Its velocity, and whether it sleeps, stay with it meanwhile.
void FallingBodies::setMoving(Body& body, bool moving) {
    if (body.moving == moving) return;
    body.moving = moving;
    if (!moving) return m_world->removeRigidBody(body.rigid.get());
    btTransform at = body.rigid->getWorldTransform();
    at.setOrigin(toBullet(toFloat(body.pose.position - m_origin)));
    body.rigid->setWorldTransform(at);
    body.rigid->setInterpolationWorldTransform(at);
    m_world->addRigidBody(body.rigid.get());
}

void FallingBodies::takeGround(const GroundColliders& ground, WorldPosition origin) {
    m_origin = origin;
    for (Body& body : m_bodies)
        setMoving(body, ground.solidAt(body.pose.position, double{length(body.pose.halfSize)}));
}

void FallingBodies::takePoses() {
    for (Body& body : m_bodies) {
        BodyPose& pose = body.pose;
        const btTransform& at = body.rigid->getWorldTransform();
        if (body.moving) pose.position = m_origin + physics_bullet::toDouble(at.getOrigin());
        for (int i = 0; i < 3; ++i)
            pose.axes[static_cast<std::size_t>(i)] = physics_bullet::fromBullet(at.getBasis().getColumn(i));
        pose.asleep = !body.rigid->isActive();
        pose.waiting = !body.moving;
    }
    std::erase_if(m_bodies, [&](Body& body) {
        const bool fallen = body.pose.position.y < body.from - kFallen;
        if (fallen) setMoving(body, false);
        return fallen;
    });
    m_poses.clear();
    for (const Body& body : m_bodies)
        m_poses.push_back(body.pose);
}

void FallingBodies::add(BodyForm form, WorldPosition at, double size, std::uint32_t number) {
    const auto half = static_cast<float>(size / 2);
    Body body;
    body.pose.form = form;
    body.pose.number = number;
    body.pose.position = at;
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
    info.m_startWorldTransform.setRotation(
        btQuaternion(btVector3(1, 0, 1).normalized(), btScalar(number % 7) * btScalar(0.4)));
    info.m_friction = btScalar(0.7);
    info.m_angularDamping = btScalar(0.2);
    body.rigid = std::make_unique<btRigidBody>(info);
    m_bodies.push_back(std::move(body));
}

}  // namespace karst::viewer
