#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <karst/physics_bullet/chunk_shapes.h>

#include "terrain_worlds.h"

namespace karst::physics_bullet {
namespace {

using voxel::ChunkCoord;
using voxel_mesh::CollisionSurfacePtr;

/// Flat ground, its surface at y = 0, over 4 x 4 chunks of cells of half a metre.
struct Chunks {
    voxel::Grid grid;
    voxel_mesh::CollisionCache surfaces;
    ChunkShapeCache shapes{0.5};

    Chunks() : grid(makeGrid()) {
        voxel_mesh::fill(grid, {{-64, -32, -64}, {64, 0, 64}}, [](voxel::CellCoord) { return kSolid; });
        surfaces.update(grid);
    }
    static voxel::Grid makeGrid() {
        voxel::GridDefinition definition;
        definition.placement.cellSize = 0.5;
        return std::move(voxel::Grid::create(definition)).value();
    }
    std::map<ChunkCoord, ChunkShapePtr> all() {
        std::map<ChunkCoord, ChunkShapePtr> out;
        surfaces.forEach([&](const CollisionSurfacePtr& s) { out[s->chunk()] = shapes.shape(s); });
        return out;
    }
};

TEST(ChunkShapes, V24_UnchangedChunksKeepTheirShapeObject) {
    Chunks chunks;
    const auto before = chunks.all();
    EXPECT_GE(before.size(), 16u);
    EXPECT_EQ(chunks.all(), before);
    voxel_mesh::fill(chunks.grid, {{10, -6, 10}, {16, 0, 16}},
                     [](voxel::CellCoord) { return voxel::Cell{}; });
    chunks.surfaces.update(chunks.grid);
    auto after = chunks.all();
    ASSERT_EQ(after.size(), before.size());
    int replaced = 0;
    for (const auto& [chunk, shape] : before)
        replaced += after[chunk] == shape ? 0 : 1;
    EXPECT_EQ(replaced, 1);
    EXPECT_EQ(chunks.shapes.trim(), before.size() + 1) << "the old one is still held";
    EXPECT_EQ(chunks.shapes.shape(nullptr), nullptr);
}

TEST(ChunkShapes, V24_AShapeThatNobodyHoldsIsForgotten) {
    Chunks chunks;
    {
        const auto held = chunks.all();
        EXPECT_EQ(chunks.shapes.trim(), held.size());
    }
    EXPECT_EQ(chunks.shapes.trim(), 0u);
}

TEST(ChunkShapes, V26_BulletsEdgesAreTheSurfacesActiveOnes) {
    Chunks chunks;
    voxel_mesh::fill(chunks.grid, {{10, -6, 10}, {16, 4, 16}}, [](voxel::CellCoord) { return kSolid; });
    chunks.surfaces.update(chunks.grid);
    int active = 0, inner = 0;
    for (const auto& [chunk, shape] : chunks.all()) {
        const auto& triangles = shape->surface()->triangles();
        EXPECT_EQ(shape->shape().getTriangleInfoMap(), &shape->edges());
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            const btTriangleInfo* info = shape->edges().find(btHashInt(static_cast<int>(i)));
            const btTriangleInfo none;
            const btTriangleInfo& edges = info != nullptr ? *info : none;
            const btScalar angles[3] = {edges.m_edgeV0V1Angle, edges.m_edgeV1V2Angle, edges.m_edgeV2V0Angle};
            for (int k = 0; k < 3; ++k) {
                const bool isActive = (triangles[i].activeEdges >> k & 1) != 0;
                ++(isActive ? active : inner);
                EXPECT_EQ(angles[k], isActive ? SIMD_2_PI : btScalar(0));
            }
        }
    }
    EXPECT_GT(active, 10);
    EXPECT_GT(inner, 1000);
}

bool onContact(btManifoldPoint& point, const btCollisionObjectWrapper* object0, int part0, int index0,
               const btCollisionObjectWrapper* object1, int part1, int index1) {
    // Bullet mends the side that is named first.
    if (object0->getCollisionShape()->getShapeType() == TRIANGLE_SHAPE_PROXYTYPE)
        btAdjustInternalEdgeContacts(point, object0, object1, part0, index0);
    else
        btAdjustInternalEdgeContacts(point, object1, object0, part1, index1);
    return true;
}

TEST(ChunkShapes, V26_ABoxSlidesOverBodiesOfChunksWithoutABump) {
    Chunks chunks;
    BulletWorld world;
    const auto shapes = chunks.all();
    for (const auto& [chunk, shape] : shapes) {
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &shape->shape());
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(
            {btScalar(chunk.x * 16), btScalar(chunk.y * 16), btScalar(chunk.z * 16)});
        world.bodies.push_back(std::make_unique<btRigidBody>(info));
        world.bodies.back()->setCollisionFlags(world.bodies.back()->getCollisionFlags() |
                                               btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
        world.world.addRigidBody(world.bodies.back().get());
    }
    gContactAddedCallback = onContact;
    auto box = std::make_shared<btBoxShape>(btVector3(btScalar(0.6), btScalar(0.4), btScalar(0.5)));
    btRigidBody& body = world.add(box, {-28, btScalar(0.45), btScalar(0.21)});
    body.setFriction(0);
    body.setDamping(0, 0);
    body.setActivationState(DISABLE_DEACTIVATION);
    world.step(60);
    const double height = double(body.getWorldTransform().getOrigin().y());
    EXPECT_NEAR(height, 0.4, 0.06);
    body.setLinearVelocity({10, 0, 0});
    double lowest = 1e9, highest = -1e9;
    for (int i = 0; i < 320; ++i) {
        world.step();
        lowest = std::min<double>(lowest, body.getWorldTransform().getOrigin().y());
        highest = std::max<double>(highest, body.getWorldTransform().getOrigin().y());
    }
    gContactAddedCallback = nullptr;
    EXPECT_GT(body.getWorldTransform().getOrigin().x(), 24);
    EXPECT_GT(body.getLinearVelocity().x(), 9.9);
    EXPECT_LT(highest - lowest, 0.02);
}

}  // namespace
}  // namespace karst::physics_bullet
