#pragma once

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btConvexShape.h>
#include <karst/physics_bullet/terrain_concave_shape.h>

#include <optional>

namespace karst::physics_bullet {

inline bool isTerrain(const btCollisionObject* object) {
    return object->getCollisionShape()->getShapeType() == FAST_CONCAVE_MESH_PROXYTYPE;
}

/// Sets contacts with the terrain right before Bullet keeps them:
/// - A contact at an edge that a body cannot catch on, with a normal that leans away from the triangle's, is
/// one
///   with the side of ground that has no side: it is dropped, or gets the triangle's normal and the depth
///   along it. Else a body that slides over flat ground would be stopped by each next triangle.
/// - A contact from behind a triangle is with ground that the body sank into: it is pushed out to the front.
/// At an
///   active edge it is dropped; the edge's other triangle sees it from the front.
class TerrainManifoldResult : public btManifoldResult {
  public:
    TerrainManifoldResult(const btCollisionObjectWrapper* body0, const btCollisionObjectWrapper* body1)
        : btManifoldResult(body0, body1) {}

    void addContactPoint(const btVector3& normalOnB, const btVector3& pointOnB, btScalar depth) override {
        // B is the manifold's second body, which the wrappers may hold the other way round.
        const bool terrainIsB = isTerrain(m_manifoldPtr->getBody1());
        const bool terrainIsSecond = isTerrain(m_body1Wrap->getCollisionObject());
        const btCollisionObjectWrapper* terrain = terrainIsSecond ? m_body1Wrap : m_body0Wrap;
        const btCollisionObjectWrapper* body = terrainIsSecond ? m_body0Wrap : m_body1Wrap;
        const auto* shape =
            static_cast<const TerrainConcaveShape*>(terrain->getCollisionObject()->getCollisionShape());
        const auto triangle = shape->terrain().triangle(terrainIsSecond ? triangleId(m_partId1, m_index1)
                                                                        : triangleId(m_partId0, m_index0));
        if (!triangle) return;
        // From the terrain to the body, and the point on the terrain.
        const btVector3 normal = terrainIsB ? normalOnB : -normalOnB;
        const btVector3 onTerrain = terrainIsB ? pointOnB : pointOnB + normalOnB * depth;
        const btVector3 origin = terrain->getCollisionObject()->getWorldTransform().getOrigin();
        // Bullet thickens the triangles by the margin for all but spheres. The ground is where it is drawn.
        const bool isSphere = body->getCollisionShape()->getShapeType() == SPHERE_SHAPE_PROXYTYPE;
        const btScalar thickness = isSphere ? btScalar(0) : shape->getMargin();
        const Contact contact =
            corrected(*triangle, onTerrain - origin - normal * thickness, normal, depth + thickness, body,
                      body->getWorldTransform().getOrigin() - origin);
        if (!contact.keep) return;
        if (terrainIsB) {
            btManifoldResult::addContactPoint(contact.normal, contact.point + origin, contact.depth);
        } else {
            btManifoldResult::addContactPoint(
                -contact.normal, contact.point + origin + contact.normal * contact.depth, contact.depth);
        }
    }

  private:
    /// In the terrain's space: the point on the ground, the normal away from it, and the distance between
    /// both along it.
    struct Contact {
        btVector3 point, normal;
        btScalar depth;
        bool keep;
    };

    static Contact corrected(const physics::TerrainTriangle& triangle, const btVector3& point,
                             const btVector3& normal, btScalar depth, const btCollisionObjectWrapper* body,
                             const btVector3& center) {
        const btVector3 a = toBullet(triangle.vertices[0]), b = toBullet(triangle.vertices[1]),
                        c = toBullet(triangle.vertices[2]);
        const btVector3 area = (b - a).cross(c - a);
        const btScalar size = area.length();
        if (!(size > 0)) return {point, normal, depth, false};
        const btVector3 front = area / size;
        // The weights of the vertices at the point: 0 for a vertex means that the point is on the edge
        // opposite to it.
        const btScalar weightB = (point - a).cross(c - a).dot(front) / size;
        const btScalar weightC = (b - a).cross(point - a).dot(front) / size;
        const btScalar weights[3] = {1 - weightB - weightC, weightB, weightC};
        constexpr btScalar kOnEdge = btScalar(1e-3);
        constexpr btScalar kAlongFront = btScalar(0.9962);  // 5 degrees, as far as inactive edges bend
        bool onActiveEdge = false;
        for (int i = 0; i < 3; ++i) {
            if (weights[(i + 2) % 3] > kOnEdge) continue;
            onActiveEdge = onActiveEdge || (triangle.activeEdges >> i & 1) != 0;
        }
        const btScalar facing = normal.dot(front);
        if (facing <= 0 && !onActiveEdge) {
            const std::optional<btScalar> sunk = depthBelow(front, point, body);
            return {point, front, sunk ? *sunk : btScalar(0), sunk.has_value()};
        }
        if (facing <= 0) return {point, normal, depth, false};
        if (onActiveEdge) return {point, normal, depth, true};
        // The way out is the triangle's own, to the last bit: at speed even a hair of a slant is a kick.
        const bool leans = facing < kAlongFront;
        if (body->getCollisionShape()->getShapeType() == SPHERE_SHAPE_PROXYTYPE) {
            // A ball touches right below its middle, so that nothing turns it. What leans is met by the next
            // triangle.
            const btScalar above = (center - a).dot(front);
            const btScalar radius = (center - point).length() - depth;
            return {center - front * above, front, above - radius, !leans};
        }
        // Where a shape with edges sank in, the next triangle may look just the same from its side: then both
        // hold it up.
        return {point, front, depth * facing, !leans || depth < 0};
    }

    /// How far the body reaches behind the plane through `point`, negative; nothing where its shape has no
    /// support function.
    static std::optional<btScalar> depthBelow(const btVector3& front, const btVector3& point,
                                              const btCollisionObjectWrapper* body) {
        const btCollisionShape* shape = body->getCollisionShape();
        if (!shape->isConvex()) return std::nullopt;
        const btTransform& transform = body->getWorldTransform();
        const btVector3 deepest =
            transform(static_cast<const btConvexShape*>(shape)->localGetSupportingVertex(
                (-front) * transform.getBasis()));
        const btScalar depth = (deepest - point).dot(front);
        return depth < 0 ? std::optional<btScalar>(depth) : std::nullopt;
    }
};

/// Bullet's near callback for worlds with a terrain:
/// btCollisionDispatcher::setNearCallback(terrainNearCallback). Pairs without a terrain go Bullet's own way.
/// A host with a near callback of its own calls this one for the pairs that hold a terrain.
inline void terrainNearCallback(btBroadphasePair& pair, btCollisionDispatcher& dispatcher,
                                const btDispatcherInfo& info) {
    const auto* object0 = static_cast<const btCollisionObject*>(pair.m_pProxy0->m_clientObject);
    const auto* object1 = static_cast<const btCollisionObject*>(pair.m_pProxy1->m_clientObject);
    if (!isTerrain(object0) && !isTerrain(object1)) {
        btCollisionDispatcher::defaultNearCallback(pair, dispatcher, info);
        return;
    }
    if (!dispatcher.needsCollision(object0, object1)) return;
    const btCollisionObjectWrapper wrap0(nullptr, object0->getCollisionShape(), object0,
                                         object0->getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wrap1(nullptr, object1->getCollisionShape(), object1,
                                         object1->getWorldTransform(), -1, -1);
    if (pair.m_algorithm == nullptr)
        pair.m_algorithm = dispatcher.findAlgorithm(&wrap0, &wrap1, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    if (pair.m_algorithm == nullptr) return;
    TerrainManifoldResult result(&wrap0, &wrap1);
    pair.m_algorithm->processCollision(&wrap0, &wrap1, info, &result);
}

}  // namespace karst::physics_bullet
