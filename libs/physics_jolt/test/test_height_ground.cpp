#include "jolt_world.h"

#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <karst/physics/height_colliders.h>
#include <karst_test/test_support.h>

#include "../../heightfield/test/surface_reference.h"

namespace karst::physics_jolt {
namespace {

TEST(JoltHeightGround, H29_RaysAndIdsOfHeightTilesGoThroughJolt) {
    startJolt();
    test::Random random(17);
    int hits = 0, triangles = 0;
    for (int round = 0; round < 20; ++round) {
        const auto world = test::ResidentWorld::make(random, 0);
        const std::int32_t level = std::max(world.surface.collisionLevel(), 0);
        std::vector<heightfield::TilePtr> tiles;
        for (const auto& [key, tile] : world.tiles) {
            if (key.level == level) tiles.push_back(tile);
        }
        const auto surface = heightfield::Surface::fromTiles(world.surface.layout(), tiles, level);
        ASSERT_TRUE(surface.ok());
        // Voxel slots beside the tiles' ones.
        physics::TerrainShapeDefinition definition = physics::shapeDefinitionFor(*surface);
        definition.maxChunk = {3, 2, 5};
        const auto terrain = physics::TerrainShape::create(definition);
        ASSERT_TRUE(terrain.ok());
        physics::HeightColliders colliders(*terrain);
        const physics::HeightColliderAnchor anchor{{}, 1e6};
        ASSERT_TRUE(colliders.update(*surface, {&anchor, 1}).ok());
        auto shape = TerrainShapeJolt::create(*terrain);
        ASSERT_TRUE(shape.ok());

        const JPH::SubShapeIDCreator creator;
        std::vector<physics::TerrainTriangle> ground;
        (*shape)->forEachTriangle((*shape)->GetLocalBounds(), [&](const physics::TerrainTriangle& triangle) {
            ground.push_back(triangle);
        });
        for (const physics::TerrainTriangle& triangle : ground) {
            const JPH::SubShapeID id = (*shape)->subShapeId(triangle.id, creator);
            ASSERT_EQ((*shape)->triangleId(id), triangle.id);
            JPH::Shape::SupportingFace face;
            (*shape)->GetSupportingFace(id, {}, JPH::Vec3::sOne(), JPH::Mat44::sIdentity(), face);
            ASSERT_EQ(face.size(), 3u);
            for (int i = 0; i < 3; ++i)
                EXPECT_EQ(fromJolt(face[static_cast<JPH::uint>(i)]),
                          triangle.vertices[static_cast<std::size_t>(i)]);
            ++triangles;
        }
        for (int i = 0; i < 100 && !ground.empty(); ++i) {
            // Down at some triangle, from about above it.
            const auto& aim =
                ground[static_cast<std::size_t>(random.integer(0, static_cast<int>(ground.size()) - 1))];
            const JPH::Vec3 at =
                (toJolt(aim.vertices[0]) + toJolt(aim.vertices[1]) + toJolt(aim.vertices[2])) / 3;
            const JPH::Vec3 way(float(random.range(-5, 5)), -200, float(random.range(-5, 5)));
            const JPH::RayCast ray(at - 0.5f * way, way);
            JPH::RayCastResult jolt;
            const bool hit = (*shape)->CastRay(ray, creator, jolt);
            const auto karst = (*terrain)->castRay({toDouble(ray.mOrigin), toDouble(way)}, 1);
            ASSERT_EQ(hit, karst.has_value());
            if (!hit) continue;
            ++hits;
            EXPECT_NEAR(jolt.mFraction, karst->t, 1e-6);
            EXPECT_EQ((*shape)->triangleId(jolt.mSubShapeID2), karst->id);
            EXPECT_GT((*shape)->GetSurfaceNormal(jolt.mSubShapeID2, {}).GetY(), 0);
        }
    }
    EXPECT_GT(hits, 500);
    EXPECT_GT(triangles, 1000);
}

}  // namespace
}  // namespace karst::physics_jolt
