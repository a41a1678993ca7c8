#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>

#include "collision_checks.h"

namespace karst::voxel_mesh {
namespace {

using test::Random;
using voxel::ChunkCoord;

std::map<ChunkCoord, CollisionSurfacePtr> contents(const CollisionCache& cache) {
    std::map<ChunkCoord, CollisionSurfacePtr> out;
    cache.forEach([&](const CollisionSurfacePtr& surface) { out[surface->chunk()] = surface; });
    return out;
}

void expectSame(const CollisionCache& cache, const CollisionCache& fresh) {
    const auto a = contents(cache), b = contents(fresh);
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [chunk, surface] : a) {
        const auto found = b.find(chunk);
        ASSERT_NE(found, b.end());
        ASSERT_TRUE(std::equal(surface->vertices().begin(), surface->vertices().end(),
                               found->second->vertices().begin(), found->second->vertices().end()));
        ASSERT_TRUE(std::equal(surface->triangles().begin(), surface->triangles().end(),
                               found->second->triangles().begin(), found->second->triangles().end()));
    }
}

void dig(voxel::Grid& grid, voxel::CellCoord at, int radius, voxel::Cell cell) {
    fill(grid,
         {{at.x - radius, at.y - radius, at.z - radius},
          {at.x + radius + 1, at.y + radius + 1, at.z + radius + 1}},
         [&](voxel::CellCoord) { return cell; });
}

TEST(CollisionCache, V24_UnchangedChunksKeepTheSameSharedObject) {
    Random random(11);
    voxel::Grid grid = collisionWorld(random);
    CollisionCache cache;
    EXPECT_TRUE(cache.update(grid).fullRefresh);
    EXPECT_EQ(cache.revision(), grid.revision());
    for (int i = 0; i < 20; ++i) {
        const auto before = contents(cache);
        const voxel::CellCoord at{random.integer(-30, 30), random.integer(-20, 12), random.integer(-30, 30)};
        dig(grid, at, random.integer(0, 3), random.chance(0.5) ? voxel::Cell{} : voxel::Cell{kRock, 255});
        const CollisionUpdate update = cache.update(grid);
        EXPECT_FALSE(update.fullRefresh);
        EXPECT_LE(update.built, 8u);
        std::set<std::tuple<int, int, int>> replaced;
        for (const ChunkCoord c : update.replaced)
            replaced.insert({c.x, c.y, c.z});
        const auto after = contents(cache);
        for (const auto& [chunk, surface] : before) {
            const auto found = after.find(chunk);
            const bool kept = found != after.end() && found->second == surface;
            EXPECT_EQ(kept, replaced.count({chunk.x, chunk.y, chunk.z}) == 0);
        }
        CollisionCache fresh;
        fresh.update(grid);
        expectSame(cache, fresh);
    }
}

TEST(CollisionCache, V24_NothingChangedBuildsNothing) {
    Random random(12);
    voxel::Grid grid = collisionWorld(random);
    CollisionCache cache;
    cache.update(grid);
    const CollisionUpdate update = cache.update(grid);
    EXPECT_EQ(update.built, 0u);
    EXPECT_TRUE(update.replaced.empty());
}

TEST(CollisionCache, V24_AnotherGridOrALostHistoryIsBuiltAnew) {
    Random random(13);
    voxel::Grid grid = collisionWorld(random);
    CollisionCache cache;
    cache.update(grid);
    voxel::Grid copy = grid.clone();
    const CollisionUpdate update = cache.update(copy);
    EXPECT_TRUE(update.fullRefresh);
    EXPECT_TRUE(update.replaced.empty()) << "the same ground keeps its objects";
    EXPECT_EQ(cache.generation(), copy.generation());
    copy.clear();
    EXPECT_GT(cache.update(copy).replaced.size(), 3u);
    EXPECT_EQ(cache.size(), 0u);
}

TEST(CollisionCache, V27_WorkersDoNotChangeTheResult) {
    Random random(14);
    voxel::Grid grid = collisionWorld(random);
    CollisionCache one;
    one.update(grid);
    ThreadPool pool(3);
    Externals externals;
    externals.jobs = &pool;
    CollisionCache many({}, externals);
    const CollisionUpdate update = many.update(grid);
    EXPECT_GE(update.built, CollisionCache::kParallelFrom);
    expectSame(many, one);
}

TEST(CollisionCache, V27_MoreThanEightAffectedChunksAreBuiltInParallel) {
    /// Counts what it is asked for.
    class Counting final : public JobSystem {
      public:
        std::uint32_t workerCount() const override { return 2; }
        void parallelFor(std::size_t count, std::size_t,
                         FunctionRef<void(std::size_t, std::size_t)> body) override {
            ++calls;
            body(0, count);
        }
        int calls = 0;
    };
    Random random(15);
    voxel::Grid grid = collisionWorld(random);
    Counting jobs;
    Externals externals;
    externals.jobs = &jobs;
    CollisionCache cache({}, externals);
    cache.update(grid);
    EXPECT_EQ(jobs.calls, 1);
    dig(grid, {0, -1, 0}, 2, {});
    EXPECT_EQ(cache.update(grid).built, 8u);
    EXPECT_EQ(jobs.calls, 1) << "eight are built at once, here";
    dig(grid, {-1, -1, -1}, 33, {});
    EXPECT_GT(cache.update(grid).built, 8u);
    EXPECT_EQ(jobs.calls, 2);
}

TEST(CollisionCache, ARegionLimitsWhatIsBuilt) {
    Random random(16);
    voxel::Grid grid = collisionWorld(random);
    CollisionCache cache;
    cache.setRegion(voxel::CellBox{{0, -32, 0}, {32, 32, 32}});
    cache.update(grid);
    const std::size_t few = cache.size();
    EXPECT_GT(few, 0u);
    for (const auto& [chunk, surface] : contents(cache))
        EXPECT_TRUE(chunk.x == 0 && chunk.z == 0);
    cache.setRegion(std::nullopt);
    cache.update(grid);
    EXPECT_GT(cache.size(), few);
    CollisionCache fresh;
    fresh.update(grid);
    expectSame(cache, fresh);
    cache.setRegion(voxel::CellBox{{1000, 0, 0}, {1001, 1, 1}});
    EXPECT_GT(cache.update(grid).replaced.size(), 0u);
    EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace karst::voxel_mesh
