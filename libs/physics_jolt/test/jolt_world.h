#pragma once

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/PhysicsSettings.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/physics_jolt/terrain_body.h>
#include <karst/voxel/fill_shapes.h>

#include <gtest/gtest.h>
#include <memory>

namespace karst::physics_jolt {

constexpr JPH::ObjectLayer kStill = 0, kMoving = 1;
constexpr voxel::MaterialId kRock = 4;

/// What Jolt wants once per process.
inline void startJolt() {
    static const bool started = [] {
        JPH::RegisterDefaultAllocator();
        JPH::Factory::sInstance = new JPH::Factory;
        JPH::RegisterTypes();
        registerTerrainShape();
        return true;
    }();
    (void)started;
}

struct Layers final : JPH::BroadPhaseLayerInterface {
    JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
        return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
    }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
    const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override {
        return "layer";
    }
#endif
};
struct LayerVsBroadPhase final : JPH::ObjectVsBroadPhaseLayerFilter {
    bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
        return a == kMoving || b == JPH::BroadPhaseLayer(1);
    }
};
struct LayerPairs final : JPH::ObjectLayerPairFilter {
    bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override {
        return a == kMoving || b == kMoving;
    }
};

class JoltWorld {
  public:
    JoltWorld() : jobs(JPH::cMaxPhysicsJobs, JPH::cMaxPhysicsBarriers, 2) {
        system.Init(1024, 0, 4096, 4096, layers, layerVsBroadPhase, pairs);
    }

    JPH::BodyInterface& bodies() { return system.GetBodyInterface(); }
    JPH::BodyID add(const JPH::Shape* shape, JPH::RVec3Arg at) { return add(moving(shape, at)); }
    JPH::BodyID add(const JPH::BodyCreationSettings& settings) {
        return bodies().CreateAndAddBody(settings, JPH::EActivation::Activate);
    }
    static JPH::BodyCreationSettings moving(const JPH::Shape* shape, JPH::RVec3Arg at) {
        JPH::BodyCreationSettings settings(shape, at, JPH::Quat::sIdentity(), JPH::EMotionType::Dynamic,
                                           kMoving);
        settings.mLinearDamping = settings.mAngularDamping = 0;
        return settings;
    }
    void step(int count = 1) {
        for (int i = 0; i < count; ++i)
            ASSERT_EQ(system.Update(1.0f / 60, 1, &temp, &jobs), JPH::EPhysicsUpdateError::None);
    }

  private:
    struct Started {
        Started() { startJolt(); }
    } m_started;

  public:
    Layers layers;
    LayerVsBroadPhase layerVsBroadPhase;
    LayerPairs pairs;
    JPH::TempAllocatorMalloc temp;
    JPH::JobSystemThreadPool jobs;
    JPH::PhysicsSystem system;
};

/// Cells of 1 m; the ground is flat, its surface at y = 0.
struct FlatWorld {
    JoltWorld jolt;
    voxel::Grid grid;
    std::shared_ptr<physics::TerrainShape> shape;
    std::unique_ptr<physics::VoxelColliders> colliders;
    std::unique_ptr<TerrainBody> terrain;

    explicit FlatWorld(int halfX = 128, int halfZ = 64) : grid(makeGrid()) {
        EXPECT_TRUE(voxel::fillRegion(grid, {{-halfX, -32, -halfZ}, {halfX, 0, halfZ}}, kRock).ok());
        shape = *physics::TerrainShape::create(
            physics::shapeDefinitionFor(grid.placement(), {{-halfX, -32, -halfZ}, {halfX, 32, halfZ}}));
        colliders = std::make_unique<physics::VoxelColliders>(shape);
        EXPECT_TRUE(colliders->update(grid).ok());
        auto body = TerrainBody::create(jolt.system, shape, {.layer = kStill});
        EXPECT_TRUE(body.ok());
        terrain = std::move(body).value();
        jolt.system.OptimizeBroadPhase();
    }
    static voxel::Grid makeGrid() {
        voxel::GridDefinition definition;
        definition.placement.cellSize = 1;
        return std::move(voxel::Grid::create(definition)).value();
    }
    void sync() {
        EXPECT_TRUE(colliders->update(grid).ok());
        terrain->sync();
    }
    void edit(const voxel::CellBox& box, voxel::MaterialId material) {
        EXPECT_TRUE(voxel::fillRegion(grid, box, material).ok());
        sync();
    }
};

}  // namespace karst::physics_jolt
