#pragma once

#include <BulletCollision/CollisionShapes/btConcaveShape.h>
#include <BulletCollision/CollisionShapes/btTriangleCallback.h>
#include <karst/physics/terrain_shape.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace karst::physics_bullet {

inline btVector3 toBullet(Vec3f v) {
    return {btScalar(v.x), btScalar(v.y), btScalar(v.z)};
}
inline Vec3f fromBullet(const btVector3& v) {
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}
inline Vec3d toDouble(const btVector3& v) {
    return {double(v.x()), double(v.y()), double(v.z())};
}

/// Bullet names a triangle by two ints: the part is the kind and slot of a TriangleId, the index the triangle
/// in it.
inline int partOf(physics::TriangleId id) {
    return static_cast<int>(static_cast<std::uint32_t>(id.value >> 32 & 0x3fffffffu) |
                            static_cast<std::uint32_t>(id.value >> 62) << 30);
}
inline int indexOf(physics::TriangleId id) {
    return static_cast<int>(static_cast<std::uint32_t>(id.value));
}
inline physics::TriangleId triangleId(int part, int index) {
    const auto p = static_cast<std::uint32_t>(part);
    return {std::uint64_t{p >> 30} << 62 | std::uint64_t{p & 0x3fffffffu} << 32 |
            static_cast<std::uint32_t>(index)};
}

/// A TerrainShape as a Bullet shape: it answers processAllTriangles straight from the shared surfaces and
/// builds nothing. Put it into the world through TerrainBody, which also sees to contacts at inner edges and
/// to bodies asleep on what was edited. Bullet has no use of its own for the type
/// FAST_CONCAVE_MESH_PROXYTYPE; TerrainBody knows the shape by it.
class TerrainConcaveShape : public btConcaveShape {
  public:
    explicit TerrainConcaveShape(std::shared_ptr<const physics::TerrainShape> shape)
        : m_shape(std::move(shape)) {
        m_shapeType = FAST_CONCAVE_MESH_PROXYTYPE;
        // Bullet looks this far around a body for triangles; contacts are set back to the ground itself.
        m_collisionMargin = btScalar(0.04);
        updateBounds();
    }

    const physics::TerrainShape& terrain() const { return *m_shape; }

    /// After slots were replaced. True where the bounds are others now.
    bool updateBounds() {
        const Bounds bounds = m_shape->bounds();
        btVector3 min(0, 0, 0), max(0, 0, 0);
        if (!bounds.empty()) {
            min = toBullet(toFloat(bounds.min));
            max = toBullet(toFloat(bounds.max));
        }
        const bool changed = min != m_min || max != m_max;
        m_min = min;
        m_max = max;
        return changed;
    }

    void processAllTriangles(btTriangleCallback* callback, const btVector3& aabbMin,
                             const btVector3& aabbMax) const override {
        m_shape->trianglesInBox(
            fromBullet(aabbMin), fromBullet(aabbMax), [&](const physics::TerrainTriangle& triangle) {
                btVector3 vertices[3] = {toBullet(triangle.vertices[0]), toBullet(triangle.vertices[1]),
                                         toBullet(triangle.vertices[2])};
                callback->processTriangle(vertices, partOf(triangle.id), indexOf(triangle.id));
            });
    }
    /// The body stands where the shape's origin is, unturned.
    void getAabb(const btTransform& transform, btVector3& aabbMin, btVector3& aabbMax) const override {
        const btVector3 margin(getMargin(), getMargin(), getMargin());
        aabbMin = transform.getOrigin() + m_min - margin;
        aabbMax = transform.getOrigin() + m_max + margin;
    }
    void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setValue(0, 0, 0); }
    void setLocalScaling(const btVector3&) override {}
    const btVector3& getLocalScaling() const override {
        static const btVector3 one(1, 1, 1);
        return one;
    }
    const char* getName() const override { return "KarstTerrain"; }

  private:
    std::shared_ptr<const physics::TerrainShape> m_shape;
    btVector3 m_min{0, 0, 0}, m_max{0, 0, 0};
};

}  // namespace karst::physics_bullet
