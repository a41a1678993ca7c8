#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/surface_query.h>
#include <karst/heightfield/tile_detail.h>

#include <cmath>
#include <limits>

#include "pyramid_reference.h"
#include "surface_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;
using test::ResidentWorld;

TEST(SurfaceQuery, H27_HeightAtIsTheCollisionLevelsTriangles) {
    test::Random random(1);
    int heights = 0, nothing = 0;
    for (int n = 0; n < 60; ++n) {
        const ResidentWorld world = ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 200; ++k) {
            const auto [x, z] = world.randomPoint(random);
            const auto want = world.heightIn(x, z, world.surface.collisionLevel());
            const auto got = heightAt(world.surface, x, z);
            ASSERT_EQ(got.has_value(), want.has_value()) << x << " " << z;
            if (want) {
                ASSERT_NEAR(*got, *want, 1e-9 * (1 + std::abs(*want)));
            }
            ASSERT_EQ(index.heightAt(x, z), got);
            (got ? heights : nothing) += 1;
        }
    }
    EXPECT_GT(heights, 2000);
    EXPECT_GT(nothing, 1000);
}

TEST(SurfaceQuery, H27_ResidentHeightAtIsTheFinestResidentLevels) {
    test::Random random(2);
    int heights = 0, nothing = 0;
    for (int n = 0; n < 60; ++n) {
        const ResidentWorld world = ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 200; ++k) {
            const auto [x, z] = world.randomPoint(random);
            const auto want = world.finestHeight(x, z);
            const auto got = residentHeightAt(world.surface, x, z);
            ASSERT_EQ(got.has_value(), want.has_value()) << x << " " << z;
            if (want) {
                ASSERT_NEAR(*got, *want, 1e-9 * (1 + std::abs(*want)));
            }
            ASSERT_EQ(index.residentHeightAt(x, z), got);
            (got ? heights : nothing) += 1;
        }
    }
    EXPECT_GT(heights, 2000);
    EXPECT_GT(nothing, 1000);
}

TEST(SurfaceQuery, H27_AnswersNothingOutsideAndWhereNothingIsFinite) {
    test::Random random(3);
    auto p = test::randomPyramid(random, 20, 13, 8, 0, 5);
    const Surface surface = *Surface::fromTiles(p.layout, p.all());
    const SurfaceIndex index(surface);
    const Rect g = p.layout.groundRect();
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const auto both = [&](double x, double z) {
        EXPECT_EQ(heightAt(surface, x, z), index.heightAt(x, z));
        EXPECT_EQ(residentHeightAt(surface, x, z), index.residentHeightAt(x, z));
        EXPECT_EQ(heightAt(surface, x, z), residentHeightAt(surface, x, z));
        return heightAt(surface, x, z).has_value();
    };
    // The ground is closed: its far corner too, though tiles go on.
    EXPECT_TRUE(both(g.minX, g.minZ));
    EXPECT_TRUE(both(g.maxX, g.maxZ));
    EXPECT_NEAR(*heightAt(surface, g.maxX, g.maxZ), p.sampleAt(19, 12), 1e-4);
    EXPECT_FALSE(both(std::nextafter(g.minX, -inf), g.minZ));
    EXPECT_FALSE(both(std::nextafter(g.maxX, inf), g.minZ));
    EXPECT_FALSE(both(g.minX, std::nextafter(g.maxZ, inf)));
    for (const double bad : {nan, inf, -inf, 1e300}) {
        EXPECT_FALSE(both(bad, g.minZ));
        EXPECT_FALSE(both(g.minX, bad));
    }
    EXPECT_FALSE(heightAt(Surface(), 0, 0));
    EXPECT_FALSE(residentHeightAt(Surface(), 0, 0));
    EXPECT_FALSE(SurfaceIndex().heightAt(0, 0));
    EXPECT_FALSE(SurfaceIndex(Surface()).residentHeightAt(0, 0));
}

TEST(SurfaceQuery, H27_AtSamplesAllLevelsGiveTheSample) {
    test::Random random(4);
    auto p = test::randomPyramid(random, 33, 33, 8, 0, 5);
    p.layout.originX = p.layout.originZ = 0;
    for (std::int32_t level = 0; level <= p.layout.rootLevel(); ++level) {
        const Surface surface = *Surface::fromTiles(p.layout, p.all(), level);
        for (int j = 0; j < 33; j += 1 << level) {
            for (int i = 0; i < 33; i += 1 << level) {
                const auto h = heightAt(surface, i * p.layout.spacingX, j * p.layout.spacingZ);
                ASSERT_TRUE(h);
                EXPECT_NEAR(*h, p.sampleAt(i, j), 1e-6);
            }
        }
    }
}

TEST(SurfaceQuery, H27_TheDrawnMeshAtTheCollisionLevelAgreesWithHeightAtAndRays) {
    test::Random random(5);
    for (int n = 0; n < 10; ++n) {
        auto p = test::randomPyramid(random, 33, 27, 8, 0, 6, n % 2 == 0 ? 0.0 : 0.1);
        TileDetailOptions options;
        options.levels = 2;
        options.collisionLevel = -1;
        const TileDetail detail = *TileDetail::create(p.layout, options);
        std::vector<TilePtr> tiles = p.all(), drawn;
        for (std::uint32_t z = 0; z < p.layout.tilesZ(-1); ++z) {
            for (std::uint32_t x = 0; x < p.layout.tilesX(-1); ++x) {
                const TileKey key{-1, x, z};
                if (!p.layout.contains(key)) continue;
                drawn.push_back(detail.synthesise(key, *p.find(TileDetail::ancestorOf(key))));
                tiles.push_back(drawn.back());
            }
        }
        const Surface surface = *Surface::fromTiles(p.layout, tiles, detail.collisionLevel());
        const SurfaceIndex index(surface);
        const Rect ground = p.layout.groundRect();
        for (const TilePtr& tile : drawn) {
            const Rect foot = p.layout.footprint(tile->key);
            for (int k = 0; k < 40; ++k) {
                // A point of one of a cell's triangles, from its corners as a mesh has them.
                const int i = random.integer(0, 7), j = random.integer(0, 7);
                if (tile->isHole(i, j)) continue;
                const bool lower = random.chance(0.5);
                double a = random.unit(), b = random.unit();
                if (a + b > 1) {
                    a = 1 - a;
                    b = 1 - b;
                }
                const auto corner = [&](int di, int dj) {
                    return Vec3d{foot.minX + (i + di) * p.layout.strideX(-1), tile->sample(i + di, j + dj),
                                 foot.minZ + (j + dj) * p.layout.strideZ(-1)};
                };
                const Vec3d p0 = lower ? corner(0, 0) : corner(1, 1), p1 = corner(1, 0), p2 = corner(0, 1);
                const Vec3d point = p0 * (1 - a - b) + p1 * a + p2 * b;
                if (!ground.contains(point.x, point.z)) continue;
                const auto height = index.heightAt(point.x, point.z);
                ASSERT_TRUE(height);
                EXPECT_NEAR(*height, point.y, 1e-9 * (1 + std::abs(point.y)));
                const SurfaceHit hit = index.castRay({{point.x, 500, point.z}, {0, -1, 0}});
                ASSERT_TRUE(hit.hit());
                EXPECT_EQ(hit.position.y, *height);
                EXPECT_EQ(hit.tile, tile->key);
            }
        }
    }
}

TEST(SurfaceQuery, H27_AnIndexTakesWhatItCanFromThePrevious) {
    test::Random random(6);
    const auto p = test::randomPyramid(random, 65, 65, 8, 0, 5);
    std::vector<TilePtr> tiles = p.all();
    const SurfaceLineage lineage = Surface::newLineage();
    const Surface first = Surface::publish(p.layout, tiles, 0, lineage, 1);
    const SurfaceIndex before(first);
    EXPECT_EQ(before.builtTiles(), 64u);
    // A tile dug, one gone with nothing below it.
    const Rect foot = p.layout.footprint({0, 3, 3});
    std::vector<TilePtr> next;
    const std::vector<Crater> craters{
        {(foot.minX + foot.maxX) / 2, (foot.minZ + foot.maxZ) / 2, foot.width() / 8, 3, 0}};
    for (const TilePtr& tile : tiles) {
        if (tile->key == TileKey{0, 7, 7}) continue;
        next.push_back(tile->key.level == 0 ? applyCraters(tile, p.layout, craters) : tile);
    }
    const Surface second = Surface::publish(p.layout, next, 0, lineage, 2);
    const SurfaceIndex after(second, &before), fresh(second);
    // The dug tile and the parent that is now seen.
    EXPECT_EQ(after.builtTiles(), 2u);
    EXPECT_EQ(SurfaceIndex(second, &after).builtTiles(), 0u);
    EXPECT_GT(after.memoryBytes(), 64 * 5 * sizeof(HeightRange));
    const Rect g = p.layout.groundRect();
    for (int k = 0; k < 2000; ++k) {
        const Vec3d from{random.range(g.minX, g.maxX), 50, random.range(g.minZ, g.maxZ)};
        const Ray ray{from, {random.range(-1, 1) * 30, -50, random.range(-1, 1) * 30}};
        const SurfaceHit a = after.castRay(ray), b = fresh.castRay(ray);
        EXPECT_EQ(a.t, b.t);
        EXPECT_EQ(a.status, b.status);
        EXPECT_EQ(a.tile, b.tile);
    }
    EXPECT_EQ(after.surface().revision(), 2u);
    // The first one still answers for its own snapshot.
    EXPECT_TRUE(before.heightAt(g.maxX, g.maxZ));
    EXPECT_FALSE(after.heightAt(g.maxX, g.maxZ));
    EXPECT_TRUE(after.residentHeightAt(g.maxX, g.maxZ));
}

TEST(SurfaceQuery, H27_TheIndexDoesNotDependOnWorkers) {
    test::Random random(7);
    const ResidentWorld world = ResidentWorld::make(random);
    ThreadPool pool(3);
    Externals externals;
    externals.jobs = &pool;
    const SurfaceIndex a(world.surface), b(world.surface, nullptr, externals);
    for (int k = 0; k < 500; ++k) {
        const Ray ray = world.randomRay(random);
        EXPECT_EQ(a.castRay(ray).t, b.castRay(ray).t);
    }
}

TEST(SurfaceQuery, H27_FarApartCollisionTilesNeedNoWindow) {
    test::Random random(8);
    auto p = test::randomPyramid(random, 2050, 9, 2, 4, 5);
    // Two tiles at the ends of a wide ground, and a level without a window's worth of tiles between.
    std::vector<TilePtr> tiles;
    for (const auto& [key, tile] : p.tiles) {
        if (key.level == p.layout.rootLevel() || key.x == 0 || key.x == p.layout.tilesX(key.level) - 2)
            tiles.push_back(tile);
    }
    const Surface surface = *Surface::fromTiles(p.layout, tiles);
    const SurfaceIndex index(surface);
    const Rect g = p.layout.groundRect();
    for (int k = 0; k < 3000; ++k) {
        double x = random.range(g.minX, g.maxX);
        if (k % 3 == 0) x = g.minX + random.range(0, 5) * p.layout.spacingX;
        const double z = random.range(g.minZ, g.maxZ);
        ASSERT_EQ(index.heightAt(x, z), heightAt(surface, x, z));
    }
}

TEST(SurfaceQuery, H27_ManyHeightsAtOnceAreThoseOneByOne) {
    test::Random random(77);
    int heights = 0, nothing = 0;
    for (int n = 0; n < 60; ++n) {
        const ResidentWorld world = ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        std::vector<SurfacePoint> points(static_cast<std::size_t>(random.integer(0, 70)));
        for (SurfacePoint& point : points) {
            const auto [x, z] = world.randomPoint(random);
            point = {x, z};
        }
        std::vector<double> many(points.size(), 5.0);
        index.heightsAt(points, many);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto one = index.heightAt(points[i].x, points[i].z);
            ASSERT_EQ(std::isnan(many[i]), !one.has_value());
            if (one) {
                ASSERT_EQ(*one, many[i]);
                ASSERT_EQ(*one, world.heightIn(points[i].x, points[i].z, world.surface.collisionLevel()));
            }
            ++(one ? heights : nothing);
        }
    }
    EXPECT_GT(heights, 300);
    EXPECT_GT(nothing, 300);
    double none[1] = {0};
    const SurfacePoint anywhere[1] = {};
    SurfaceIndex().heightsAt(anywhere, none);
    EXPECT_TRUE(std::isnan(none[0]));
}

}  // namespace
