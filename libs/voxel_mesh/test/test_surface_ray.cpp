#include "surface_checks.h"

#include <karst/base/thread_pool.h>
#include <karst/voxel_mesh/surface_ray.h>

#include <gtest/gtest.h>

#include <limits>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::CellCoord;
using voxel::ChunkCoord;
using voxel::GridSnapshot;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Hills, an overhang of noise and a floating ball, over several chunks on both sides of the origin.
voxel::Grid world(std::uint64_t seed, const voxel::GridPlacement& placement = {1, {}}) {
    voxel::GridDefinition definition;
    definition.placement = placement;
    voxel::Grid grid = std::move(voxel::Grid::create(definition)).value();
    test::Random random(seed);
    const double phase = random.range(0, 6);
    fill(grid, {{-40, -30, -40}, {40, 34, 40}}, [&](CellCoord c) {
        const double top = 6 * std::sin(c.x * 0.21 + phase) * std::cos(c.z * 0.17) + 3 * std::sin(c.z * 0.4);
        if (c.x > 24 && c.y > 16) return randomCell(random);
        const Cell ball = softBall(c, {-14, 22, -13}, 8);
        if (ball.occupancy != 0) return ball;
        const double value = std::clamp((top - c.y) * 200, 0.0, 255.0);
        return Cell{top - c.y < 2 ? kSnow : kRock, static_cast<std::uint8_t>(value)};
    });
    return grid;
}

struct BruteHit {
    double t = kInfinity;
    bool back = false;
    /// How near to an edge of the triangle, or to its plane, the ray comes: 0..1.
    double margin = 1;
    Vec3d normal;
};

// Every triangle, by the signs of tetrahedra's volumes in long double.
BruteHit bruteForce(const std::vector<Triangle>& triangles, const Ray& ray, bool backFaces, double maxT) {
    BruteHit best;
    struct Wide {
        long double x, y, z;
    };
    const auto wide = [&](Vec3d p) {
        return Wide{static_cast<long double>(p.x) - ray.origin.x,
                    static_cast<long double>(p.y) - ray.origin.y,
                    static_cast<long double>(p.z) - ray.origin.z};
    };
    const auto volume = [&](const Wide& a, const Wide& b) {
        return ray.direction.x * (a.y * b.z - a.z * b.y) + ray.direction.y * (a.z * b.x - a.x * b.z) +
               ray.direction.z * (a.x * b.y - a.y * b.x);
    };
    for (const Triangle& triangle : triangles) {
        const Wide a = wide(triangle[0].position), b = wide(triangle[1].position),
                   c = wide(triangle[2].position);
        const long double u = volume(b, c), v = volume(c, a), w = volume(a, b);
        if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) continue;
        const Vec3d normal =
            cross(triangle[1].position - triangle[0].position, triangle[2].position - triangle[0].position);
        const double slope = dot(normal, ray.direction);
        if (slope == 0 || (slope > 0 && !backFaces)) continue;
        const double t = dot(normal, triangle[0].position - ray.origin) / slope;
        if (t < 0 || t > maxT || t >= best.t) continue;
        const long double sum = u + v + w;
        best = {t, slope > 0,
                static_cast<double>(std::min(
                    {std::abs(u / sum), std::abs(v / sum), std::abs(w / sum),
                     std::abs(static_cast<long double>(slope)) / (length(normal) * length(ray.direction))})),
                normalized(normal)};
    }
    return best;
}

// Triangles in the world.
std::vector<Triangle> worldTriangles(const GridSnapshot& grid) {
    std::vector<Triangle> triangles = allTriangles(grid, 0);
    const voxel::GridPlacement& p = grid.placement();
    for (Triangle& triangle : triangles) {
        for (Corner& corner : triangle)
            corner.position = p.origin + corner.position * p.cellSize;
    }
    return triangles;
}

Vec3d randomPoint(test::Random& random, Vec3d low, Vec3d high) {
    return {random.range(low.x, high.x), random.range(low.y, high.y), random.range(low.z, high.z)};
}

TEST(SurfaceRay, EqualsEveryTriangleOfEveryChunkTried) {
    const voxel::GridPlacement placements[] = {{1, {}}, {4, {-100, 20, 3}}, {0.3, {1000.1, -77.7, 0.013}}};
    int hits = 0, misses = 0, backs = 0, near = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const voxel::GridPlacement placement = placements[seed];
        const voxel::Grid grid = world(seed, placement);
        const std::vector<Triangle> triangles = worldTriangles(grid.snapshot());
        const SurfaceRayCaster caster(grid.snapshot());
        test::Random random(seed + 100);
        for (int i = 0; i < 70; ++i) {
            const auto inWorld = [&](Vec3d cells) { return placement.origin + cells * placement.cellSize; };
            const double around = random.chance(0.3) ? 200 : 45;
            Ray ray{inWorld(randomPoint(random, {-around, -around, -around}, {around, around, around})), {}};
            ray.direction = inWorld(randomPoint(random, {-42, -20, -42}, {42, 35, 42})) - ray.origin;
            ray.direction = ray.direction * std::pow(10.0, random.range(-3, 3));
            SurfaceRayOptions options;
            options.backFaces = random.chance(0.6);
            if (random.chance(0.3)) options.maxT = random.unit() / length(ray.direction) * 100;
            const BruteHit expected = bruteForce(triangles, ray, options.backFaces, options.maxT);
            const SurfaceRayHit hit = caster.cast(ray, options);
            ASSERT_NE(hit.status, SurfaceRayStatus::InvalidRay);
            if (expected.margin < 1e-9) {
                ++near;
                continue;
            }
            ASSERT_EQ(hit.hit(), expected.t < kInfinity) << "seed " << seed << " ray " << i;
            if (!hit.hit()) {
                ++misses;
                continue;
            }
            ++hits;
            backs += hit.backFace ? 1 : 0;
            const double away = length(ray.direction) * expected.t + length(ray.origin);
            ASSERT_NEAR(hit.t * length(ray.direction), expected.t * length(ray.direction), 1e-9 * (away + 1));
            ASSERT_EQ(hit.backFace, expected.back);
            ASSERT_GT(dot(toDouble(hit.normal), expected.normal), 1 - 1e-6);
            ASSERT_TRUE(hit.position == ray.at(hit.t));
            // The chunk and the triangle that it names lie there.
            const SurfaceMesh& mesh = caster.surface(hit.chunk);
            ASSERT_LT(std::size_t{hit.triangle} * 3, mesh.indices.size());
            const CellCoord first = voxel::firstCell(hit.chunk);
            Vec3d corners[3];
            bool carries = false;
            for (std::size_t k = 0; k < 3; ++k) {
                const SurfaceVertex& v = mesh.vertices[mesh.indices[hit.triangle * std::size_t{3} + k]];
                corners[k] =
                    inWorld(toDouble(v.position) + Vec3d{double(first.x), double(first.y), double(first.z)});
                for (std::size_t m = 0; m < 4; ++m)
                    carries = carries || (v.materials[m] == hit.material && v.weights[m] > 0);
            }
            ASSERT_TRUE(carries);
            const Vec3d normal = normalized(cross(corners[1] - corners[0], corners[2] - corners[0]));
            ASSERT_NEAR(dot(normal, hit.position - corners[0]), 0, 1e-8 * (away + 1));
        }
    }
    EXPECT_GT(hits, 80);
    EXPECT_GT(misses, 20);
    EXPECT_GT(backs, 5);
    EXPECT_LT(near, 10);
}

// A closed surface: all rays from within must leave it.
struct ClosedWorld {
    explicit ClosedWorld(std::uint64_t seed) : grid(makeGrid()) {
        test::Random random(seed);
        fill(grid, {{-34, -20, -35}, {33, 36, 33}}, [&](CellCoord c) {
            // A noisy shell around a full core.
            const double distance = length(Vec3d{c.x + 0.5, c.y - 7.5, c.z + 0.5});
            if (distance < 12) return Cell{kRock, 255};
            return distance < 26 ? randomCell(random) : Cell{};
        });
        const voxel::GridPlacement& p = grid.placement();
        for (const Triangle& triangle : worldTriangles(grid.snapshot()))
            for (const Corner& corner : triangle)
                corners.push_back(corner.position);
        center = p.cellCenter({0, 7, 0});
    }
    voxel::Grid grid;
    std::vector<Vec3d> corners;  // three a triangle
    WorldPosition center;
};

TEST(SurfaceRay, NeverSlipsThroughAtVerticesEdgesOrChunkBorders) {
    const ClosedWorld closed(5);
    const SurfaceRayCaster caster(closed.grid.snapshot());
    test::Random random(6);
    int missed = 0, beyond = 0;
    const auto aim = [&](Vec3d origin, Vec3d target) {
        const SurfaceRayHit hit = caster.cast({origin, target - origin});
        if (!hit.hit()) ++missed;
        return hit;
    };
    const std::size_t triangles = closed.corners.size() / 3;
    for (int i = 0; i < 20000; ++i) {
        const std::size_t t =
            static_cast<std::size_t>(random.integer(0, static_cast<int>(triangles) - 1)) * 3;
        const Vec3d a = closed.corners[t], b = closed.corners[t + 1];
        // From the middles of cells of the core (on the borders of cubes), and from anywhere in it.
        const Vec3d origin =
            i % 2 == 0
                ? closed.grid.placement().cellCenter(
                      {random.integer(-6, 5), random.integer(2, 12), random.integer(-6, 5)})
                : randomPoint(random, closed.center - Vec3d{20, 20, 20}, closed.center + Vec3d{20, 20, 20});
        aim(origin, a);
        aim(origin, (a + b) * 0.5);
        aim(origin, a + (b - a) * random.unit());
        // Halves and quarters are exact, so this one is on the edge to the bit where the corners share bits.
        aim(origin, a + (b - a) * 0.25);
    }
    EXPECT_EQ(missed, 0);
    // Through cube corners and along cube faces and edges, also those between chunks.
    for (int dx = -2; dx <= 2; ++dx) {
        for (int dy = -2; dy <= 2; ++dy) {
            for (int dz = -2; dz <= 2; ++dz) {
                if (dx == 0 && dy == 0 && dz == 0) continue;
                for (int i = 0; i < 40; ++i) {
                    const CellCoord from{random.integer(-6, 5), random.integer(2, 12), random.integer(-6, 5)};
                    const Vec3d origin = closed.grid.placement().cellCenter(from);
                    const SurfaceRayHit hit =
                        caster.cast({origin, Vec3d{double(dx), double(dy), double(dz)}});
                    if (!hit.hit()) ++missed;
                    if (hit.hit() && length(hit.position - closed.center) > 29 * 4) ++beyond;
                }
            }
        }
    }
    EXPECT_EQ(missed, 0);
    EXPECT_EQ(beyond, 0);
}

TEST(SurfaceRay, MeetsTheVerticesAndEdgesThatItIsAimedAt) {
    // From near the middle of a ball over eight chunks every point of its surface is the first one.
    voxel::Grid grid = makeGrid();
    fill(grid, {{-20, -20, -20}, {20, 20, 20}}, [](CellCoord c) {
        return softBall(c, {0.2, 0.1, -0.3}, 15.3);
    });
    const SurfaceRayCaster caster(grid.snapshot());
    test::Random random(11);
    int aimed = 0, off = 0;
    for (const Triangle& triangle : worldTriangles(grid.snapshot())) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d a = triangle[k].position, b = triangle[(k + 1) % 3].position;
            for (const double along : {0.0, 0.5, random.unit()}) {
                const Vec3d origin =
                    aimed % 2 == 0 ? Vec3d{0, 0, 0} : randomPoint(random, {-3, -3, -3}, {3, 3, 3});
                const SurfaceRayHit hit = caster.cast({origin, a + (b - a) * along - origin});
                ++aimed;
                if (!hit.hit() || std::abs(hit.t - 1) > 1e-12 || !hit.backFace) ++off;
            }
        }
    }
    EXPECT_GT(aimed, 20000);
    EXPECT_EQ(off, 0);
}

TEST(SurfaceRay, AlongSampleLinesHitsWhereTheFieldCrosses) {
    const ClosedWorld closed(7);
    const GridSnapshot grid = closed.grid.snapshot();
    const SurfaceRayCaster caster(grid);
    const auto solid = [&](CellCoord c) { return grid.materials().solidOccupancy(grid.cell(c)) >= 128; };
    int wrong = 0, hits = 0;
    for (int a = -30; a <= 30; ++a) {
        for (int b = -30; b <= 30; ++b) {
            for (int axis = 0; axis < 3; ++axis) {
                for (const int sign : {1, -1}) {
                    const auto cellAt = [&](int k) {
                        const int along = sign * k;
                        return axis == 0   ? CellCoord{along, 8 + a, b}
                               : axis == 1 ? CellCoord{a, 8 + along, b}
                                           : CellCoord{a, 8 + b, along};
                    };
                    const Vec3d origin = grid.placement().cellCenter(cellAt(-40));
                    const Vec3d next = grid.placement().cellCenter(cellAt(-39));
                    int first = -40;
                    while (first < 40 && !solid(cellAt(first)))
                        ++first;
                    const SurfaceRayHit hit = caster.cast({origin, next - origin});
                    if (hit.hit()) ++hits;
                    // A neighbouring edge's quad may bulge over the line, but never past a sample.
                    if (hit.hit() != (first < 40)) {
                        ++wrong;
                    } else if (hit.hit() && !(hit.t > first + 39 && hit.t < first + 40 && !hit.backFace)) {
                        ++wrong;
                    }
                }
            }
        }
    }
    EXPECT_GT(hits, 5000);
    EXPECT_EQ(wrong, 0);
}

TEST(SurfaceRay, OneSidedRaysPassTheBacksOfTriangles) {
    voxel::Grid grid = makeGrid();
    fill(grid, {{-20, -20, -20}, {20, 20, 20}}, [](CellCoord c) { return softBall(c, {0, 0, 0}, 15); });
    const SurfaceRayCaster caster(grid.snapshot());
    SurfaceRayOptions oneSided;
    oneSided.backFaces = false;
    const Ray outwards{{1, 2, 3}, {0.2, 1, 0.1}};
    EXPECT_FALSE(caster.cast(outwards, oneSided).hit());
    const SurfaceRayHit back = caster.cast(outwards);
    ASSERT_TRUE(back.hit());
    EXPECT_TRUE(back.backFace);
    EXPECT_NEAR(length(back.position), 60, 0.5);
    const Ray inwards{{200, 10, 3}, {-2, 0, 0}};
    const SurfaceRayHit front = caster.cast(inwards, oneSided);
    ASSERT_TRUE(front.hit());
    EXPECT_FALSE(front.backFace);
    EXPECT_EQ(front.material, kRock);
    EXPECT_NEAR(front.t, 70.5, 0.5);
    SurfaceRayOptions shorter;
    shorter.maxT = front.t;
    EXPECT_TRUE(caster.cast(inwards, shorter).hit());
    shorter.maxT = front.t * 0.999;
    EXPECT_FALSE(caster.cast(inwards, shorter).hit());
}

TEST(SurfaceRay, RefusesRaysThatAreNone) {
    const SurfaceRayCaster caster(world(1).snapshot());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(caster.cast({{0, 0, 0}, {0, 0, 0}}).status, SurfaceRayStatus::InvalidRay);
    EXPECT_EQ(caster.cast({{0, nan, 0}, {0, 1, 0}}).status, SurfaceRayStatus::InvalidRay);
    EXPECT_EQ(caster.cast({{0, 0, 0}, {0, kInfinity, 0}}).status, SurfaceRayStatus::InvalidRay);
    EXPECT_EQ(caster.cast({{0, 0, 0}, {0, 1, 0}}, {nan, true}).status, SurfaceRayStatus::InvalidRay);
    EXPECT_EQ(caster.cast({{0, 0, 0}, {0, 1, 0}}, {-1, true}).status, SurfaceRayStatus::InvalidRay);
    EXPECT_EQ(SurfaceRayCaster(GridSnapshot{}).cast({{0, 0, 0}, {0, 1, 0}}).status, SurfaceRayStatus::Miss);
}

TEST(SurfaceRay, TakesDirectionsOfAnyLengthAndOriginsFromAfar) {
    const voxel::Grid grid = world(3);
    const SurfaceRayCaster caster(grid.snapshot());
    const SurfaceRayHit plain = caster.cast({{3.3, 60, 2.2}, {0.1, -1, 0.05}});
    ASSERT_TRUE(plain.hit());
    for (const double scale : {1e-300, 1e-30, 1e30, 1e300}) {
        const SurfaceRayHit hit = caster.cast({{3.3, 60, 2.2}, Vec3d{0.1, -1, 0.05} * scale});
        ASSERT_TRUE(hit.hit()) << scale;
        EXPECT_NEAR(hit.t * scale, plain.t, 1e-9);
        EXPECT_EQ(hit.triangle, plain.triangle);
    }
    for (const double away : {1e6, 1e9}) {
        const Vec3d origin = plain.position - Vec3d{0.1, -1, 0.05} * away;
        const SurfaceRayHit hit = caster.cast({origin, {0.1, -1, 0.05}});
        ASSERT_TRUE(hit.hit()) << away;
        EXPECT_NEAR(hit.t, away, away * 1e-6);
    }
    EXPECT_FALSE(caster.cast({{1e300, 1e300, 1e300}, {-1, -2, -3}}).hit());
    EXPECT_FALSE(caster.cast({{1e6, 0, 0}, {1, 0, 0}}).hit());
    // A direction that hardly moves along two axes.
    EXPECT_TRUE(caster.cast({{3.3, 60, 2.2}, {1e-310, -1, 0}}).hit());
}

TEST(SurfaceRay, FollowsEdits) {
    voxel::Grid grid = world(4);
    SurfaceRayCaster caster(grid.snapshot());
    test::Random random(9);
    caster.build(inlineJobSystem());
    for (int round = 0; round < 6; ++round) {
        const GridSnapshot before = caster.grid();
        const CellCoord low{random.integer(-60, 50), random.integer(-30, 50), random.integer(-60, 50)};
        const bool dig = random.chance(0.5);
        fill(grid, {low, {low.x + 12, low.y + 12, low.z + 12}}, [&](CellCoord) {
            return dig ? Cell{} : Cell{kGround, 255};
        });
        caster.update(grid.snapshot(), grid.changesSince(before.generation(), before.revision()));
        const SurfaceRayCaster fresh(grid.snapshot());
        for (int i = 0; i < 300; ++i) {
            Ray ray{randomPoint(random, {-70, -50, -70}, {70, 70, 70}), {}};
            ray.direction = Vec3d{low.x + random.range(-4, 16), low.y + random.range(-4, 16),
                                  low.z + random.range(-4, 16)} -
                            ray.origin;
            const SurfaceRayHit a = caster.cast(ray), b = fresh.cast(ray);
            ASSERT_EQ(a.hit(), b.hit());
            if (a.hit()) {
                ASSERT_TRUE(a.chunk == b.chunk && a.triangle == b.triangle && a.t == b.t &&
                            a.material == b.material);
            }
        }
    }
    // Another grid: everything anew.
    const voxel::Grid other = world(5);
    caster.update(other.snapshot(), other.changesSince(grid.generation(), grid.revision()));
    const Ray down{{1.2, 60, -3.1}, {0, -1, 0}};
    EXPECT_EQ(caster.cast(down).t, SurfaceRayCaster(other.snapshot()).cast(down).t);
}

TEST(SurfaceRayWorkers, AnyNumberOfThreadsMayCastAtOnce) {
    const voxel::Grid grid = world(8);
    const SurfaceRayCaster reference(grid.snapshot());
    test::Random random(10);
    std::vector<Ray> rays(600);
    std::vector<double> expected;
    for (Ray& ray : rays) {
        ray.origin = randomPoint(random, {-60, 20, -60}, {60, 60, 60});
        ray.direction = randomPoint(random, {-1, -2, -1}, {1, 0, 1});
        expected.push_back(reference.cast(ray).t);
    }
    for (std::uint32_t workers = 1; workers <= 4; ++workers) {
        const SurfaceRayCaster caster(grid.snapshot());
        ThreadPool pool(workers);
        std::vector<double> found(rays.size());
        pool.parallelFor(rays.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                found[i] = caster.cast(rays[i]).t;
        });
        EXPECT_EQ(found, expected) << workers << " workers";
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
