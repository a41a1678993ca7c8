// What docs/physics.md shows, as a program that runs.
#include <btBulletDynamicsCommon.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/physics_bullet/terrain_body.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>

#include <cstdio>

using namespace karst;

namespace {

/// Digs under a body and tells what it then lies on.
Result<voxel::MaterialId> digAndLook(voxel::Grid& grid, const voxel::CellBox& cells, btDynamicsWorld& world) {
    // [snippet]
    auto shape = physics::TerrainShape::create(physics::shapeDefinitionFor(grid.placement(), cells));
    if (!shape) return shape.error();
    physics::VoxelColliders colliders(*shape);
    if (auto made = colliders.update(grid); !made) return made.error();
    physics_bullet::TerrainBody terrain(world, *shape);
    // [end]
    const WorldPosition center{0, 0, 0};
    // [snippet]
    if (auto dug = voxel::fillBall(grid, center, 3, voxel::kAir); !dug) return dug.error();
    if (auto made = colliders.update(grid); !made) return made.error();  // the surfaces of the touched chunks
    terrain.sync();  // the physics engine learns of it; before the next step
    // [end]
    const auto bottom = terrain.castRay({0, 1, 0}, {0, -10, 0});
    if (!bottom) return makeError(ErrorCode::NotFound, "no ground");
    const Vec3d pointInTheWorld = physics_bullet::toDouble(bottom->point);
    // [snippet]
    auto material = voxel::solidMaterialAt(grid, pointInTheWorld);  // or of a snapshot
    // [end]
    return material;
}

}  // namespace

int main() {
    voxel::GridDefinition definition;
    definition.placement.cellSize = 1;
    auto grid = voxel::Grid::create(definition);
    if (!grid) return std::puts(grid.error().message.c_str()), 1;
    const voxel::CellBox cells{{-16, -16, -16}, {16, 16, 16}};
    const auto rock = *grid->materials().find("rock");
    if (!voxel::fillRegion(*grid, {cells.min, {16, 0, 16}}, rock)) return 1;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    const auto material = digAndLook(*grid, cells, world);
    if (!material) return std::puts(material.error().message.c_str()), 1;
    return *material == rock ? 0 : 1;
}
