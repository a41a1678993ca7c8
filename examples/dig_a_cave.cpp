// Digs a cave into voxel ground and remakes only what that touched: the drawn surfaces of a few chunks and
// the collision surfaces of as many. A ray then goes where rock was before.
#include <karst/base/thread_pool.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>

#include <cstdio>
#include <map>
#include <vector>

using namespace karst;

int main() {
    voxel::GridDefinition definition;
    definition.placement.cellSize = 1;  // metres
    ThreadPool pool;
    auto grid = voxel::Grid::create(definition, {.jobs = &pool});
    if (!grid) return std::puts(grid.error().message.c_str()), 1;

    // A slab of rock with its top at y = 0, and a hill on it.
    const voxel::CellBox land{{-96, -48, -96}, {96, 0, 96}};
    const voxel::MaterialId rock = *grid->materials().find("rock");
    if (auto done = voxel::fillRegion(*grid, land, rock); !done)
        return std::puts(done.error().message.c_str()), 1;
    if (auto done = voxel::fillBall(*grid, {0, -30, 0}, 50, rock); !done)
        return std::puts(done.error().message.c_str()), 1;

    // All surfaces once: what is drawn, and what rays and bodies meet.
    std::map<voxel::ChunkCoord, voxel_mesh::SurfaceMesh> drawn;
    const auto remesh = [&](const std::vector<voxel::ChunkCoord>& chunks) {
        auto surfaces = voxel_mesh::buildSurfaces(grid->snapshot(chunks), chunks, 0, pool);
        for (std::size_t i = 0; i < chunks.size(); ++i)
            drawn[chunks[i]] = std::move(surfaces[i]);
    };
    // Every chunk counts as changed; a surface may also belong to a neighbour of the written chunks.
    voxel::GridChanges everything;
    grid->snapshot().forEachChunk([&](voxel::ChunkCoord chunk, const voxel::Chunk&) {
        everything.changed.push_back({chunk, voxel::chunkBox(chunk)});
    });
    const voxel::GridGeneration generation = grid->generation();
    const voxel::Revision revision = grid->revision();
    remesh(voxel::invalidatedChunks(everything, 0));

    auto shape = physics::TerrainShape::create(
        physics::shapeDefinitionFor(grid->placement(), {{-96, -64, -96}, {96, 32, 96}}));
    if (!shape) return std::puts(shape.error().message.c_str()), 1;
    physics::VoxelColliders colliders(*shape);
    const auto first = colliders.update(*grid);
    if (!first) return std::puts(first.error().message.c_str()), 1;
    const Ray ray{{0, 5, -95}, {0, 0, 1}};  // from the north into the hill, 5 m above the plain
    const auto before = (*shape)->castRay(ray);
    std::printf("%zu chunks drawn, %u with a collider; the ray meets the hill after %.2f m\n", drawn.size(),
                first->replaced, before ? before->t : -1.0);

    // A gallery into the hill: one edit a ball.
    for (int i = 0; i <= 20; ++i) {
        auto dug = voxel::fillBall(*grid, {0, 5, -40.0 + i * 2.0}, 4, voxel::kAir);
        if (!dug) return std::puts(dug.error().message.c_str()), 1;
    }

    // What became of the grid, what that reaches, and only that anew.
    const voxel::GridChanges changes = grid->changesSince(generation, revision);
    const std::vector<voxel::ChunkCoord> touched = voxel::invalidatedChunks(changes, 0);
    remesh(touched);
    const auto second = colliders.update(*grid);
    if (!second) return std::puts(second.error().message.c_str()), 1;
    const auto after = (*shape)->castRay(ray);
    std::printf("21 balls dug: %zu chunks changed, %zu drawn anew, %u colliders replaced\n",
                changes.changed.size(), touched.size(), second->replaced);
    std::printf("the same ray now goes %.2f m, to the end of the gallery\n", after ? after->t : -1.0);

    const bool fewer = !changes.fullRefresh && touched.size() < drawn.size() && second->replaced > 0 &&
                       second->replaced < first->replaced;
    // The last ball's far side is at z = 4.
    return before && after && fewer && after->t > before->t + 20 && after->t > 98 && after->t < 100 ? 0 : 1;
}
