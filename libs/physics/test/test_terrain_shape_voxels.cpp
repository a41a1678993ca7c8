#include <gtest/gtest.h>
#include <karst/physics/voxel_colliders.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "../../voxel_mesh/test/collision_checks.h"

namespace karst::physics {
namespace {

using test::Random;
using voxel::ChunkCoord;
using voxel_mesh::WorldTriangle;
constexpr double kInf = std::numeric_limits<double>::infinity();

struct World {
    voxel::Grid grid;
    std::shared_ptr<TerrainShape> shape;
    std::unique_ptr<VoxelColliders> colliders;

    explicit World(Random& random, double cellSize = 4, WorldPosition origin = {},
                   WorldPosition shapeOrigin = {})
        : grid(makeGrid(random, cellSize, origin)) {
        TerrainShapeDefinition definition =
            shapeDefinitionFor(grid.placement(), {{-32, -32, -32}, {32, 32, 32}});
        definition.origin = shapeOrigin;
        shape = *TerrainShape::create(definition);
        colliders = std::make_unique<VoxelColliders>(shape);
        EXPECT_TRUE(colliders->update(grid).ok());
    }
    static voxel::Grid makeGrid(Random& random, double cellSize, WorldPosition origin) {
        // The same cells in another place.
        const voxel::Grid cells = voxel_mesh::collisionWorld(random);
        voxel::GridDefinition definition;
        definition.placement = {cellSize, origin};
        voxel::Grid placed = std::move(voxel::Grid::create(definition)).value();
        std::vector<voxel::ChunkReplacement> chunks;
        const voxel::GridSnapshot snapshot = cells.snapshot();
        snapshot.forEachChunk([&](ChunkCoord coord, const voxel::Chunk&) {
            chunks.push_back({coord, snapshot.chunkRef(coord)});
        });
        EXPECT_TRUE(placed.replaceChunks(chunks).ok());
        return placed;
    }
};

std::vector<TerrainTriangle> all(const TerrainShape& shape) {
    std::vector<TerrainTriangle> out;
    shape.trianglesInBox({-1e9f, -1e9f, -1e9f}, {1e9f, 1e9f, 1e9f},
                         [&](const TerrainTriangle& t) { out.push_back(t); });
    return out;
}

TEST(TerrainShapeVoxels, V24_TrianglesAreThoseOfTheChunksAndVerticesMeetToTheBit) {
    Random random(1);
    const WorldPosition origin{12.3, -4.56, 1e4 / 3}, shapeOrigin{-100.7, 3, 1e4 / 7};
    const World world(random, 0.7, origin, shapeOrigin);
    const std::vector<TerrainTriangle> triangles = all(*world.shape);
    const std::vector<WorldTriangle> expected = voxel_mesh::collisionTriangles(world.grid.snapshot());
    ASSERT_EQ(triangles.size(), expected.size());
    using Point = std::tuple<float, float, float>;
    std::map<voxel_mesh::Place, Point> places;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        EXPECT_EQ(triangles[i].activeEdges, expected[i].activeEdges);
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3f v = triangles[i].vertices[k];
            const Vec3d exact = expected[i].points[k] * 0.7 + origin - shapeOrigin;
            EXPECT_NEAR(v.x, exact.x, 1e-3);
            EXPECT_NEAR(v.y, exact.y, 1e-3);
            EXPECT_NEAR(v.z, exact.z, 1e-3);
            const auto [at, isNew] = places.emplace(expected[i].place(k), Point{v.x, v.y, v.z});
            ASSERT_TRUE(isNew || at->second == Point(v.x, v.y, v.z))
                << "one place has one set of bits, whichever chunk tells it";
        }
        const auto again = world.shape->triangle(triangles[i].id);
        ASSERT_TRUE(again && again->vertices == triangles[i].vertices);
        ASSERT_TRUE(i == 0 || triangles[i].id.value > triangles[i - 1].id.value);
    }
    std::set<Point> distinct;
    for (const auto& [place, point] : places)
        distinct.insert(point);
    EXPECT_EQ(distinct.size(), places.size());
}

TEST(TerrainShapeVoxels, V24_BoxesGiveExactlyTheTrianglesWhoseBoundsTheyMeet) {
    Random random(2);
    const World world(random, 1.5, {1, 2, 3}, {50, -60, 70});
    const std::vector<TerrainTriangle> triangles = all(*world.shape);
    std::size_t found = 0;
    for (int i = 0; i < 150; ++i) {
        const Vec3f at =
            triangles[static_cast<std::size_t>(random.integer(0, static_cast<int>(triangles.size()) - 1))]
                .vertices[1];
        const auto size = [&] { return static_cast<float>(random.chance(0.3) ? 0.0 : random.range(0, 8)); };
        const Vec3f min{at.x - size(), at.y - size(), at.z - size()},
            max{at.x + size(), at.y + size(), at.z + size()};
        std::vector<std::uint64_t> expected, got;
        for (const TerrainTriangle& t : triangles) {
            const auto meets = [&](float Vec3f::*axis) {
                const auto [least, most] =
                    std::minmax({t.vertices[0].*axis, t.vertices[1].*axis, t.vertices[2].*axis});
                return least <= max.*axis && most >= min.*axis;
            };
            if (meets(&Vec3f::x) && meets(&Vec3f::y) && meets(&Vec3f::z)) expected.push_back(t.id.value);
        }
        world.shape->trianglesInBox(min, max, [&](const TerrainTriangle& t) { got.push_back(t.id.value); });
        ASSERT_EQ(got, expected);
        found += got.size();
    }
    EXPECT_GT(found, 2000u);
}

double plainRay(const std::vector<WorldTriangle>& triangles, Vec3d origin, Vec3d direction) {
    double best = kInf;
    for (const WorldTriangle& t : triangles) {
        const Vec3d ab = t.points[1] - t.points[0], ac = t.points[2] - t.points[0], p = cross(direction, ac);
        const double det = dot(ab, p);
        if (std::abs(det) < 1e-12) continue;
        const Vec3d s = origin - t.points[0], q = cross(s, ab);
        const double u = dot(s, p) / det, v = dot(direction, q) / det, at = dot(ac, q) / det;
        if (u >= -1e-12 && v >= -1e-12 && u + v <= 1 + 1e-12 && at >= 0) best = std::min(best, at);
    }
    return best;
}

TEST(TerrainShapeVoxels, V24_RaysMeetTheNearestTriangleOfAllChunks) {
    Random random(3);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3; ++round) {
        const World world(random, 4, {8, 16, -24}, {8, 16, -24});
        const std::vector<WorldTriangle> triangles = voxel_mesh::collisionTriangles(world.grid.snapshot());
        for (int i = 0; i < 250; ++i) {
            const auto point = [&] {
                return Vec3d{random.range(-50, 50), random.range(-50, 50), random.range(-50, 50)};
            };
            Vec3d origin = point(), direction = point() - origin;
            if (random.chance(0.1)) direction = {0, -1, 0};
            if (random.chance(0.1)) direction.y = 0;
            // At times along the border between chunks.
            if (random.chance(0.2)) origin.x = 0;
            if (random.chance(0.1)) direction.x = 0;
            if (direction == Vec3d{}) continue;
            const double expected = plainRay(triangles, origin, direction);
            const auto hit = world.shape->castRay({origin * 4, direction * 4});
            ASSERT_EQ(hit.has_value(), expected < kInf) << "round " << round << " ray " << i;
            ++(hit ? hits : misses);
            if (!hit) continue;
            EXPECT_NEAR(hit->t, expected, 1e-9 * std::max(1.0, expected));
            EXPECT_FALSE(
                world.shape->castRay({origin * 4, direction * 4}, expected * (1 - 1e-6)).has_value());
            EXPECT_NEAR(length(hit->normal), 1, 1e-5);
        }
    }
    EXPECT_GT(hits, 200);
    EXPECT_GT(misses, 100);
}

TEST(TerrainShapeVoxels, V24_RaysCastTogetherMeetToTheBitWhatEachMeetsAlone) {
    Random random(7);
    const World world(random, 4, {8, 16, -24}, {8, 16, -24});
    // More than are put in order together, and some that meet nothing.
    std::vector<Ray> rays(5000);
    for (Ray& ray : rays) {
        const auto point = [&] {
            return Vec3d{random.range(-300, 300), random.range(-300, 300), random.range(-300, 300)};
        };
        ray.origin = point();
        ray.direction = point() - ray.origin;
        if (random.chance(0.2)) ray.direction = {0, random.chance(0.5) ? -1.0 : 1.0, 0};
        if (random.chance(0.1)) ray.direction = ray.direction * 1e-200;
        if (random.chance(0.05)) ray.origin.y = random.chance(0.5) ? 1e300 : -1e12;
        if (random.chance(0.02)) ray.direction = {};
        if (random.chance(0.02)) ray.origin.x = std::numeric_limits<double>::quiet_NaN();
    }
    for (const double maxT : {kInf, 0.7}) {
        std::vector<std::optional<TerrainRayHit>> hits(rays.size(), TerrainRayHit{});
        world.shape->castRays(rays, hits, maxT);
        std::size_t met = 0;
        for (std::size_t i = 0; i < rays.size(); ++i) {
            const auto alone = world.shape->castRay(rays[i], maxT);
            ASSERT_EQ(hits[i].has_value(), alone.has_value()) << "ray " << i;
            if (!alone) continue;
            ++met;
            ASSERT_TRUE(hits[i]->t == alone->t && hits[i]->normal == alone->normal &&
                        hits[i]->id == alone->id);
        }
        EXPECT_GT(met, 1000u);
        EXPECT_LT(met, 4900u);
    }
    world.shape->castRays({}, {});
}

TEST(TerrainShapeVoxels, V26_NoRayAimedAtABorderVertexOrEdgeIsLost) {
    Random random(4);
    int aimed = 0;
    for (int round = 0; round < 3; ++round) {
        const World world(random, 4, {}, {});
        const std::vector<WorldTriangle> triangles = voxel_mesh::collisionTriangles(world.grid.snapshot());
        // Seen by all the triangles at a place, a ray from there goes into the ground.
        std::map<voxel_mesh::Place, std::vector<const WorldTriangle*>> around;
        for (const WorldTriangle& t : triangles) {
            for (std::size_t k = 0; k < 3; ++k)
                around[t.place(k)].push_back(&t);
        }
        const auto aim = [&](Vec3d target, const std::vector<const WorldTriangle*>& at) {
            Vec3d sum;
            bool oneChunk = true;
            for (const WorldTriangle* t : at) {
                sum = sum + normalized(t->normal());
                oneChunk = oneChunk && t->chunk == at.front()->chunk;
            }
            if (oneChunk || length(sum) < 0.1) return;
            const Vec3d from =
                target + normalized(sum) * random.range(0.2, 10) +
                Vec3d{random.range(-0.01, 0.01), random.range(-0.01, 0.01), random.range(-0.01, 0.01)};
            for (const WorldTriangle* t : at) {
                if (dot(normalized(t->normal()), normalized(from - target)) < 0.1) return;
            }
            EXPECT_TRUE(world.shape->castRay({from * 4, (target - from) * 4}, 1 + 1e-3).has_value());
            ++aimed;
        };
        for (const auto& [place, at] : around)
            aim({std::get<0>(place), std::get<1>(place), std::get<2>(place)}, at);
        const voxel_mesh::EdgeMap edges = voxel_mesh::edgesOf(triangles);
        for (const auto& [edge, uses] : edges) {
            const auto across = edges.find({edge.second, edge.first});
            if (across == edges.end()) continue;
            const WorldTriangle& t = *uses.front().first;
            const Vec3d a = t.points[uses.front().second], b = t.points[(uses.front().second + 1) % 3];
            aim(a + (b - a) * random.unit(), {&t, across->second.front().first});
        }
    }
    EXPECT_GT(aimed, 500);
}

TEST(TerrainShapeVoxels, V28_OnlySlotsWhoseSurfaceChangedAreReplacedAndBodiesThereAreNamed) {
    Random random(5);
    World world(random);
    voxel_mesh::fill(world.grid, {{8, -28, 8}, {24, -12, 24}}, [](voxel::CellCoord) {
        return voxel::Cell{4, 255};
    });
    ASSERT_TRUE(world.colliders->update(world.grid).ok());
    world.shape->takeDirtyBoxes();
    EXPECT_EQ((*world.colliders->update(world.grid)).replaced, 0u);
    EXPECT_TRUE(world.shape->takeDirtyBoxes().empty());

    std::map<ChunkCoord, voxel_mesh::CollisionSurfacePtr> before;
    world.colliders->cache().forEach(
        [&](const voxel_mesh::CollisionSurfacePtr& s) { before[s->chunk()] = s; });
    // Inside one chunk, below its ground.
    const voxel::CellCoord at{16, -20, 16};
    voxel_mesh::fill(world.grid, {{14, -22, 14}, {19, -17, 19}},
                     [](voxel::CellCoord) { return voxel::Cell{}; });
    const auto update = *world.colliders->update(world.grid);
    EXPECT_LE(update.replaced, 1u);
    for (const auto& [chunk, surface] : before) {
        if (!(chunk == voxel::chunkOf(at))) {
            EXPECT_EQ(world.shape->chunk(chunk), surface);
        }
    }
    voxel_mesh::fill(world.grid, {{14, -22, 14}, {19, -17, 19}}, [](voxel::CellCoord) {
        return voxel::Cell{4, 255};
    });
    EXPECT_EQ((*world.colliders->update(world.grid)).replaced, 1u);
    const auto dirty = world.shape->takeDirtyBoxes();
    ASSERT_GE(dirty.size(), 1u);
    // Edits are hit at once.
    const Ray down{{16.5 * 4, -19.5 * 4, 16.5 * 4}, {0, -1, 0}};
    EXPECT_FALSE(world.shape->castRay(down, 2.0).has_value());
    voxel_mesh::fill(world.grid, {{14, -22, 14}, {19, -17, 19}},
                     [](voxel::CellCoord) { return voxel::Cell{}; });
    ASSERT_TRUE(world.colliders->update(world.grid).ok());
    const auto hit = world.shape->castRay(down);
    ASSERT_TRUE(hit.has_value());
    EXPECT_NEAR(hit->t, (22 - 19.5) * 4, 1e-6);

    const voxel::Grid other = std::move(voxel::Grid::create({{1, {}}, {}, 16})).value();
    EXPECT_FALSE(world.colliders->update(other).ok());
}

TEST(TerrainShapeVoxels, V28_ThreadsThatQueryKeepTheGroundThatTheyAreIn) {
    Random random(6);
    World world(random);
    std::atomic<bool> stop{false};
    std::atomic<int> hits{0};
    std::vector<std::thread> readers;
    for (int n = 0; n < 3; ++n) {
        readers.emplace_back([&, n] {
            Random own(static_cast<std::uint64_t>(100 + n));
            while (!stop) {
                const Vec3d from{own.range(-120, 120), 200, own.range(-120, 120)};
                if (world.shape->castRay({from, {0, -1, 0}})) ++hits;
                world.shape->trianglesInBox(toFloat(from - Vec3d{4, 400, 4}), toFloat(from + Vec3d{4, 0, 4}),
                                            [&](const TerrainTriangle& t) {
                                                if (std::isnan(t.vertices[0].x)) ADD_FAILURE();
                                            });
            }
        });
    }
    for (int i = 0; i < 60; ++i) {
        const voxel::CellCoord at{random.integer(-20, 20), random.integer(-20, 5), random.integer(-20, 20)};
        const voxel::Cell cell = i % 2 == 0 ? voxel::Cell{} : voxel::Cell{4, 255};
        voxel_mesh::fill(world.grid, {{at.x - 3, at.y - 3, at.z - 3}, {at.x + 4, at.y + 4, at.z + 4}},
                         [&](voxel::CellCoord) { return cell; });
        EXPECT_TRUE(world.colliders->update(world.grid).ok());
    }
    stop = true;
    for (std::thread& reader : readers)
        reader.join();
    EXPECT_GT(hits, 0);
}

}  // namespace
}  // namespace karst::physics
