#pragma once

#include <karst/physics_jolt/terrain_shape_jolt.h>

#include <Jolt/Physics/Collision/CollideSoftBodyVerticesVsTriangles.h>
#include <Jolt/Physics/Collision/TransformedShape.h>

#include <cstdint>
#include <new>

// The queries of TerrainShapeJolt that take more than a line; terrain_shape_jolt.h includes this.

namespace karst::physics_jolt {

inline bool TerrainShapeJolt::CastRay(const JPH::RayCast& ray, const JPH::SubShapeIDCreator& creator,
                                      JPH::RayCastResult& hit) const {
    const auto found =
        m_terrain->castRay({toDouble(ray.mOrigin), toDouble(ray.mDirection)}, double{hit.mFraction});
    if (!found) return false;
    const auto fraction = static_cast<float>(found->t);
    if (!(fraction < hit.mFraction)) return false;
    hit.mFraction = fraction;
    hit.mSubShapeID2 = subShapeId(found->id, creator);
    return true;
}

inline void TerrainShapeJolt::CastRay(const JPH::RayCast& ray, const JPH::RayCastSettings& settings,
                                      const JPH::SubShapeIDCreator& creator, JPH::CastRayCollector& collector,
                                      const JPH::ShapeFilter& filter) const {
    if (!filter.ShouldCollide(this, creator.GetID())) return;
    const Vec3d direction = toDouble(ray.mDirection);
    const double size = length(direction);
    if (!(size > 0)) return;
    // From hit to hit. A micrometre on, so that triangles that share the edge a ray met are met once.
    const double onward = 1e-6 / size;
    for (double from = 0; from <= 1 && !collector.ShouldEarlyOut();) {
        const Vec3d origin = toDouble(ray.mOrigin) + direction * from;
        const auto found = m_terrain->castRay({origin, direction}, 1 - from);
        if (!found) return;
        const auto fraction = static_cast<float>(from + found->t);
        if (!(fraction < collector.GetEarlyOutFraction())) return;
        from += found->t + onward;
        const bool back = dot(karst::toDouble(found->normal), direction) > 0;
        if (back && settings.mBackFaceModeTriangles == JPH::EBackFaceMode::IgnoreBackFaces) continue;
        JPH::RayCastResult hit;
        hit.mBodyID = JPH::TransformedShape::sGetBodyID(collector.GetContext());
        hit.mFraction = fraction;
        hit.mSubShapeID2 = subShapeId(found->id, creator);
        collector.AddHit(hit);
    }
}

inline void TerrainShapeJolt::CollideSoftBodyVertices(JPH::Mat44Arg transform, JPH::Vec3Arg scale,
                                                      const JPH::CollideSoftBodyVertexIterator& vertices,
                                                      JPH::uint count, int shapeIndex) const {
    // Ground further off than this has no say in where a vertex goes next.
    constexpr float kReach = 1;
    JPH::CollideSoftBodyVerticesVsTriangles collider(transform, scale);
    const auto end = vertices + static_cast<int>(count);
    for (JPH::CollideSoftBodyVertexIterator v = vertices; v != end; ++v) {
        if (!(v.GetInvMass() > 0)) continue;
        collider.StartVertex(v);
        JPH::AABox box(collider.mLocalPosition, kReach);
        forEachTriangle(box.Scaled(scale.Reciprocal()), [&](const physics::TerrainTriangle& triangle) {
            collider.ProcessTriangle(toJolt(triangle.vertices[0]), toJolt(triangle.vertices[1]),
                                     toJolt(triangle.vertices[2]));
        });
        collider.FinishVertex(v, shapeIndex);
    }
}

/// Where a walk over the triangles of a box is at. The box is cut into blocks; a triangle belongs to the
/// block that holds the lowest corner of its own box, so that each is given once.
struct TriangleWalk {
    JPH::Mat44 toWorld;
    JPH::AABox box;
    float edge[3] = {1, 1, 1};
    int blocks[3] = {0, 0, 0};
    std::int64_t block = 0, blockCount = 0;
    int taken = 0;  ///< of this block
    bool insideOut = false;

    std::int64_t owner(const physics::TerrainTriangle& triangle) const {
        const JPH::Vec3 low =
            JPH::Vec3::sMin(JPH::Vec3::sMin(toJolt(triangle.vertices[0]), toJolt(triangle.vertices[1])),
                            toJolt(triangle.vertices[2]));
        std::int64_t index = 0;
        for (int a = 2; a >= 0; --a) {
            const auto at = static_cast<int>(
                (std::max(low[static_cast<JPH::uint>(a)], box.mMin[a]) - box.mMin[a]) / edge[a]);
            index = index * blocks[a] + std::min(at, blocks[a] - 1);
        }
        return index;
    }
    JPH::AABox blockBox() const {
        JPH::Vec3 low = box.mMin, high = box.mMax;
        std::int64_t rest = block;
        for (int a = 0; a < 3; ++a) {
            const auto at = static_cast<float>(rest % blocks[a]);
            rest /= blocks[a];
            const float hair = edge[a] * 1e-3f;  // rounding must not lose a triangle; its owner is one
            low.SetComponent(static_cast<JPH::uint>(a), box.mMin[a] + at * edge[a] - hair);
            high.SetComponent(static_cast<JPH::uint>(a), box.mMin[a] + (at + 1) * edge[a] + hair);
        }
        return {low, high};
    }
};

inline void TerrainShapeJolt::GetTrianglesStart(GetTrianglesContext& context, const JPH::AABox& box,
                                                JPH::Vec3Arg position, JPH::QuatArg rotation,
                                                JPH::Vec3Arg scale) const {
    static_assert(sizeof(TriangleWalk) <= sizeof(GetTrianglesContext));
    auto* walk = new (&context) TriangleWalk;
    walk->toWorld = JPH::Mat44::sRotationTranslation(rotation, position) * JPH::Mat44::sScale(scale);
    walk->insideOut = JPH::ScaleHelpers::IsInsideOut(scale);
    walk->box = box.Transformed(JPH::Mat44::sInverseRotationTranslation(rotation, position))
                    .Scaled(scale.Reciprocal());
    walk->box = walk->box.Intersect(m_bounds);
    if (!walk->box.IsValid()) return;
    walk->blockCount = 1;
    for (int a = 0; a < 3; ++a) {
        const float size = walk->box.mMax[a] - walk->box.mMin[a];
        walk->blocks[a] = static_cast<int>(std::clamp(std::ceil(size / m_stride), 1.0f, 1024.0f));
        walk->edge[a] = std::max(size / static_cast<float>(walk->blocks[a]), 1e-6f);
        walk->blockCount *= walk->blocks[a];
    }
}

inline int TerrainShapeJolt::GetTrianglesNext(GetTrianglesContext& context, int most, JPH::Float3* vertices,
                                              const JPH::PhysicsMaterial** materials) const {
    auto& walk = *std::launder(reinterpret_cast<TriangleWalk*>(&context));
    int count = 0;
    while (walk.block < walk.blockCount && count < most) {
        int owned = 0;
        forEachTriangle(walk.blockBox(), [&](const physics::TerrainTriangle& triangle) {
            if (walk.owner(triangle) != walk.block) return;
            if (owned++ < walk.taken || count == most) return;
            for (const int i : {0, walk.insideOut ? 2 : 1, walk.insideOut ? 1 : 2})
                (walk.toWorld * toJolt(triangle.vertices[static_cast<std::size_t>(i)]))
                    .StoreFloat3(vertices++);
            if (materials != nullptr) *materials++ = JPH::PhysicsMaterial::sDefault;
            ++count;
            ++walk.taken;
        });
        if (owned > walk.taken) break;  // the rest comes with the next call
        ++walk.block;
        walk.taken = 0;
    }
    return count;
}

}  // namespace karst::physics_jolt
