#pragma once

#include <karst/physics_jolt/terrain_shape_jolt.h>

#include <Jolt/Physics/Collision/CastConvexVsTriangles.h>
#include <Jolt/Physics/Collision/CastSphereVsTriangles.h>
#include <Jolt/Physics/Collision/CollideConvexVsTriangles.h>
#include <Jolt/Physics/Collision/CollideShape.h>
#include <Jolt/Physics/Collision/CollideSphereVsTriangles.h>
#include <Jolt/Physics/Collision/CollisionDispatch.h>

namespace karst::physics_jolt {

// Jolt's own colliders, with the box in which they look for triangles.

struct ConvexCollider : JPH::CollideConvexVsTriangles {
    using ShapeType = JPH::ConvexShape;
    using CollideConvexVsTriangles::CollideConvexVsTriangles;
    JPH::AABox box() const { return mBoundsOf1InSpaceOf2; }
    bool done() const { return mCollector.ShouldEarlyOut(); }
};
struct SphereCollider : JPH::CollideSphereVsTriangles {
    using ShapeType = JPH::SphereShape;
    using CollideSphereVsTriangles::CollideSphereVsTriangles;
    JPH::AABox box() const { return {mSphereCenterIn2, std::sqrt(mRadiusPlusMaxSeparationSq)}; }
    bool done() const { return mCollector.ShouldEarlyOut(); }
};

template <class Collider>
void collideWithTerrain(const JPH::Shape* shape1, const JPH::Shape* shape2, JPH::Vec3Arg scale1,
                        JPH::Vec3Arg scale2, JPH::Mat44Arg transform1, JPH::Mat44Arg transform2,
                        const JPH::SubShapeIDCreator& creator1, const JPH::SubShapeIDCreator& creator2,
                        const JPH::CollideShapeSettings& settings, JPH::CollideShapeCollector& collector,
                        const JPH::ShapeFilter&) {
    const auto& terrain = *static_cast<const TerrainShapeJolt*>(shape2);
    Collider collider(static_cast<const typename Collider::ShapeType*>(shape1), scale1, scale2, transform1,
                      transform2, creator1.GetID(), settings, collector);
    terrain.forEachTriangle(collider.box().Scaled(scale2.Reciprocal()),
                            [&](const physics::TerrainTriangle& triangle) {
                                if (collider.done()) return;
                                collider.Collide(toJolt(triangle.vertices[0]), toJolt(triangle.vertices[1]),
                                                 toJolt(triangle.vertices[2]), triangle.activeEdges,
                                                 terrain.subShapeId(triangle.id, creator2));
                            });
}

/// The sweep goes in steps, so that a long one ends where it hits. A triangle that the step before had in its
/// box was tested then.
template <class Caster>
void castAgainstTerrain(const JPH::ShapeCast& cast, const JPH::ShapeCastSettings& settings,
                        const JPH::Shape* shape2, JPH::Vec3Arg scale, const JPH::ShapeFilter&,
                        JPH::Mat44Arg transform2, const JPH::SubShapeIDCreator& creator1,
                        const JPH::SubShapeIDCreator& creator2, JPH::CastShapeCollector& collector) {
    const auto& terrain = *static_cast<const TerrainShapeJolt*>(shape2);
    Caster caster(cast, settings, scale, transform2, creator1, collector);
    const JPH::AABox start = cast.mShapeWorldBounds.Scaled(scale.Reciprocal());
    const JPH::Vec3 way = scale.Reciprocal() * cast.mDirection;
    const JPH::Vec3 size = start.GetSize();
    const float stride = std::max({terrain.stride() * 0.5f, size.GetX(), size.GetY(), size.GetZ()});
    constexpr float kMostSteps = 4096;
    float steps = std::ceil(way.Length() / stride);
    steps = steps >= 1 ? std::min(steps, kMostSteps) : 1;
    JPH::AABox before;  // empty
    for (float i = 0; i < steps; ++i) {
        const float from = i / steps, to = (i + 1) / steps;
        if (collector.ShouldEarlyOut() || from > collector.GetPositiveEarlyOutFraction()) return;
        JPH::AABox box = start, last = start;
        box.Translate(way * from);
        last.Translate(way * to);
        box.Encapsulate(last);
        terrain.forEachTriangle(box, [&](const physics::TerrainTriangle& triangle) {
            if (collector.ShouldEarlyOut()) return;
            const JPH::Vec3 a = toJolt(triangle.vertices[0]), b = toJolt(triangle.vertices[1]),
                            c = toJolt(triangle.vertices[2]);
            const JPH::AABox around(JPH::Vec3::sMin(a, JPH::Vec3::sMin(b, c)),
                                    JPH::Vec3::sMax(a, JPH::Vec3::sMax(b, c)));
            if (i > 0 && before.Overlaps(around)) return;
            caster.Cast(a, b, c, triangle.activeEdges, terrain.subShapeId(triangle.id, creator2));
        });
        before = box;
    }
}

/// Makes the shape known to Jolt: after JPH::RegisterTypes(), before the first query, once per process. It
/// takes EShapeSubType::User1, which the host must not use for a shape of its own.
inline void registerTerrainShape() {
    constexpr JPH::EShapeSubType kTerrain = JPH::EShapeSubType::User1;
    using Dispatch = JPH::CollisionDispatch;
    JPH::ShapeFunctions& functions = JPH::ShapeFunctions::sGet(kTerrain);
    functions.mConstruct = TerrainShapeJolt::createEmpty;
    functions.mColor = JPH::Color::sGreen;
    for (const JPH::EShapeSubType convex : JPH::sConvexSubShapeTypes) {
        Dispatch::sRegisterCollideShape(convex, kTerrain, collideWithTerrain<ConvexCollider>);
        Dispatch::sRegisterCastShape(convex, kTerrain, castAgainstTerrain<JPH::CastConvexVsTriangles>);
        Dispatch::sRegisterCollideShape(kTerrain, convex, Dispatch::sReversedCollideShape);
        Dispatch::sRegisterCastShape(kTerrain, convex, Dispatch::sReversedCastShape);
    }
    Dispatch::sRegisterCollideShape(JPH::EShapeSubType::Sphere, kTerrain, collideWithTerrain<SphereCollider>);
    Dispatch::sRegisterCastShape(JPH::EShapeSubType::Sphere, kTerrain,
                                 castAgainstTerrain<JPH::CastSphereVsTriangles>);
}

}  // namespace karst::physics_jolt
