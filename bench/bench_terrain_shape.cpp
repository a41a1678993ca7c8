// The ground as one shape: swapping a chunk, rays over many chunks, and from an edit to Bullet's contact.

#include <benchmark/benchmark.h>
#include <btBulletDynamicsCommon.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/physics_bullet/terrain_body.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

namespace {

using namespace karst;

/// Hills of 32 x 32 chunks, 1024 with a surface, cells of 1; heights lie within one layer of chunks.
struct Hills {
    static constexpr int kHalf = 512;
    voxel::Grid grid;
    std::shared_ptr<physics::TerrainShape> shape;
    std::unique_ptr<physics::VoxelColliders> colliders;

    explicit Hills(int half = kHalf) : grid(makeGrid()) {
        const voxel::CellBox cells{{-half, 0, -half}, {half, 32, half}};
        const auto done = grid.edit(cells, [](const voxel::EditBlock& block) {
            for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                for (int x = block.box.min.x; x < block.box.max.x; ++x) {
                    const double height = 16 + 7 * std::sin(0.061 * x) * std::cos(0.053 * z) +
                                          3 * std::sin(0.13 * x + 0.19 * z) +
                                          1.1 * std::sin(0.7 * x) * std::sin(0.63 * z);
                    for (int y = block.box.min.y; y < block.box.max.y; ++y) {
                        const double full = std::clamp(0.5 - 0.7 * (y - height), 0.0, 1.0);
                        block.at({x, y, z}) = {4, static_cast<std::uint8_t>(std::lround(255 * full))};
                    }
                }
            }
        });
        (void)done;
        shape = *physics::TerrainShape::create(physics::shapeDefinitionFor(grid.placement(), cells));
        colliders = std::make_unique<physics::VoxelColliders>(shape);
        (void)colliders->update(grid);
    }
    static voxel::Grid makeGrid() {
        voxel::GridDefinition definition;
        definition.placement.cellSize = 1;
        return std::move(voxel::Grid::create(definition)).value();
    }
};

const Hills& wideHills() {
    static const Hills hills;
    return hills;
}

/// The same everywhere.
class Numbers {
  public:
    double range(double low, double high) {
        m_state = m_state * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * static_cast<double>(m_state >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t m_state = 7;
};

void swapChunk(benchmark::State& state) {
    const Hills hills(64);
    const voxel::ChunkCoord chunk{0, 0, 0};
    const voxel_mesh::CollisionSurfacePtr one = hills.shape->chunk(chunk);
    const auto other = std::make_shared<const voxel_mesh::CollisionSurface>(
        voxel_mesh::CollisionSurface::Data{chunk,
                                           {one->vertices().begin(), one->vertices().end()},
                                           {one->triangles().begin(), one->triangles().end()}});
    bool first = false;
    std::size_t count = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(hills.shape->setChunk(chunk, first ? one : other));
        first = !first;
        if (++count % 64 == 0) benchmark::DoNotOptimize(hills.shape->takeDirtyBoxes());
    }
}
BENCHMARK(swapChunk);

/// Rays from above at an angle below the horizon, degrees.
std::vector<Ray> raysAt(double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    Numbers numbers;
    std::vector<Ray> all(4096);
    for (Ray& ray : all) {
        const double around = numbers.range(0, 2 * std::numbers::pi);
        ray.origin = {numbers.range(-400, 400), numbers.range(30, 60), numbers.range(-400, 400)};
        ray.direction = {std::cos(around) * std::cos(angle), -std::sin(angle),
                         std::sin(around) * std::cos(angle)};
    }
    return all;
}

void rays(benchmark::State& state) {
    const Hills& hills = wideHills();
    const std::vector<Ray> all = raysAt(static_cast<double>(state.range(0)));
    std::size_t next = 0, hits = 0;
    for (auto _ : state)
        hits += hills.shape->castRay(all[next++ % all.size()]) ? 1 : 0;
    state.SetItemsProcessed(static_cast<std::int64_t>(next));
    state.counters["hits"] = static_cast<double>(hits) / static_cast<double>(next);
}
BENCHMARK(rays)->Arg(90)->Arg(60)->Arg(30)->Arg(10)->Arg(3)->ArgName("degrees");

/// The same, all at once.
void raysTogether(benchmark::State& state) {
    const Hills& hills = wideHills();
    const std::vector<Ray> all = raysAt(static_cast<double>(state.range(0)));
    std::vector<std::optional<physics::TerrainRayHit>> hits(all.size());
    for (auto _ : state) {
        hills.shape->castRays(all, hits);
        benchmark::DoNotOptimize(hits.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}
BENCHMARK(raysTogether)->Arg(90)->Arg(60)->Arg(30)->Arg(10)->Arg(3)->ArgName("degrees");

/// A ball of radius 6 dug and filled in turn, until Bullet's contact with a body there is of the new ground.
void editToContact(benchmark::State& state) {
    Hills hills(128);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    physics_bullet::TerrainBody ground(world, hills.shape);
    // Inside of a chunk, or where eight meet.
    const WorldPosition at = state.range(0) != 0 ? WorldPosition{0, 32, 0} : WorldPosition{16.5, 14.5, 16.5};
    const btVector3 high(btScalar(at.x), 100, btScalar(at.z)), low(btScalar(at.x), -10, btScalar(at.z));
    bool solid = false;
    std::uint32_t chunks = 0;
    btScalar fraction = 0;
    std::int64_t wrong = 0;
    for (auto _ : state) {
        const auto done = voxel::fillBall(hills.grid, at, 6, static_cast<voxel::MaterialId>(solid ? 4 : 0));
        benchmark::DoNotOptimize(done);
        chunks = (*hills.colliders->update(hills.grid)).built;
        ground.sync();
        btCollisionWorld::ClosestRayResultCallback hit(high, low);
        world.rayTest(high, low, hit);
        if (!hit.hasHit() || hit.m_closestHitFraction == fraction) ++wrong;
        fraction = hit.m_closestHitFraction;
        solid = !solid;
    }
    if (wrong > 0) state.SkipWithError("a ray met the ground of before the edit");
    state.counters["chunks"] = chunks;
}
BENCHMARK(editToContact)->Arg(0)->Arg(1)->ArgName("corner")->Unit(benchmark::kMicrosecond);

/// The same without a physics engine, and with the drawn meshes of all chunks that the edit touches.
void editToMeshAndCollider(benchmark::State& state) {
    Hills hills(128);
    const WorldPosition at = state.range(0) != 0 ? WorldPosition{0, 32, 0} : WorldPosition{16.5, 14.5, 16.5};
    voxel_mesh::ChunkMesher mesher;
    voxel_mesh::SurfaceMesh mesh;
    voxel::Revision revision = hills.grid.revision();
    bool solid = false;
    std::size_t meshed = 0;
    for (auto _ : state) {
        const auto done = voxel::fillBall(hills.grid, at, 6, static_cast<voxel::MaterialId>(solid ? 4 : 0));
        benchmark::DoNotOptimize(done);
        benchmark::DoNotOptimize(hills.colliders->update(hills.grid));
        const voxel::GridChanges changes = hills.grid.changesSince(hills.grid.generation(), revision);
        revision = changes.revision;
        const std::vector<voxel::ChunkCoord> chunks = voxel::invalidatedChunks(changes, 0);
        const voxel::GridSnapshot snapshot = hills.grid.snapshot(chunks);
        for (const voxel::ChunkCoord chunk : chunks) {
            mesher.build(snapshot, chunk, 0, mesh);
            benchmark::DoNotOptimize(mesh.vertices.data());
        }
        benchmark::DoNotOptimize(hills.shape->takeDirtyBoxes());
        meshed = chunks.size();
        solid = !solid;
    }
    state.counters["chunks"] = static_cast<double>(meshed);
}
BENCHMARK(editToMeshAndCollider)->Arg(0)->Arg(1)->ArgName("corner")->Unit(benchmark::kMicrosecond);

}  // namespace
