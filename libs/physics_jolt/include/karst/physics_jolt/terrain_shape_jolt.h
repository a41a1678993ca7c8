#pragma once

#include <Jolt/Jolt.h>

#include <Jolt/Geometry/AABox.h>
#include <Jolt/Physics/Body/MassProperties.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/PhysicsMaterial.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/ScaleHelpers.h>
#include <Jolt/Physics/Collision/Shape/Shape.h>
#include <karst/physics/terrain_shape.h>
#include <karst/physics_jolt/sub_shape_ids.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#ifdef JPH_DEBUG_RENDERER
#include <Jolt/Renderer/DebugRenderer.h>
#endif

namespace karst::physics_jolt {

inline JPH::Vec3 toJolt(Vec3f v) {
    return {v.x, v.y, v.z};
}
inline Vec3f fromJolt(JPH::Vec3Arg v) {
    return {v.GetX(), v.GetY(), v.GetZ()};
}
inline Vec3d toDouble(JPH::Vec3Arg v) {
    return {double{v.GetX()}, double{v.GetY()}, double{v.GetZ()}};
}

/// A TerrainShape as ONE shape of Jolt's, EShapeSubType::User1: it answers straight from the shared surfaces
/// and builds nothing. Call registerTerrainShape() (terrain_dispatch.h) once after JPH::RegisterTypes(); put
/// it into a system through TerrainBody (terrain_body.h). Convex bodies, compounds and soft bodies meet it;
/// Jolt meshes and height fields, which stand still too, do not. It has Jolt's default material: which
/// material is at a point is a question to the ground. It is not part of Jolt's binary states: restored, it
/// is empty.
///
/// Compile it as your own Jolt shapes: with Jolt's definitions and, unless your Jolt has it, without RTTI.
/// Threads: queries from any, as TerrainShape's; updateBounds() while no step and no query runs.
/// Made for Jolt 5. Source: spec rows V26, V28.
class TerrainShapeJolt final : public JPH::Shape {
  public:
    /// TooLarge where slot and triangle do not fit into the 32 bits of a sub shape id: for voxel ground that
    /// is more than 16384 slots.
    static Result<JPH::Ref<TerrainShapeJolt>> create(std::shared_ptr<const physics::TerrainShape> terrain) {
        const SubShapeIds ids(terrain->definition());
        if (ids.bits() > JPH::SubShapeID::MaxBits) {
            return makeError(
                ErrorCode::TooLarge,
                "terrain shape for Jolt: the lattice takes %u bits of a sub shape id, at most %u",
                static_cast<unsigned>(ids.bits()), static_cast<unsigned>(JPH::SubShapeID::MaxBits));
        }
        return JPH::Ref<TerrainShapeJolt>(new TerrainShapeJolt(std::move(terrain)));
    }

    /// For Jolt's registry: a ground without any slot.
    static JPH::Shape* createEmpty() {
        auto none = physics::TerrainShape::create({});
        KARST_ASSERT(none.ok());
        return new TerrainShapeJolt(std::move(none).value());
    }

    const physics::TerrainShape& terrain() const { return *m_terrain; }

    /// After slots were replaced. True where the bounds are others now.
    bool updateBounds() {
        const Bounds bounds = m_terrain->bounds();
        JPH::AABox box(JPH::Vec3::sZero(), JPH::Vec3::sZero());
        if (!bounds.empty()) box = JPH::AABox(toJolt(toFloat(bounds.min)), toJolt(toFloat(bounds.max)));
        const bool changed = box != m_bounds;
        m_bounds = box;
        return changed;
    }

    /// Between Jolt's ids (with the path of shapes around this one taken off) and Karst's.
    physics::TriangleId triangleId(const JPH::SubShapeID& id) const { return m_ids.pop(id); }
    JPH::SubShapeID subShapeId(physics::TriangleId id, const JPH::SubShapeIDCreator& creator) const {
        return m_ids.push(id, creator);
    }
    /// Each triangle in the box, in the shape's own space.
    template <class Visit>
    void forEachTriangle(const JPH::AABox& box, Visit visit) const {
        m_terrain->trianglesInBox(fromJolt(box.mMin), fromJolt(box.mMax),
                                  [&](const physics::TerrainTriangle& triangle) { visit(triangle); });
    }
    /// How far sweeps and walks over all triangles go at a time: some cells.
    float stride() const { return m_stride; }

    // What Jolt asks of a shape.
    bool MustBeStatic() const override { return true; }
    JPH::AABox GetLocalBounds() const override { return m_bounds; }
    JPH::uint GetSubShapeIDBitsRecursive() const override { return m_ids.bits(); }
    float GetInnerRadius() const override { return 0; }
    JPH::MassProperties GetMassProperties() const override { return {}; }
    float GetVolume() const override { return 0; }
    const JPH::PhysicsMaterial* GetMaterial(const JPH::SubShapeID&) const override {
        return JPH::PhysicsMaterial::sDefault;
    }
    JPH::Vec3 GetSurfaceNormal(const JPH::SubShapeID& id, JPH::Vec3Arg) const override {
        const auto triangle = m_terrain->triangle(triangleId(id));
        if (!triangle) return JPH::Vec3::sAxisY();  // dug away meanwhile
        const JPH::Vec3 a = toJolt(triangle->vertices[0]);
        return (toJolt(triangle->vertices[1]) - a)
            .Cross(toJolt(triangle->vertices[2]) - a)
            .NormalizedOr(JPH::Vec3::sAxisY());
    }
    void GetSupportingFace(const JPH::SubShapeID& id, JPH::Vec3Arg, JPH::Vec3Arg scale,
                           JPH::Mat44Arg transform, SupportingFace& face) const override {
        const auto triangle = m_terrain->triangle(triangleId(id));
        if (!triangle) return;
        const bool flip = JPH::ScaleHelpers::IsInsideOut(scale);
        for (const int i : {0, flip ? 2 : 1, flip ? 1 : 2})
            face.push_back(transform * (scale * toJolt(triangle->vertices[static_cast<std::size_t>(i)])));
    }
    void GetSubmergedVolume(JPH::Mat44Arg, JPH::Vec3Arg, const JPH::Plane&, float& total, float& submerged,
                            JPH::Vec3& center JPH_IF_DEBUG_RENDERER(, JPH::RVec3Arg)) const override {
        total = submerged = 0;  // the ground does not float
        center = JPH::Vec3::sZero();
    }
    bool CastRay(const JPH::RayCast& ray, const JPH::SubShapeIDCreator& creator,
                 JPH::RayCastResult& hit) const override;
    void CastRay(const JPH::RayCast& ray, const JPH::RayCastSettings& settings,
                 const JPH::SubShapeIDCreator& creator, JPH::CastRayCollector& collector,
                 const JPH::ShapeFilter& filter = {}) const override;
    void CollidePoint(JPH::Vec3Arg point, const JPH::SubShapeIDCreator& creator,
                      JPH::CollidePointCollector& collector,
                      const JPH::ShapeFilter& filter = {}) const override {
        sCollidePointUsingRayCast(*this, point, creator, collector, filter);
    }
    void CollideSoftBodyVertices(JPH::Mat44Arg transform, JPH::Vec3Arg scale,
                                 const JPH::CollideSoftBodyVertexIterator& vertices, JPH::uint count,
                                 int shapeIndex) const override;
    void GetTrianglesStart(GetTrianglesContext& context, const JPH::AABox& box, JPH::Vec3Arg position,
                           JPH::QuatArg rotation, JPH::Vec3Arg scale) const override;
    int GetTrianglesNext(GetTrianglesContext& context, int most, JPH::Float3* vertices,
                         const JPH::PhysicsMaterial** materials = nullptr) const override;
    Stats GetStats() const override {
        JPH::uint triangles = 0;
        forEachTriangle(m_bounds, [&](const physics::TerrainTriangle&) { ++triangles; });
        return Stats(sizeof(*this) + m_terrain->memoryBytes(), triangles);
    }
#ifdef JPH_DEBUG_RENDERER
    void Draw(JPH::DebugRenderer* renderer, JPH::RMat44Arg transform, JPH::Vec3Arg scale, JPH::ColorArg color,
              bool, bool) const override {
        forEachTriangle(m_bounds, [&](const physics::TerrainTriangle& triangle) {
            renderer->DrawTriangle(transform * (scale * toJolt(triangle.vertices[0])),
                                   transform * (scale * toJolt(triangle.vertices[1])),
                                   transform * (scale * toJolt(triangle.vertices[2])), color);
        });
    }
#endif

  private:
    explicit TerrainShapeJolt(std::shared_ptr<const physics::TerrainShape> terrain)
        : Shape(JPH::EShapeType::User1, JPH::EShapeSubType::User1),
          m_terrain(std::move(terrain)),
          m_ids(m_terrain->definition()) {
        const physics::TerrainShapeDefinition& definition = m_terrain->definition();
        if (definition.minChunk.x < definition.maxChunk.x) {
            m_stride = static_cast<float>(16 * definition.voxels.cellSize);
        } else if (definition.minTileX < definition.maxTileX) {
            m_stride = static_cast<float>(16 * definition.heights.strideX(definition.heightLevel));
        }
        updateBounds();
    }

    std::shared_ptr<const physics::TerrainShape> m_terrain;
    SubShapeIds m_ids;
    JPH::AABox m_bounds{JPH::Vec3::sZero(), JPH::Vec3::sZero()};
    float m_stride = 16;
};

}  // namespace karst::physics_jolt

#include <karst/physics_jolt/terrain_shape_queries.h>
