#pragma once

#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/heightfield/height_ray.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

/// Random rasters and rays, and the plainest ray cast over them.
namespace karst::heightfield::reference {

using test::Random;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Rasters -----------------------------------------------------------------------------------------------

/// Hills of value noise, the finest a few cells wide, or plain random heights.
inline std::vector<float> makeHeights(int columns, int rows, double low, double high, bool rough,
                                      Random& random) {
    const auto lattice = [seed = random.next()](int octave, int x, int z) {
        const auto key = static_cast<std::uint64_t>(octave) << 60 ^ static_cast<std::uint64_t>(x + 8) << 30 ^
                         static_cast<std::uint64_t>(z + 8);
        return static_cast<double>(mix64(seed ^ key) >> 11) * 0x1p-53;
    };
    std::vector<float> heights;
    for (int z = 0; z < rows; ++z) {
        for (int x = 0; x < columns; ++x) {
            double sum = 0, total = 0, weight = 1;
            for (int octave = 0; octave < 5; ++octave, weight *= 0.5) {
                const double step = 32.0 / (1 << octave);
                const double u = x / step, v = z / step;
                const int iu = static_cast<int>(u), iv = static_cast<int>(v);
                const double fu = u - iu, fv = v - iv;
                const double a =
                    lattice(octave, iu, iv) + fu * (lattice(octave, iu + 1, iv) - lattice(octave, iu, iv));
                const double b = lattice(octave, iu, iv + 1) +
                                 fu * (lattice(octave, iu + 1, iv + 1) - lattice(octave, iu, iv + 1));
                sum += weight * (a + fv * (b - a));
                total += weight;
            }
            const double share = rough ? random.unit() : sum / total;
            heights.push_back(std::clamp(static_cast<float>(low + (high - low) * share),
                                         static_cast<float>(low), static_cast<float>(high)));
        }
    }
    return heights;
}

struct Ground {
    int columns = 33, rows = 33;
    Rect rect{-0.5, -0.5, 32.5, 32.5};
    double low = 0, high = 10;
    bool rough = false;
    bool declareRange = false;
    double holes = 0;  ///< share of the cells
};

inline HeightRaster makeRaster(const Ground& ground, Random& random) {
    const std::vector<float> heights =
        makeHeights(ground.columns, ground.rows, ground.low, ground.high, ground.rough, random);
    HeightRasterDesc desc{ground.columns, ground.rows, ground.rect, {}};
    if (ground.declareRange) {
        desc.heightRange =
            HeightRange{static_cast<float>(ground.low) - 3.0f, static_cast<float>(ground.high) + 11.0f};
    }
    auto raster = HeightRaster::create(desc, Vector<float>(heights.begin(), heights.end()));
    EXPECT_TRUE(raster.ok());
    if (ground.holes > 0) {
        for (int z = -1; z < ground.rows; ++z) {
            for (int x = -1; x < ground.columns; ++x) {
                if (random.chance(ground.holes)) raster->setHoles(GridRect{x, z, x + 1, z + 1}, true);
            }
        }
    }
    return std::move(*raster);
}

inline HeightRaster flatRaster(int columns, int rows, float height) {
    const auto count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    return std::move(*HeightRaster::create({columns, rows, {0, 0, double(columns), double(rows)}, {}},
                                           Vector<float>(count, height)));
}

// --- The reference: every triangle near the ray's path, by its plane
// ----------------------------------------

struct Reference {
    bool hit = false;
    long double t = 0;
    long double approach = 1;  ///< how fast the ray nears the triangle's plane, in height per t
};

struct Lattice {
    long double u, v, du, dv, y, dy;
    long double slack;  ///< in cells
};

inline Lattice latticeOf(const HeightRaster& raster, const Ray& ray) {
    const Rect& rect = raster.rect();
    const long double sx = raster.spacingX(), sz = raster.spacingZ();
    Lattice l{};
    l.u = (static_cast<long double>(ray.origin.x) - rect.minX) / sx - 0.5L;
    l.v = (static_cast<long double>(ray.origin.z) - rect.minZ) / sz - 0.5L;
    l.du = ray.direction.x / sx;
    l.dv = ray.direction.z / sz;
    l.y = ray.origin.y;
    l.dy = ray.direction.y;
    l.slack = 1e-9L +
              2e-15L * (std::abs(l.u) + std::abs(l.v) + std::abs(rect.minX / sx) + std::abs(rect.minZ / sz));
    return l;
}

/// Narrows [begin, end] to where low <= a + t * d <= high.
inline void clipSpan(long double a, long double d, long double low, long double high, long double& begin,
                     long double& end) {
    if (d == 0) {
        if (a < low || a > high) end = -1;
        return;
    }
    const long double t0 = (low - a) / d, t1 = (high - a) / d;
    begin = std::max(begin, std::min(t0, t1));
    end = std::min(end, std::max(t0, t1));
}

inline void referenceTriangle(const HeightRaster& raster, const Lattice& l, double maxT, int cellX, int cellZ,
                              bool lower, Reference& best) {
    const auto texel = [&](int x, int z) -> long double {
        return raster.texel(std::clamp(x, 0, raster.columns() - 1), std::clamp(z, 0, raster.rows() - 1));
    };
    const long double h00 = texel(cellX, cellZ), h10 = texel(cellX + 1, cellZ);
    const long double h01 = texel(cellX, cellZ + 1), h11 = texel(cellX + 1, cellZ + 1);
    const long double gx = lower ? h10 - h00 : h11 - h01, gz = lower ? h01 - h00 : h11 - h10;
    const long double x = l.u - cellX, z = l.v - cellZ;
    const long double base = lower ? h00 : h10 + h01 - h11;
    long double begin = 0, end = maxT;
    clipSpan(x, l.du, std::max(0.0L, -0.5L - cellX) - l.slack,
             std::min(1.0L, raster.columns() - 0.5L - cellX) + l.slack, begin, end);
    clipSpan(z, l.dv, std::max(0.0L, -0.5L - cellZ) - l.slack,
             std::min(1.0L, raster.rows() - 0.5L - cellZ) + l.slack, begin, end);
    clipSpan(x + z, l.du + l.dv, lower ? -1.0L : 1.0L - l.slack, lower ? 1.0L + l.slack : 3.0L, begin, end);
    if (!(begin <= end)) return;
    const long double above = l.y - (base + gx * x + gz * z);
    const long double rate = l.dy - (gx * l.du + gz * l.dv);
    const long double room = 1e-13L * (std::abs(l.y) + std::abs(h00) + 1e-3L);
    long double t;
    if (std::abs(above + rate * begin) <= room) {
        t = begin;
    } else {
        t = -above / rate;
        if (!(t >= begin && t <= end)) return;
    }
    if (best.hit && best.t <= t) return;
    best = {true, t, std::abs(rate)};
}

inline Reference referenceCast(const HeightRaster& raster, const Ray& ray, double maxT) {
    const Lattice l = latticeOf(raster, ray);
    Reference best;
    const bool all = raster.columns() * raster.rows() <= 64;
    for (int cellX = -1; cellX < raster.columns(); ++cellX) {
        long double begin = 0, end = maxT;
        clipSpan(l.u, l.du, cellX - 1e-3L, cellX + 1.001L, begin, end);
        if (!all && !(begin <= end)) continue;
        int low = -1, high = raster.rows() - 1;
        if (!all && l.dv != 0 && std::isfinite(static_cast<double>(end))) {
            const long double v0 = l.v + begin * l.dv, v1 = l.v + end * l.dv;
            const auto held = [&](long double v) {
                return static_cast<int>(std::clamp(std::floor(v), -1.0L, raster.rows() - 1.0L));
            };
            low = held(std::min(v0, v1) - 1e-3L);
            high = held(std::max(v0, v1) + 1e-3L);
        } else if (!all && l.dv == 0) {
            low = static_cast<int>(std::clamp(std::floor(l.v - 1e-3L), -1.0L, raster.rows() - 1.0L));
            high = static_cast<int>(std::clamp(std::floor(l.v + 1e-3L), -1.0L, raster.rows() - 1.0L));
        }
        for (int cellZ = low; cellZ <= high; ++cellZ) {
            if (raster.isHole(cellX, cellZ)) continue;
            referenceTriangle(raster, l, maxT, cellX, cellZ, true, best);
            referenceTriangle(raster, l, maxT, cellX, cellZ, false, best);
        }
    }
    return best;
}

inline double heightRoom(const HeightRaster& raster, const Ray& ray) {
    const HeightRange& range = raster.heightRange();
    const Lattice l = latticeOf(raster, ray);
    return 1e-12 * (std::abs(ray.origin.y) + std::abs(double{range.min}) + std::abs(double{range.max}) + 1) +
           4 * static_cast<double>(l.slack) * (double{range.max} - double{range.min});
}

inline bool agrees(const HeightRaster& raster, const Ray& ray, const RayHit& hit,
                   const Reference& reference) {
    if (hit.hit() != reference.hit) return false;
    if (!reference.hit) return true;
    const double speed = length(ray.direction);
    const double room = heightRoom(raster, ray) / static_cast<double>(reference.approach) +
                        1e-9 * raster.spacingX() / speed + 1e-12 * hit.t;
    return std::abs(hit.t - static_cast<double>(reference.t)) <= room;
}

/// The reference's hit lies on a hole's border within rounding, where either cell may own it.
inline bool besideHole(const HeightRaster& raster, const Ray& ray, const Reference& reference) {
    if (!raster.hasHoles() || !reference.hit) return false;
    const Lattice l = latticeOf(raster, ray);
    const long double u = l.u + reference.t * l.du, v = l.v + reference.t * l.dv;
    for (int k = 0; k < 4; ++k) {
        const int x = static_cast<int>(std::floor(u + (k % 2 == 0 ? -4 : 4) * l.slack));
        const int z = static_cast<int>(std::floor(v + (k / 2 == 0 ? -4 : 4) * l.slack));
        if (x >= -1 && z >= -1 && x < raster.columns() && z < raster.rows() && raster.isHole(x, z))
            return true;
    }
    return false;
}

struct Tally {
    int rays = 0, hits = 0, unsure = 0;
};

/// A ray that passes an edge of the ground within rounding may be told either way: then one of its
/// neighbours by a hair must be told so by the reference.
inline void checkRay(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT,
                     Tally& tally) {
    const RayHit hit = castRay(raster, pyramid, ray, maxT);
    ++tally.rays;
    tally.hits += hit.hit() ? 1 : 0;
    ASSERT_NE(hit.status, RayStatus::InvalidRay);
    const Reference reference = referenceCast(raster, ray, maxT);
    bool good = agrees(raster, ray, hit, reference);
    if (!good) {
        ++tally.unsure;
        const Lattice l = latticeOf(raster, ray);
        const double dx = 4 * static_cast<double>(l.slack) * raster.spacingX();
        const double dz = 4 * static_cast<double>(l.slack) * raster.spacingZ();
        const double dy = 10 * heightRoom(raster, ray);
        good = besideHole(raster, ray, reference);
        for (int k = 0; k < 27 && !good; ++k) {
            Ray near = ray;
            near.origin.x += (k % 3 - 1) * dx;
            near.origin.z += (k / 3 % 3 - 1) * dz;
            near.origin.y += (k / 9 - 1) * dy;
            good = agrees(raster, ray, hit, referenceCast(raster, near, maxT * (1 + 1e-12)));
        }
    }
    ASSERT_TRUE(good) << raster.columns() << " x " << raster.rows() << " ray (" << ray.origin.x << ", "
                      << ray.origin.y << ", " << ray.origin.z << ") + t (" << ray.direction.x << ", "
                      << ray.direction.y << ", " << ray.direction.z << ") up to " << maxT
                      << (hit.hit() ? " hit at " : " missed, t ") << hit.t << "; the reference "
                      << (reference.hit ? "hits at " : "misses, ") << static_cast<double>(reference.t);
    if (!hit.hit()) return;
    ASSERT_TRUE(hit.t >= 0 && hit.t <= maxT);
    ASSERT_FALSE(raster.isHole(hit.cellX, hit.cellZ));
    ASSERT_NEAR(length(hit.normal), 1.0f, 1e-5f);
    ASSERT_GT(hit.normal.y, 0.0f);
    const auto height = raster.heightAt(hit.position.x, hit.position.z);
    if (height) {
        const double room = 4 * heightRoom(raster, ray);
        // Rounding of x and z on a slope is rounding of the height.
        ASSERT_NEAR(hit.position.y, *height, room);
    } else {
        ASSERT_TRUE(raster.hasHoles());  // on the border of a hole
    }
}

// --- Rays, as the benchmarks have them
// ----------------------------------------------------------------------

enum class Kind {
    Vertical,
    Steep,
    Grazing,
    Skim,
    Vertex,
    Edge,
    TiltedVertex,
    AxisParallel,
    Diagonal,
    Inside
};
inline constexpr int kKinds = 10;

inline Ray makeRay(const HeightRaster& raster, Kind kind, Random& random) {
    const Rect& r = raster.rect();
    const HeightRange& range = raster.heightRange();
    const double sx = raster.spacingX(), sz = raster.spacingZ();
    const double height = std::max(double{range.max} - double{range.min}, 1e-3 * sx);
    const double top = range.max + 0.2 * height;
    const auto anyX = [&] { return random.range(r.minX, r.maxX); };
    const auto anyZ = [&] { return random.range(r.minZ, r.maxZ); };
    const auto border = [&](int side) -> Vec3d {
        if (side == 0) return {r.minX, 0, anyZ()};
        if (side == 1) return {r.maxX, 0, anyZ()};
        if (side == 2) return {anyX(), 0, r.minZ};
        return {anyX(), 0, r.maxZ};
    };
    const int column = random.integer(0, raster.columns() - 1), row = random.integer(0, raster.rows() - 1);
    const Vec3d vertex{raster.texelX(column), raster.texel(column, row), raster.texelZ(row)};
    switch (kind) {
        case Kind::Vertical:
            return {{anyX(), top, anyZ()}, {0, -random.range(0.1, 3), 0}};
        case Kind::Steep: {
            const double tilt = random.unit(), turn = random.range(-1, 1), turn2 = random.range(-1, 1);
            return {{anyX(), top, anyZ()}, {tilt * turn, -1, tilt * turn2}};
        }
        case Kind::Grazing: {
            const int side = random.integer(0, 3);
            Vec3d from = border(side), to = border(side ^ 1);
            from.y = range.max + 0.01 * height;
            to.y = range.min + 0.5 * height * random.unit();
            return {from, to - from};
        }
        case Kind::Skim: {
            const int side = random.integer(0, 3);
            Vec3d from = border(side), to = border(side ^ 1);
            from.y = to.y = range.min + height * random.range(0.6, 1.02);
            const Vec3d d = to - from;
            return {from - d * 0.1, d};
        }
        case Kind::Vertex:
            return {{vertex.x, top, vertex.z}, {0, -1, 0}};
        case Kind::Edge: {
            const double f = random.integer(0, 1024) / 1024.0;
            const int way = random.integer(0, 2);
            return {{vertex.x + (way != 1 ? f * sx : 0), top, vertex.z + (way != 0 ? (1 - f) * sz : 0)},
                    {0, -1, 0}};
        }
        case Kind::TiltedVertex: {
            const Vec3d d{random.range(-1, 1) * sx, -height * random.range(0.02, 1),
                          random.range(-1, 1) * sz};
            return {vertex - d * random.range(0, 4), d};
        }
        case Kind::AxisParallel: {
            const bool alongX = random.chance(0.5), back = random.chance(0.5), exact = random.chance(0.7);
            const double y = random.chance(0.3) ? vertex.y : range.min + height * random.unit();
            const double d = back ? -1 : 1, dy = random.chance(0.5) ? 0 : random.range(-0.1, 0.1) * height;
            if (alongX) {
                return {{back ? r.maxX + sx : r.minX - sx, y, exact ? vertex.z : anyZ()}, {d * sx, dy, 0}};
            }
            return {{exact ? vertex.x : anyX(), y, back ? r.maxZ + sz : r.minZ - sz}, {0, dy, d * sz}};
        }
        case Kind::Diagonal: {
            const double d = random.chance(0.5) ? 1 : -1, e = random.chance(0.5) ? 1 : -1;
            const double dy = random.chance(0.2) ? 0 : random.range(-0.1, 0.1) * height;
            const Vec3d step{d * sx, dy, e * sz};
            const Vec3d start{vertex.x, range.min + height * random.unit(), vertex.z};
            return {start - step * random.integer(0, 8), step};
        }
        case Kind::Inside: {
            const Vec3d from{anyX(), range.min + height * random.range(-0.2, 1.2), anyZ()};
            const Vec3d to{anyX(), range.min + height * random.range(-0.2, 1.2), anyZ()};
            return {from, to - from};
        }
    }
    return {};
}

inline void checkGround(const Ground& ground, int raysPerKind, std::uint64_t seed, Tally& tally) {
    Random random(seed);
    const HeightRaster raster = makeRaster(ground, random);
    const HeightPyramid pyramid(raster);
    for (int kind = 0; kind < kKinds; ++kind) {
        for (int i = 0; i < raysPerKind; ++i) {
            const Ray ray = makeRay(raster, static_cast<Kind>(kind), random);
            const double maxT = random.chance(0.8) ? kInfinity : random.range(0, 3);
            ASSERT_NO_FATAL_FAILURE(checkRay(raster, pyramid, ray, maxT, tally)) << "kind " << kind;
        }
    }
}

}  // namespace karst::heightfield::reference
