#pragma once

#include <karst/physics_jolt/terrain_dispatch.h>
#include <karst/physics_jolt/terrain_shape_jolt.h>

#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Body/BodyInterface.h>
#include <Jolt/Physics/PhysicsSystem.h>

#include <memory>
#include <utility>

namespace karst::physics_jolt {

struct TerrainBodyOptions {
    JPH::ObjectLayer layer = 0;  ///< one that the host has for what stands still
    /// One setting for the whole ground; which material is at a contact is a query of the ground.
    float friction = 0.8f;
    float restitution = 0;
    /// Where Jolt's world has its zero, in the world of the TerrainShape.
    WorldPosition worldOrigin{};
};

/// The ground of a Jolt world: ONE static body with ONE shape, which reads the TerrainShape as it is.
/// registerTerrainShape() comes before. Threads: create, sync and the destructor while the system does not
/// step. Source: spec row V28.
class TerrainBody {
  public:
    /// The system must outlive the body. TooLarge as TerrainShapeJolt::create(), or where the system has no
    /// room for another body.
    static Result<std::unique_ptr<TerrainBody>> create(JPH::PhysicsSystem& system,
                                                       std::shared_ptr<physics::TerrainShape> terrain,
                                                       const TerrainBodyOptions& options = {}) {
        auto shape = TerrainShapeJolt::create(terrain);
        if (!shape) return std::move(shape).error();
        const Vec3d at = terrain->definition().origin - options.worldOrigin;
        JPH::BodyCreationSettings settings(
            shape->GetPtr(),
            JPH::RVec3(static_cast<JPH::Real>(at.x), static_cast<JPH::Real>(at.y),
                       static_cast<JPH::Real>(at.z)),
            JPH::Quat::sIdentity(), JPH::EMotionType::Static, options.layer);
        settings.mFriction = options.friction;
        settings.mRestitution = options.restitution;
        const JPH::BodyID id =
            system.GetBodyInterface().CreateAndAddBody(settings, JPH::EActivation::DontActivate);
        if (id.IsInvalid())
            return makeError(ErrorCode::TooLarge, "terrain body: the physics system has no room for a body");
        terrain->takeDirtyBoxes();
        return std::unique_ptr<TerrainBody>(
            new TerrainBody(system, std::move(terrain), std::move(*shape), id, toFloat(at)));
    }
    ~TerrainBody() {
        m_system.GetBodyInterface().RemoveBody(m_id);
        m_system.GetBodyInterface().DestroyBody(m_id);
    }
    TerrainBody(const TerrainBody&) = delete;
    TerrainBody& operator=(const TerrainBody&) = delete;

    JPH::BodyID id() const { return m_id; }
    const TerrainShapeJolt& shape() const { return *m_shape; }
    const std::shared_ptr<physics::TerrainShape>& terrain() const { return m_terrain; }

    /// After slots of the shape were replaced, before the next step: takes in the new bounds, has Jolt forget
    /// the ground's contacts (ids of triangles may mean others now), and wakes the bodies in the boxes of the
    /// old and new surfaces. Nothing where nothing was replaced.
    void sync() {
        const auto boxes = m_terrain->takeDirtyBoxes();
        if (boxes.empty()) return;
        JPH::BodyInterface& bodies = m_system.GetBodyInterface();
        if (m_shape->updateBounds())
            bodies.NotifyShapeChanged(m_id, JPH::Vec3::sZero(), false, JPH::EActivation::DontActivate);
        bodies.InvalidateContactCache(m_id);
        for (const physics::DirtyBox& box : boxes) {
            JPH::AABox around(toJolt(box.min) + m_at, toJolt(box.max) + m_at);
            around.ExpandBy(JPH::Vec3::sReplicate(kRestingGap));
            bodies.ActivateBodiesInAABox(around, {}, {});
        }
    }

  private:
    /// Bodies come to rest a little above what carries them.
    static constexpr float kRestingGap = 0.05f;

    TerrainBody(JPH::PhysicsSystem& system, std::shared_ptr<physics::TerrainShape> terrain,
                JPH::Ref<TerrainShapeJolt> shape, JPH::BodyID id, Vec3f at)
        : m_system(system),
          m_terrain(std::move(terrain)),
          m_shape(std::move(shape)),
          m_id(id),
          m_at(toJolt(at)) {}

    JPH::PhysicsSystem& m_system;
    std::shared_ptr<physics::TerrainShape> m_terrain;
    JPH::Ref<TerrainShapeJolt> m_shape;
    JPH::BodyID m_id;
    JPH::Vec3 m_at;
};

}  // namespace karst::physics_jolt
