#pragma once

#include <BulletCollision/BroadphaseCollision/btBroadphaseInterface.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletDynamics/Dynamics/btDynamicsWorld.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>
#include <karst/physics_bullet/terrain_concave_shape.h>
#include <karst/physics_bullet/terrain_contacts.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace karst::physics_bullet {

struct TerrainBodyOptions {
    /// One setting for the whole ground; which material is at a contact is a query of the ground.
    btScalar friction = btScalar(0.8);
    btScalar restitution = btScalar(0);
    /// Where Bullet's world has its zero, in the world of the TerrainShape.
    WorldPosition worldOrigin{};
    int group = btBroadphaseProxy::StaticFilter;
    int mask = btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter;
};

/// The ground of a Bullet world: ONE static body with ONE shape, which reads the TerrainShape as it is. It
/// takes the dispatcher's near callback (terrain_contacts.h). Compiled with the host's flags, in Bullet's
/// precision. Threads: the one that steps the world. TerrainShape's slots must not be replaced while the
/// world steps, unless the host's order of steps does not matter to it: queries under way keep the ground
/// they began with. Source: spec row V28.
class TerrainBody {
  public:
    /// The world must outlive the body; its dispatcher must be a btCollisionDispatcher.
    TerrainBody(btDynamicsWorld& world, std::shared_ptr<physics::TerrainShape> shape,
                const TerrainBodyOptions& options = {})
        : m_world(world), m_terrain(std::move(shape)), m_shape(m_terrain) {
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &m_shape);
        const Vec3d at = m_terrain->definition().origin - options.worldOrigin;
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(toBullet(toFloat(at)));
        info.m_friction = options.friction;
        info.m_restitution = options.restitution;
        m_body = std::make_unique<btRigidBody>(info);
        static_cast<btCollisionDispatcher*>(world.getDispatcher())->setNearCallback(terrainNearCallback);
        world.addRigidBody(m_body.get(), options.group, options.mask);
        m_terrain->takeDirtyBoxes();
    }
    ~TerrainBody() { m_world.removeRigidBody(m_body.get()); }
    TerrainBody(const TerrainBody&) = delete;
    TerrainBody& operator=(const TerrainBody&) = delete;

    btRigidBody& body() { return *m_body; }
    const btRigidBody& body() const { return *m_body; }
    const std::shared_ptr<physics::TerrainShape>& terrain() const { return m_terrain; }

    /// After slots of the shape were replaced, before the next step: takes in the new bounds, drops the
    /// contacts of bodies in the old and new surfaces' boxes, and wakes those bodies. Returns how many.
    int sync() {
        const auto boxes = m_terrain->takeDirtyBoxes();
        if (boxes.empty()) return 0;
        if (m_shape.updateBounds()) m_world.updateSingleAabb(m_body.get());
        const btVector3 origin = m_body->getWorldTransform().getOrigin();
        Touched touched(m_body.get());
        for (const physics::DirtyBox& box : boxes)
            m_world.getBroadphase()->aabbTest(toBullet(box.min) + origin, toBullet(box.max) + origin,
                                              touched);
        // The old and the new surface have a box each, and boxes of neighbours meet: a body comes up in
        // several.
        std::sort(touched.proxies.begin(), touched.proxies.end());
        touched.proxies.erase(std::unique(touched.proxies.begin(), touched.proxies.end()),
                              touched.proxies.end());
        for (btBroadphaseProxy* proxy : touched.proxies)
            wake(proxy);
        return static_cast<int>(touched.proxies.size());
    }

    struct RayHit {
        btScalar fraction = 1;
        btVector3 point, normal;
        physics::TriangleId triangle;
    };
    /// The ground along a segment of Bullet's world, by Karst's own walk over the lattice: many times faster
    /// than Bullet's rayTest where the segment is long, since Bullet asks a concave shape for all triangles
    /// in the segment's box.
    std::optional<RayHit> castRay(const btVector3& from, const btVector3& to) const {
        const btVector3 origin = m_body->getWorldTransform().getOrigin();
        const Vec3d start = toDouble(from - origin);
        const auto hit = m_terrain->castRay({start, toDouble(to - origin) - start}, 1);
        if (!hit) return std::nullopt;
        RayHit out;
        out.fraction = btScalar(hit->t);
        out.point = from + (to - from) * out.fraction;
        out.normal = toBullet(hit->normal);
        if (out.normal.dot(to - from) > 0) out.normal = -out.normal;
        out.triangle = hit->id;
        return out;
    }

  private:
    /// Gathers the bodies of a box that can fall.
    struct Touched : btBroadphaseAabbCallback {
        explicit Touched(const btCollisionObject* terrain) : ground(terrain) {}
        bool process(const btBroadphaseProxy* proxy) override {
            const auto* object = static_cast<const btCollisionObject*>(proxy->m_clientObject);
            if (object != ground && !object->isStaticOrKinematicObject())
                proxies.push_back(const_cast<btBroadphaseProxy*>(proxy));
            return true;
        }
        const btCollisionObject* ground;
        std::vector<btBroadphaseProxy*> proxies;
    };
    /// The body finds its contacts with the ground anew.
    void wake(btBroadphaseProxy* proxy) {
        static_cast<btCollisionObject*>(proxy->m_clientObject)->activate(true);
        btBroadphasePair* pair = m_world.getPairCache()->findPair(proxy, m_body->getBroadphaseProxy());
        if (pair == nullptr || pair->m_algorithm == nullptr) return;
        btManifoldArray manifolds;
        pair->m_algorithm->getAllContactManifolds(manifolds);
        for (int i = 0; i < manifolds.size(); ++i)
            manifolds[i]->clearManifold();
    }

    btDynamicsWorld& m_world;
    std::shared_ptr<physics::TerrainShape> m_terrain;
    TerrainConcaveShape m_shape;
    std::unique_ptr<btRigidBody> m_body;
};

}  // namespace karst::physics_bullet
