#include <gtest/gtest.h>
#include <karst/heightfield/surface_query.h>

#include <cmath>
#include <limits>

#include "surface_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;

struct CellHit {
    double in = std::numeric_limits<double>::infinity(), out = 0, t = 0;
    TileKey tile;
    int x = 0, z = 0;
};

double held(double value) {
    return std::clamp(value, 0.0, 1.0);
}

/// Every cell of every finest tile on its own, by nothing but the ray and its four samples; the first that
/// the ray meets. The ray is not parallel to a line or to the diagonal.
CellHit everyCell(const test::PyramidReference& p, const Ray& ray) {
    const TileLayout& l = p.layout;
    const double u0 = (ray.origin.x - l.originX) / l.spacingX, v0 = (ray.origin.z - l.originZ) / l.spacingZ;
    const double du = ray.direction.x / l.spacingX, dv = ray.direction.z / l.spacingZ;
    const double inverseU = 1 / du, inverseV = 1 / dv, inverseAcross = 1 / (du + dv);
    const int aheadX = du > 0 ? 1 : 0, aheadZ = dv > 0 ? 1 : 0;
    const auto yAt = [&](double t) { return ray.origin.y + t * ray.direction.y; };
    CellHit best;
    for (const auto& [key, tile] : p.tiles) {
        if (key.level != 0) continue;
        const double u = u0 - key.x * l.tileCells, v = v0 - key.z * l.tileCells;
        for (int z = 0; z < static_cast<int>(l.tileCells); ++z) {
            for (int x = 0; x < static_cast<int>(l.tileCells); ++x) {
                // The pyramid reaches past the ground.
                if (key.x * l.tileCells + static_cast<std::uint32_t>(x) + 1 >= l.samplesX ||
                    key.z * l.tileCells + static_cast<std::uint32_t>(z) + 1 >= l.samplesZ) {
                    continue;
                }
                const double fromX = (x + 1 - aheadX - u) * inverseU, toX = (x + aheadX - u) * inverseU;
                const double fromZ = (z + 1 - aheadZ - v) * inverseV, toZ = (z + aheadZ - v) * inverseV;
                const double in = std::max(fromX, fromZ), out = std::min(toX, toZ);
                if (!(in < out)) continue;
                const auto s = [&, held = tile.get()](int i, int j) {
                    return double{held->sample(x + i, z + j)};
                };
                const auto onSide = [&](double t, bool overX, int ahead) {
                    const double e0 = overX ? s(ahead, 0) : s(0, ahead),
                                 e1 = overX ? s(ahead, 1) : s(1, ahead);
                    return yAt(t) - (e0 + held(overX ? v + t * dv - z : u + t * du - x) * (e1 - e0));
                };
                double a = in, b = out;
                double above = onSide(in, fromX > fromZ, 1 - (fromX > fromZ ? aheadX : aheadZ));
                double next = onSide(out, toX <= toZ, toX <= toZ ? aheadX : aheadZ);
                const double across = (x + z + 1 - u - v) * inverseAcross;
                if (across > in && across < out) {
                    const double middle =
                        yAt(across) - (s(1, 0) + held(v + across * dv - z) * (s(0, 1) - s(1, 0)));
                    if (above * middle <= 0) {
                        b = across;
                        next = middle;
                    } else {
                        a = across;
                        above = middle;
                    }
                }
                if (above * next > 0 || in >= best.in) continue;
                const double share = above == 0 ? 0.0 : above / (above - next);
                best = {in, out, std::clamp(a + (b - a) * share, a, b), key, x, z};
            }
        }
    }
    return best;
}

// Whatever the ranges of blocks let a ray skip, the hit is that of the cell's own test.
TEST(SurfaceRayCells, H27_HitsAreThoseOfEveryCellTestedAlone) {
    test::Random random(21);
    int hits = 0, same = 0, misses = 0;
    for (int n = 0; n < 60; ++n) {
        const std::uint32_t cells = 1u << random.integer(1, 5);
        const auto p = test::randomPyramid(random, static_cast<std::uint32_t>(random.integer(8, 70)), 41,
                                           cells, 0, random.range(0, 12));
        const SurfaceIndex index(*Surface::fromTiles(p.layout, p.all()));
        const Rect g = p.layout.groundRect();
        double lowest = 1e9, highest = -1e9;
        for (const auto& [key, tile] : p.tiles) {
            if (key.level != 0) continue;
            for (int j = 0; j <= static_cast<int>(cells); ++j) {
                for (int i = 0; i <= static_cast<int>(cells); ++i) {
                    lowest = std::min(lowest, double{tile->sample(i, j)});
                    highest = std::max(highest, double{tile->sample(i, j)});
                }
            }
        }
        for (int k = 0; k < 40; ++k) {
            // From straight down to almost level.
            const double x = random.range(g.minX, g.maxX), z = random.range(g.minZ, g.maxZ);
            const double tilt = std::pow(random.range(0, 1.5), 3) + 1e-3, turn = random.range(0, 6.28);
            const Vec3d d{tilt * std::cos(turn), -1, tilt * std::sin(turn)};
            const double back = random.chance(0.5) ? 400.0 : 60.0;
            const Ray ray{Vec3d{x, 0, z} - d * back, d};
            const SurfaceHit hit = index.castRay(ray);
            const CellHit want = everyCell(p, ray);
            ASSERT_EQ(hit.hit(), std::isfinite(want.in)) << n << " " << k;
            if (!hit.hit()) {
                ++misses;
                continue;
            }
            // A border between two tiles that a rounding opened is a hit of its own kind.
            if (hit.atBorder) continue;
            ASSERT_EQ(hit.tile, want.tile);
            ASSERT_EQ(hit.cellX, want.x);
            ASSERT_EQ(hit.cellZ, want.z);
            // A ray begins and ends where it comes to the ground's border and the range of all heights.
            const double cellX = want.tile.x * static_cast<double>(cells) + want.x,
                         cellZ = want.tile.z * static_cast<double>(cells) + want.z;
            const bool atEdge =
                cellX == 0 || cellZ == 0 || cellX + 2 == p.layout.samplesX || cellZ + 2 == p.layout.samplesZ;
            if (atEdge || ray.at(want.in).y > highest || ray.at(want.out).y < lowest) {
                ASSERT_NEAR(hit.t, want.t, 1e-9 * want.t);
                continue;
            }
            ASSERT_NEAR(hit.t, want.t, 4e-16 * want.t) << n << " " << k;
            same += hit.t == want.t ? 1 : 0;
            ++hits;
        }
    }
    EXPECT_GT(hits, 500);
    EXPECT_GT(same, hits * 99 / 100);
    EXPECT_GT(misses, 10);
}

}  // namespace
