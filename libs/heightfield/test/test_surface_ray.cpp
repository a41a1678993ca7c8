#include <gtest/gtest.h>
#include <karst/heightfield/surface_query.h>

#include <cmath>
#include <limits>

#include "surface_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;
using test::ResidentWorld;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The first hit, cut by cut: every line of every resident lattice and every diagonal cuts the ray; in the
/// middle of each piece one cell is the finest, and there the ground is flat. Between pieces a jump of the
/// ground past the ray is a wall, if both sides are solid.
struct Reference {
    bool hit = false;
    double t = 0;
    bool wall = false;
};

Reference bruteForce(const ResidentWorld& world, const Ray& ray, double maxT) {
    const TileLayout& l = world.surface.layout();
    const Rect g = l.groundRect();
    std::vector<double> cuts{0, std::min(maxT, 1e4)};
    const double u0 = (ray.origin.x - l.originX) / l.spacingX, du = ray.direction.x / l.spacingX;
    const double v0 = (ray.origin.z - l.originZ) / l.spacingZ, dv = ray.direction.z / l.spacingZ;
    std::set<std::int32_t> levels;
    for (const auto& [key, tile] : world.tiles)
        levels.insert(key.level);
    for (const std::int32_t level : levels) {
        const double s = std::ldexp(1.0, level);
        const double lines = std::max(l.samplesX, l.samplesZ) / s + 2;
        for (double k = 0; k <= 2 * lines; ++k) {
            if (du != 0 && k <= lines) cuts.push_back((k * s - u0) / du);
            if (dv != 0 && k <= lines) cuts.push_back((k * s - v0) / dv);
            if (du + dv != 0) cuts.push_back((k * s - u0 - v0) / (du + dv));
        }
    }
    if (du != 0) cuts.push_back((l.samplesX - 1 - u0) / du);
    if (dv != 0) cuts.push_back((l.samplesZ - 1 - v0) / dv);
    std::sort(cuts.begin(), cuts.end());
    double side = 0;  // ray above ground at the end of the piece before; 0: none
    for (std::size_t i = 1; i < cuts.size(); ++i) {
        const double a = cuts[i - 1], b = cuts[i];
        if (a < 0 || b > maxT || b - a < 1e-12) continue;
        const double m = (a + b) / 2;
        const Vec3d at = ray.at(m);
        const auto cell = g.contains(at.x, at.z) ? world.finestAt(at.x, at.z) : std::nullopt;
        if (!ResidentWorld::heightOf(cell)) {
            side = 0;
            continue;
        }
        // The flat triangle's height along the ray, from the middle on.
        const auto s = [&](int x, int z) {
            return double{cell->tile->sample(cell->cellX + x, cell->cellZ + z)};
        };
        const auto rise =
            triangleGradient(s(0, 0), s(1, 0), s(0, 1), s(1, 1), isLowerTriangle(cell->fx, cell->fz));
        const double scale = std::ldexp(1.0, -cell->key.level);
        const double fall = ray.direction.y - (rise.x * du + rise.z * dv) * scale;
        const double above = at.y - *ResidentWorld::heightOf(cell);
        const double atA = above + (a - m) * fall, atB = above + (b - m) * fall;
        if (side * atA < 0 && std::abs(side) > 1e-7 && std::abs(atA) > 1e-7) return {true, a, true};
        if (atA * atB <= 0) return {true, fall != 0 ? std::clamp(m - above / fall, a, b) : a, false};
        side = atB;
    }
    return {};
}

/// How far above the finest ground the ray is at t; nothing off it.
std::optional<double> aboveAt(const ResidentWorld& world, const Ray& ray, double t) {
    const Vec3d p = ray.at(t);
    const auto h = world.finestHeight(p.x, p.z);
    if (!h) return std::nullopt;
    return p.y - *h;
}

TEST(SurfaceRay, H27_MeetsTheFinestResidentSurfaceWhereTheReferenceDoes) {
    test::Random random(1);
    int hits = 0, misses = 0, walls = 0;
    for (int n = 0; n < 250; ++n) {
        const ResidentWorld world = ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 40; ++k) {
            // In general position: the reference does not decide on lines.
            Ray ray = world.randomRay(random);
            ray.origin.x += random.range(-0.1, 0.1);
            ray.origin.z += random.range(-0.1, 0.1);
            const double maxT = random.chance(0.3) ? random.range(0, 1.5) : 1e4;
            const Reference want = bruteForce(world, ray, maxT);
            const SurfaceHit got = index.castRay(ray, maxT);
            if (got.hit() != want.hit && want.hit && want.t > maxT - 1e-6) continue;
            ASSERT_EQ(got.hit(), want.hit)
                << "world " << n << " ray " << k << " t " << want.t << " " << got.t;
            if (!want.hit) {
                ++misses;
                continue;
            }
            ASSERT_NEAR(got.t, want.t, 1e-6 * (1 + want.t)) << "world " << n << " ray " << k;
            ++hits;
            walls += got.atBorder ? 1 : 0;
            if (!got.atBorder) {
                ASSERT_EQ(want.wall, false);
            }
        }
    }
    EXPECT_GT(hits, 2500);
    EXPECT_GT(misses, 2000);
    EXPECT_GT(walls, 30);
}

TEST(SurfaceRay, H27_FromAboveOverManyTilesMeetsWhatTheReferenceDoes) {
    test::Random random(11);
    int hits = 0, misses = 0, walls = 0;
    for (int n = 0; n < 60; ++n) {
        const ResidentWorld world = ResidentWorld::makeWide(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 40; ++k) {
            const Ray ray = world.randomRayFromAbove(random);
            const double maxT = random.chance(0.2) ? random.range(0, 60) : 1e4;
            const Reference want = bruteForce(world, ray, maxT);
            const SurfaceHit got = index.castRay(ray, maxT);
            if (got.hit() != want.hit && want.hit && want.t > maxT - 1e-6) continue;
            ASSERT_EQ(got.hit(), want.hit)
                << "world " << n << " ray " << k << " t " << want.t << " " << got.t;
            ++(want.hit ? hits : misses);
            if (!want.hit) continue;
            ASSERT_NEAR(got.t, want.t, 1e-6 * (1 + want.t)) << "world " << n << " ray " << k;
            walls += got.atBorder ? 1 : 0;
        }
    }
    EXPECT_GT(hits, 800);
    EXPECT_GT(misses, 300);
    EXPECT_GT(walls, 10);
}

TEST(SurfaceRay, H27_HitsLieOnWhatResidentHeightAtAnswers) {
    test::Random random(2);
    int checked = 0;
    for (int n = 0; n < 120; ++n) {
        const ResidentWorld world = ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 60; ++k) {
            const Ray ray = world.randomRay(random);
            const SurfaceHit hit = index.castRay(ray);
            if (!hit.hit() || hit.atBorder) continue;
            // The cell it names holds the point, and is solid; its plane is the normal's.
            const HeightTile* tile = world.surface.find(hit.tile);
            ASSERT_NE(tile, nullptr);
            ASSERT_FALSE(tile->isHole(hit.cellX, hit.cellZ));
            const TileLayout& l = world.surface.layout();
            const Rect foot = l.footprint(hit.tile);
            const double fx = (hit.position.x - foot.minX) / l.strideX(hit.tile.level) - hit.cellX;
            const double fz = (hit.position.z - foot.minZ) / l.strideZ(hit.tile.level) - hit.cellZ;
            ASSERT_GE(fx, -1e-7);
            ASSERT_LE(fx, 1 + 1e-7);
            ASSERT_GE(fz, -1e-7);
            ASSERT_LE(fz, 1 + 1e-7);
            const auto s = [&](int i, int j) { return double{tile->sample(hit.cellX + i, hit.cellZ + j)}; };
            const double h = cellHeight(s(0, 0), s(1, 0), s(0, 1), s(1, 1), fx, fz);
            const double steep =
                1 + std::abs(s(0, 0) - s(1, 1)) + std::abs(s(1, 0) - s(0, 1)) + std::abs(s(0, 0) - s(1, 0));
            ASSERT_NEAR(hit.position.y, h, 1e-8 * steep * (1 + std::abs(hit.t) * length(ray.direction)));
            const auto rise = triangleGradient(s(0, 0), s(1, 0), s(0, 1), s(1, 1), hit.lowerTriangle);
            ASSERT_NEAR(hit.normal.x / hit.normal.y, -rise.x / l.strideX(hit.tile.level), 1e-3 * steep);
            ASSERT_NEAR(hit.normal.z / hit.normal.y, -rise.z / l.strideZ(hit.tile.level), 1e-3 * steep);
            // The finest at the point, where it is not on a border.
            if (fx > 1e-6 && fz > 1e-6 && fx < 1 - 1e-6 && fz < 1 - 1e-6) {
                const auto finest = index.residentHeightAt(hit.position.x, hit.position.z);
                ASSERT_TRUE(finest);
                ASSERT_NEAR(*finest, hit.position.y,
                            1e-8 * steep * (1 + std::abs(hit.t) * length(ray.direction)));
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 1500);
}

TEST(SurfaceRay, H27_VerticalRaysAnswerResidentHeightAtItself) {
    test::Random random(3);
    int hits = 0;
    for (int n = 0; n < 80; ++n) {
        const ResidentWorld world = ResidentWorld::make(random);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 100; ++k) {
            const auto [x, z] = world.randomPoint(random);
            const auto height = index.residentHeightAt(x, z);
            const SurfaceHit down = index.castRay({{x, 100, z}, {0, -2, 0}}),
                             up = index.castRay({{x, -100, z}, {0, 3, 0}});
            ASSERT_EQ(down.hit(), height.has_value());
            ASSERT_EQ(up.hit(), height.has_value());
            ASSERT_FALSE(index.castRay({{x, 100, z}, {0, 1, 0}}).hit());
            if (!height) continue;
            ++hits;
            ASSERT_EQ(down.position.y, *height);
            ASSERT_EQ(down.t, (*height - 100) / -2);
            ASSERT_FALSE(down.fromBelow);
            ASSERT_TRUE(up.fromBelow);
            // From the ground itself, and no farther than maxT.
            ASSERT_EQ(index.castRay({{x, *height, z}, {0, 1, 0}}).t, 0);
            ASSERT_TRUE(index.castRay({{x, 100, z}, {0, -2, 0}}, down.t).hit());
            ASSERT_FALSE(index.castRay({{x, 100, z}, {0, -2, 0}}, std::nextafter(down.t, 0.0)).hit());
        }
    }
    EXPECT_GT(hits, 3000);
}

// Over ground without gaps or holes no ray from above to below may get through, wherever it goes: through
// samples, along lines and diagonals, along tiles' borders.
TEST(SurfaceRay, H27_NoRaySlipsThrough) {
    test::Random random(4);
    for (int n = 0; n < 60; ++n) {
        const std::uint32_t cells = 1u << random.integer(1, 4);
        const auto p = test::randomPyramid(random, 33, 29, cells, 0, random.range(0, 10));
        const Surface surface = *Surface::fromTiles(p.layout, p.all());
        const SurfaceIndex index(surface);
        const TileLayout& l = p.layout;
        for (int k = 0; k < 150; ++k) {
            // Through a sample or the middle of an edge, as exactly as numbers go.
            const double i = random.integer(1, 63) / 2.0, j = random.integer(1, 55) / 2.0;
            const Vec3d through{l.originX + i * l.spacingX, random.range(-10, 10),
                                l.originZ + j * l.spacingZ};
            const int kind = random.integer(0, 4);
            Vec3d d{random.range(-1, 1), -1, random.range(-1, 1)};
            if (kind == 0) d.x = 0;
            if (kind == 1) d.z = 0;
            if (kind == 2) d = {l.spacingX * 0.1, -1, -l.spacingZ * 0.1};  // along a diagonal
            if (kind == 3) d = {l.spacingX * 0.1, -1, l.spacingZ * 0.1};   // through corners
            Ray ray{through - d * 60.0, d};
            const auto start = index.residentHeightAt(ray.origin.x, ray.origin.z);
            const Vec3d endPoint = ray.at(120);
            const auto end = index.residentHeightAt(endPoint.x, endPoint.z);
            if (!start || !end) continue;
            ASSERT_GT(ray.origin.y, *start);
            ASSERT_LT(endPoint.y, *end);
            const SurfaceHit hit = index.castRay(ray, 120);
            ASSERT_TRUE(hit.hit()) << n << " " << k << " kind " << kind;
            ASSERT_FALSE(hit.atBorder && std::abs(*aboveAt({surface, p.tiles}, ray, hit.t)) > 1e-6);
            ASSERT_FALSE(hit.fromBelow);
            // And back.
            const SurfaceHit back = index.castRay({endPoint, d * -1.0}, 120);
            ASSERT_TRUE(back.hit());
            ASSERT_TRUE(back.fromBelow);
        }
    }
}

TEST(SurfaceRay, H27_NoRaySlipsThroughAGapBetweenLevels) {
    test::Random random(5);
    int walls = 0;
    for (int n = 0; n < 150; ++n) {
        ResidentWorld world;
        const auto p = test::randomPyramid(random, 33, 33, 4, 0, 20);
        for (const auto& [key, tile] : p.tiles) {
            if (key.level == p.layout.rootLevel() ||
                (world.tiles.count(key.parent()) != 0 && random.chance(0.7))) {
                world.tiles[key] = tile;
            }
        }
        // Parents come after their children in no order that this relies on: levels are walked coarsest
        // first.
        std::vector<TilePtr> all;
        for (const auto& [key, tile] : world.tiles)
            all.push_back(tile);
        world.surface = *Surface::fromTiles(p.layout, all);
        const SurfaceIndex index(world.surface);
        for (int k = 0; k < 100; ++k) {
            const Rect g = p.layout.groundRect();
            const Vec3d a{random.range(g.minX, g.maxX), random.range(-25, 25), random.range(g.minZ, g.maxZ)};
            const Vec3d b{random.range(g.minX, g.maxX), random.range(-25, 25), random.range(g.minZ, g.maxZ)};
            const auto ha = index.residentHeightAt(a.x, a.z), hb = index.residentHeightAt(b.x, b.z);
            ASSERT_TRUE(ha && hb);
            if ((a.y > *ha) == (b.y > *hb)) continue;
            const SurfaceHit hit = index.castRay({a, b - a}, 1);
            ASSERT_TRUE(hit.hit());
            ASSERT_EQ(hit.fromBelow, a.y < *ha);
            walls += hit.atBorder ? 1 : 0;
        }
    }
    EXPECT_GT(walls, 100);
}

TEST(SurfaceRay, H27_RaysGoThroughHoles) {
    test::Random random(6);
    auto p = test::randomPyramid(random, 33, 33, 8, 0, 2);
    p.holes.assign(32 * 32, 0);
    for (int j = 10; j < 14; ++j) {
        for (int i = 10; i < 14; ++i)
            p.holes[static_cast<std::size_t>(j * 32 + i)] = 1;
    }
    p.build();
    const Surface surface = *Surface::fromTiles(p.layout, p.all());
    const SurfaceIndex index(surface);
    const TileLayout& l = p.layout;
    const auto at = [&](double i, double y, double j) {
        return Vec3d{l.originX + i * l.spacingX, y, l.originZ + j * l.spacingZ};
    };
    for (int k = 0; k < 500; ++k) {
        const Vec3d in = at(random.range(10.01, 13.99), 10, random.range(10.01, 13.99));
        const Vec3d under = at(random.range(10.01, 13.99), -10, random.range(10.01, 13.99));
        EXPECT_FALSE(index.castRay({in, under - in}, 1).hit());
        EXPECT_FALSE(index.castRay({in, {0, -1, 0}}).hit());
        // From under the ground through the hole's side: the underside is met.
        const Vec3d far = at(20, 20, 20);
        const SurfaceHit hit = index.castRay({under, far - under}, 1);
        const double margin = (hit.hit() ? hit.position.y : 0);
        EXPECT_LT(std::abs(margin), 10);
    }
    EXPECT_TRUE(index.castRay({at(9.9, 10, 12), {0, -1, 0}}).hit());
}

TEST(SurfaceRay, H27_RefusesRaysThatAreZeroOrNotFinite) {
    test::Random random(7);
    const auto p = test::randomPyramid(random, 9, 9, 8, 0, 2);
    const SurfaceIndex index(*Surface::fromTiles(p.layout, p.all()));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Ray good{{p.layout.originX + 1, 50, p.layout.originZ + 1}, {0, -1, 0}};
    EXPECT_TRUE(index.castRay(good).hit());
    EXPECT_EQ(index.castRay({good.origin, {}}).status, RayStatus::InvalidRay);
    for (const double bad : {nan, kInfinity, -kInfinity}) {
        for (int k = 0; k < 6; ++k) {
            Ray ray = good;
            double* numbers[6] = {&ray.origin.x,    &ray.origin.y,    &ray.origin.z,
                                  &ray.direction.x, &ray.direction.y, &ray.direction.z};
            *numbers[k] = bad;
            EXPECT_EQ(index.castRay(ray).status, RayStatus::InvalidRay) << k;
        }
    }
    EXPECT_EQ(index.castRay(good, nan).status, RayStatus::InvalidRay);
    EXPECT_EQ(index.castRay(good, -1).status, RayStatus::InvalidRay);
    EXPECT_EQ(index.castRay(good, 0).status, RayStatus::Miss);
    EXPECT_EQ(SurfaceIndex().castRay(good).status, RayStatus::Miss);
    EXPECT_EQ(SurfaceIndex().castRay({good.origin, {}}).status, RayStatus::InvalidRay);
}

TEST(SurfaceRay, H27_DirectionsOfAnyLengthMeetTheSamePoint) {
    test::Random random(8);
    const auto p = test::randomPyramid(random, 33, 33, 8, 0, 5);
    const SurfaceIndex index(*Surface::fromTiles(p.layout, p.all()));
    const Rect g = p.layout.groundRect();
    for (int k = 0; k < 200; ++k) {
        const Vec3d from{random.range(g.minX, g.maxX), 50, random.range(g.minZ, g.maxZ)};
        const Vec3d d{random.range(-1, 1), -1, random.range(-1, 1)};
        const SurfaceHit one = index.castRay({from, d});
        for (const double scale : {1e-250, 1e-120, 1e-30, 1e30, 1e120, 1e250}) {
            const SurfaceHit other = index.castRay({from, d * scale});
            ASSERT_EQ(other.hit(), one.hit());
            if (!one.hit()) continue;
            EXPECT_NEAR(other.position.y, one.position.y, 1e-6);
            EXPECT_NEAR(other.t * scale, one.t, 1e-6);
        }
    }
}

TEST(SurfaceRay, H27_TilesOwnBoundsAreNotTrusted) {
    test::Random random(9);
    auto p = test::randomPyramid(random, 17, 17, 8, 0, 5);
    std::vector<TilePtr> lying;
    for (const auto& [key, tile] : p.tiles) {
        auto copy = std::make_shared<HeightTile>(*tile);
        copy->bounds = {900, 901};
        lying.push_back(copy);
    }
    const SurfaceIndex index(*Surface::fromTiles(p.layout, lying));
    const Rect g = p.layout.groundRect();
    EXPECT_TRUE(index.castRay({{g.minX + 1, 50, g.minZ + 1}, {0.01, -1, 0.01}}).hit());
}

}  // namespace
