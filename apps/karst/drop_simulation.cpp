#include "drop_simulation.h"

#include <btBulletDynamicsCommon.h>
#include <karst/physics_bullet/terrain_body.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "drop_random.h"

namespace karst::tool {
namespace {

using physics_bullet::toBullet;
using physics_bullet::toDouble;

constexpr int kStepsASecond = 60;
constexpr int kFollowEvery = 6;  // steps

class Stopwatch {
  public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_begin).count();
    }

  private:
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

Milliseconds summary(std::vector<double> times) {
    if (times.empty()) return {};
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.back(), times.size()};
}

struct Body {
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<btRigidBody> body;
    bool ball = true;
    Vec3d half;
    double radius = 0;    // around it
    int stepsInside = 0;  // steps that its middle has been in solid ground
    bool gone = false;    // fell or left

    Vec3d at() const { return toDouble(body->getWorldTransform().getOrigin()); }
    bool still() const {
        return !body->isActive() || double(body->getLinearVelocity().length()) < 0.05 * radius;
    }
};

double distanceTo(const physics::TerrainTriangle& triangle, Vec3d p) {
    const Vec3d v[3] = {toDouble(triangle.vertices[0]), toDouble(triangle.vertices[1]),
                        toDouble(triangle.vertices[2])};
    const Vec3d area = cross(v[1] - v[0], v[2] - v[0]);
    double nearest = HUGE_VAL;
    bool over = dot(area, area) > 0;
    for (int i = 0; i < 3; ++i) {
        const Vec3d edge = v[(i + 1) % 3] - v[i];
        const double t = std::clamp(dot(p - v[i], edge) / std::max(dot(edge, edge), 1e-30), 0.0, 1.0);
        nearest = std::min(nearest, length(p - v[i] - edge * t));
        over = over && dot(cross(edge, p - v[i]), area) >= 0;
    }
    return over ? std::min(nearest, std::abs(dot(p - v[0], area)) / length(area)) : nearest;
}

/// A Bullet world around the shape's origin, with the ground and bodies in it.
class Drop {
  public:
    Drop(DropGround& ground, const DropOptions& options)
        : m_ground(ground), m_options(options), m_random(options.seed) {}
    ~Drop() {
        for (Body& body : m_bodies) {
            if (!body.gone) m_world.removeRigidBody(body.body.get());
        }
    }

    Result<DropReport> run();

  private:
    Vec3d origin() const { return m_ground.shape()->definition().origin; }
    Rect area() const;
    Result<void> prepareGround();
    Result<void> place(bool ball);
    std::optional<Vec3d> freePlace(double radius);
    bool isFree(Vec3d at, double radius) const;
    bool isInside(Vec3d at) const;
    Result<void> follow();
    Result<void> dig();
    void look();
    double distanceToGround(Vec3d at, double reach) const;
    double deepest(const Body& body) const;
    bool hangs(const Body& body);
    void report();

    DropGround& m_ground;
    DropOptions m_options;
    DropRandom m_random;
    btDefaultCollisionConfiguration m_configuration;
    btCollisionDispatcher m_dispatcher{&m_configuration};
    btDbvtBroadphase m_broadphase;
    btSequentialImpulseConstraintSolver m_solver;
    btDiscreteDynamicsWorld m_world{&m_dispatcher, &m_broadphase, &m_solver, &m_configuration};
    std::unique_ptr<physics_bullet::TerrainBody> m_terrain;
    std::vector<Body> m_bodies;
    std::vector<double> m_updateTimes;
    DropReport m_report;
};

Rect Drop::area() const {
    const Rect whole = m_ground.rect();
    if (m_options.area) return intersect(*m_options.area, whole);
    const double x = whole.width() / 4, z = whole.depth() / 4;
    return {whole.minX + x, whole.minZ + z, whole.maxX - x, whole.maxZ - z};
}

Result<void> Drop::prepareGround() {
    const Rect rect = area();
    if (rect.empty()) {
        const Rect whole = m_ground.rect();
        return makeError(ErrorCode::InvalidArgument,
                         "--area lies outside of the ground from (%g, %g) to (%g, %g)", whole.minX,
                         whole.minZ, whole.maxX, whole.maxZ);
    }
    const Stopwatch watch;
    const physics::HeightColliderAnchor all{{(rect.minX + rect.maxX) / 2, 0, (rect.minZ + rect.maxZ) / 2},
                                            std::hypot(rect.width(), rect.depth()) / 2 + m_options.size};
    const auto made = m_ground.follow({&all, 1});
    if (!made) return made.error();
    m_report.firstUpdate = watch.milliseconds();
    m_world.setGravity({0, btScalar(-9.81), 0});
    physics_bullet::TerrainBodyOptions options;
    options.worldOrigin = origin();
    m_terrain = std::make_unique<physics_bullet::TerrainBody>(m_world, m_ground.shape(), options);
    return {};
}

/// Is the first ground above met from behind?
bool Drop::isInside(Vec3d at) const {
    const auto hit = m_ground.shape()->castRay({at, {0, 1, 0}});
    return hit && hit->normal.y > 0;
}

bool Drop::isFree(Vec3d at, double radius) const {
    const Vec3d r{radius, radius, radius};
    bool empty = true;
    m_ground.shape()->trianglesInBox(toFloat(at - r), toFloat(at + r),
                                     [&](const physics::TerrainTriangle&) { empty = false; });
    if (!empty || isInside(at) || !m_ground.shape()->castRay({at, {0, -1, 0}})) return false;
    return std::none_of(m_bodies.begin(), m_bodies.end(),
                        [&](const Body& other) { return length(other.at() - at) < other.radius + radius; });
}

std::optional<Vec3d> Drop::freePlace(double radius) {
    const Rect rect = area();
    // Later attempts start farther up or down, where there may be room.
    for (int attempt = 0; attempt < 2000; ++attempt) {
        Vec3d at{m_random.range(rect.minX, rect.maxX) - origin().x, 0,
                 m_random.range(rect.minZ, rect.maxZ) - origin().z};
        if (m_options.height) {
            at.y = *m_options.height - origin().y +
                   m_random.range(-1, 1) * m_options.size * (1 + attempt * 0.005);
        } else {
            const Bounds bounds = m_ground.shape()->bounds();
            const auto top = m_ground.shape()->castRay({{at.x, bounds.max.y + 1, at.z}, {0, -1, 0}});
            if (!top) continue;
            at.y = bounds.max.y + 1 - top->t + m_options.size * (m_random.range(3, 15) + attempt * 0.05);
        }
        if (isFree(at, radius)) return at;
    }
    return std::nullopt;
}

Result<void> Drop::place(bool ball) {
    Body made;
    made.ball = ball;
    const auto edge = [&] { return m_options.size * m_random.range(0.6, 1.4); };
    if (ball) {
        const double radius = edge();
        made.half = {radius, radius, radius};
        made.radius = radius;
        made.shape = std::make_unique<btSphereShape>(btScalar(radius));
    } else {
        made.half = {edge(), edge(), edge()};
        made.radius = length(made.half);
        made.shape = std::make_unique<btBoxShape>(toBullet(toFloat(made.half)));
    }
    const auto at = freePlace(made.radius);
    if (!at) {
        return makeError(ErrorCode::InvalidArgument,
                         "the area has no free place for body %zu of size %g%s: see --area, --height and "
                         "--body-size",
                         m_bodies.size() + 1, m_options.size, m_options.height ? " at this height" : "");
    }
    const btScalar mass = 10;
    btVector3 inertia;
    made.shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, made.shape.get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(toBullet(toFloat(*at)));
    info.m_startWorldTransform.setRotation(btQuaternion(
        btScalar(m_random.range(0, 3)), btScalar(m_random.range(0, 3)), btScalar(m_random.range(0, 3))));
    info.m_friction = btScalar(0.8);
    info.m_rollingFriction = btScalar(0.1 * made.radius);
    info.m_linearDamping = btScalar(0.02);
    info.m_angularDamping = btScalar(0.1);
    made.body = std::make_unique<btRigidBody>(info);
    m_world.addRigidBody(made.body.get());
    m_bodies.push_back(std::move(made));
    return {};
}

/// Keeps the ground solid around every body.
Result<void> Drop::follow() {
    std::vector<physics::HeightColliderAnchor> anchors;
    for (const Body& body : m_bodies) {
        if (body.gone) continue;
        // As far as it may come until the next time, and some more.
        const double speed = double(body.body->getLinearVelocity().length());
        anchors.push_back({body.at() + origin(), 4 * m_options.size + speed});
    }
    const auto replaced = m_ground.follow(anchors);
    if (!replaced) return replaced.error();
    m_report.replaced += *replaced;
    m_report.woken += m_terrain->sync();
    return {};
}

Result<void> Drop::dig() {
    const Body& body = m_bodies[static_cast<std::size_t>(m_random.range(0, double(m_bodies.size())))];
    if (body.gone) return {};
    // Under it, not around it.
    WorldPosition at = body.at() + origin();
    if (const auto below = m_ground.shape()->castRay({body.at(), {0, -1, 0}})) at.y -= below->t;
    const Stopwatch watch;
    const auto dug = m_ground.dig(at, m_options.digRadius);
    if (!dug) return dug.error();
    if (!*dug) return {};
    ++m_report.digs;
    if (const auto followed = follow(); !followed) return followed;
    m_updateTimes.push_back(watch.milliseconds());
    return {};
}

/// Takes bodies out that are under the ground or have left it.
void Drop::look() {
    const Bounds bounds = m_ground.shape()->bounds();
    const Rect rect = m_ground.rect();
    for (Body& body : m_bodies) {
        if (body.gone) continue;
        const Vec3d at = body.at();
        body.stepsInside = isInside(at) ? body.stepsInside + kFollowEvery : 0;
        const bool under = at.y < bounds.min.y - 2 * body.radius;
        // Where there is no ground above it was over the edge, or over a hole of the ground.
        const bool fell = body.stepsInside > kStepsASecond / 2 ||
                          (under && m_ground.shape()->castRay({at, {0, 1, 0}}).has_value());
        const bool left = under || !rect.contains(at.x + origin().x, at.z + origin().z);
        if (!fell && !left) continue;
        ++(fell ? m_report.fell : m_report.left);
        body.gone = true;
        m_world.removeRigidBody(body.body.get());
    }
}

/// To the nearest triangle, or `reach` where none is nearer.
double Drop::distanceToGround(Vec3d at, double reach) const {
    const Vec3d r{reach, reach, reach};
    double nearest = reach;
    m_ground.shape()->trianglesInBox(
        toFloat(at - r), toFloat(at + r),
        [&](const physics::TerrainTriangle& t) { nearest = std::min(nearest, distanceTo(t, at)); });
    return nearest;
}

/// How far a ball, or the corner of a box that is deepest, reaches into the ground.
double Drop::deepest(const Body& body) const {
    if (body.ball) {
        const double apart = distanceToGround(body.at(), body.radius);
        return isInside(body.at()) ? body.radius + apart : body.radius - apart;
    }
    double most = 0;
    for (int i = 0; i < 8; ++i) {
        const Vec3d corner{(i & 1) != 0 ? body.half.x : -body.half.x,
                           (i & 2) != 0 ? body.half.y : -body.half.y,
                           (i & 4) != 0 ? body.half.z : -body.half.z};
        const Vec3d at = toDouble(body.body->getWorldTransform()(toBullet(toFloat(corner))));
        if (isInside(at)) most = std::max(most, distanceToGround(at, body.radius));
    }
    return most;
}

/// Does neither the ground nor a body hold it?
bool Drop::hangs(const Body& body) {
    for (int i = 0; i < m_dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold& manifold = *m_dispatcher.getManifoldByIndexInternal(i);
        if (manifold.getNumContacts() > 0 &&
            (manifold.getBody0() == body.body.get() || manifold.getBody1() == body.body.get()))
            return false;
    }
    return true;
}

void Drop::report() {
    for (Body& body : m_bodies) {
        if (body.gone) continue;
        ++(body.still() ? m_report.resting : m_report.moving);
        if (body.still() && (deepest(body) > 0.15 * body.radius || hangs(body))) ++m_report.stuck;
        DroppedBody out{body.ball, body.half, body.at() + origin(), {}};
        const btMatrix3x3& turn = body.body->getWorldTransform().getBasis();
        for (int i = 0; i < 3; ++i)
            out.axes[i] = toDouble(turn.getColumn(i));
        const Vec3d r{body.radius, body.radius, body.radius};
        m_report.bounds = unite(m_report.bounds, {out.position - r, out.position + r});
        m_report.bodies.push_back(out);
    }
}

Result<DropReport> Drop::run() {
    if (const auto ready = prepareGround(); !ready) return ready.error();
    for (int i = 0; i < m_options.balls + m_options.boxes; ++i) {
        if (const auto placed = place(i < m_options.balls); !placed) return placed.error();
    }
    const int steps = std::max(1, static_cast<int>(std::lround(m_options.seconds * kStepsASecond)));
    // The digs are spread from the first tenth to six tenths of the time; then all come to rest.
    const int firstDig = steps / 10, lastDig = steps * 6 / 10;
    int dug = 0;
    std::vector<double> stepTimes;
    for (int step = 0; step < steps; ++step) {
        while (dug < m_options.digs && step >= firstDig + (lastDig - firstDig) * dug / m_options.digs) {
            if (const auto done = dig(); !done) return done.error();
            ++dug;
        }
        if (step % kFollowEvery == 0) {
            const Stopwatch watch;
            const std::uint32_t before = m_report.replaced;
            if (const auto done = follow(); !done) return done.error();
            if (m_report.replaced > before) m_updateTimes.push_back(watch.milliseconds());
        }
        const Stopwatch watch;
        m_world.stepSimulation(btScalar(1.0 / kStepsASecond), 0);
        stepTimes.push_back(watch.milliseconds());
        if (step % kFollowEvery == kFollowEvery - 1) look();
    }
    report();
    m_report.steps = summary(std::move(stepTimes));
    m_report.updates = summary(std::move(m_updateTimes));
    return std::move(m_report);
}

}  // namespace

Result<DropReport> simulateDrop(DropGround& ground, const DropOptions& options) {
    return Drop(ground, options).run();
}

}  // namespace karst::tool
