#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/heightfield/height_ray.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace karst::heightfield {
namespace {

using test::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Rasters -----------------------------------------------------------------------------------------------

/// Hills of value noise, the finest a few cells wide, or plain random heights.
std::vector<float> makeHeights(int columns, int rows, double low, double high, bool rough, Random& random) {
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

HeightRaster makeRaster(const Ground& ground, Random& random) {
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

HeightRaster flatRaster(int columns, int rows, float height) {
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

Lattice latticeOf(const HeightRaster& raster, const Ray& ray) {
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
void clipSpan(long double a, long double d, long double low, long double high, long double& begin,
              long double& end) {
    if (d == 0) {
        if (a < low || a > high) end = -1;
        return;
    }
    const long double t0 = (low - a) / d, t1 = (high - a) / d;
    begin = std::max(begin, std::min(t0, t1));
    end = std::min(end, std::max(t0, t1));
}

void referenceTriangle(const HeightRaster& raster, const Lattice& l, double maxT, int cellX, int cellZ,
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

Reference referenceCast(const HeightRaster& raster, const Ray& ray, double maxT) {
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

double heightRoom(const HeightRaster& raster, const Ray& ray) {
    const HeightRange& range = raster.heightRange();
    const Lattice l = latticeOf(raster, ray);
    return 1e-12 * (std::abs(ray.origin.y) + std::abs(double{range.min}) + std::abs(double{range.max}) + 1) +
           4 * static_cast<double>(l.slack) * (double{range.max} - double{range.min});
}

bool agrees(const HeightRaster& raster, const Ray& ray, const RayHit& hit, const Reference& reference) {
    if (hit.hit() != reference.hit) return false;
    if (!reference.hit) return true;
    const double speed = length(ray.direction);
    const double room = heightRoom(raster, ray) / static_cast<double>(reference.approach) +
                        1e-9 * raster.spacingX() / speed + 1e-12 * hit.t;
    return std::abs(hit.t - static_cast<double>(reference.t)) <= room;
}

/// The reference's hit lies on a hole's border within rounding, where either cell may own it.
bool besideHole(const HeightRaster& raster, const Ray& ray, const Reference& reference) {
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
void checkRay(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT,
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
constexpr int kKinds = 10;

Ray makeRay(const HeightRaster& raster, Kind kind, Random& random) {
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

void checkGround(const Ground& ground, int raysPerKind, std::uint64_t seed, Tally& tally) {
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

// --- Tests
// --------------------------------------------------------------------------------------------------

TEST(HeightRay, AgreesWithEveryTriangleOnSmallRasters) {
    const int sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2},   {1, 17},  {23, 1},  {3, 3},   {5, 7},
                            {4, 4}, {7, 2}, {8, 8}, {15, 16}, {16, 15}, {17, 31}, {13, 64}, {61, 19}};
    Tally tally;
    std::uint64_t seed = 1;
    for (const auto& size : sizes) {
        for (const bool rough : {false, true}) {
            for (const double holes : {0.0, 0.2}) {
                Ground ground{size[0], size[1], {0, 0, 0, 0}, -20, 90, rough, seed % 3 == 0, holes};
                ground.rect = {-7, 3, -7.0 + size[0], 3 + 0.75 * size[1]};
                ASSERT_NO_FATAL_FAILURE(checkGround(ground, 30, seed++, tally));
            }
        }
    }
    EXPECT_GT(tally.hits, tally.rays / 3);
    EXPECT_LT(tally.unsure, tally.rays / 20);
}

TEST(HeightRay, AgreesWithEveryTriangleOnLargerRasters) {
    const Ground grounds[] = {
        {129, 97, {-64.5, -48.5, 64.5, 48.5}, 0, 40, false, false, 0},
        {129, 97, {-64.5, -48.5, 64.5, 48.5}, 0, 40, false, true, 0.03},
        {257, 300, {1000, -2000, 1257, -1700}, -5, 60, false, false, 0},
        {1025, 3, {0, 0, 1025, 3}, 0, 40, false, false, 0.01},
        {5, 700, {0, 0, 5, 700}, 0, 40, true, false, 0},
        {211, 223, {-1e6, 5e5, -1e6 + 211 * 90.0, 5e5 + 223 * 90.0}, -11000, 9000, false, true, 0.02},
        {101, 67, {-0.05, 0.2, 0.051, 0.267}, 0, 0.02, false, false, 0},
        {64, 64, {-64e3, -64e3, 64e3, 64e3}, -11000, 9000, true, false, 0.1},
    };
    Tally tally;
    std::uint64_t seed = 100;
    for (const Ground& ground : grounds)
        ASSERT_NO_FATAL_FAILURE(checkGround(ground, 150, seed++, tally));
    EXPECT_GT(tally.hits, tally.rays / 3);
    EXPECT_LT(tally.unsure, tally.rays / 20);
}

TEST(HeightRay, FlatGroundIsMetFromEverySide) {
    const HeightRaster raster = flatRaster(20, 9, 5);
    const HeightPyramid pyramid(raster);
    Tally tally;
    Random random(5);
    for (int i = 0; i < 2000; ++i) {
        const Vec3d target{random.range(0, 20), 5, random.range(0, 9)};
        Vec3d d{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        if (random.chance(0.2)) d.x = 0;
        if (random.chance(0.2)) d.z = 0;
        const Ray ray{target - d * random.range(0.1, 50), d};
        ASSERT_NO_FATAL_FAILURE(checkRay(raster, pyramid, ray, kInfinity, tally));
        const RayHit hit = castRay(raster, pyramid, ray);
        ASSERT_TRUE(hit.hit());
        EXPECT_EQ(hit.fromBelow, d.y > 0);
        EXPECT_EQ(hit.normal, (Vec3f{0, 1, 0}));
        EXPECT_NEAR(hit.position.x, target.x, 1e-9);
        EXPECT_NEAR(hit.position.z, target.z, 1e-9);
    }
}

TEST(HeightRay, LevelRayInLevelGroundHitsAtItsEntry) {
    const HeightRaster raster = flatRaster(20, 9, 5);
    const HeightPyramid pyramid(raster);
    const RayHit outside = castRay(raster, pyramid, {{-4, 5, 4.25}, {2, 0, 0}});
    ASSERT_TRUE(outside.hit());
    EXPECT_EQ(outside.t, 2);
    EXPECT_EQ(outside.cellX, -1);
    const RayHit inside = castRay(raster, pyramid, {{7.3, 5, 4.25}, {0, 0, -1}});
    ASSERT_TRUE(inside.hit());
    EXPECT_EQ(inside.t, 0);
    EXPECT_EQ(inside.position, (Vec3d{7.3, 5, 4.25}));
    EXPECT_FALSE(castRay(raster, pyramid, {{-4, 5.001, 4.25}, {2, 0, 0}}).hit());
}

TEST(HeightRay, BeginsOnTheGround) {
    Random random(8);
    const HeightRaster raster = makeRaster({}, random);
    const HeightPyramid pyramid(raster);
    for (int i = 0; i < 3000; ++i) {
        const double x = random.range(-0.5, 32.5), z = random.range(-0.5, 32.5);
        const Vec3d d{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        const RayHit hit = castRay(raster, pyramid, {{x, *raster.heightAt(x, z), z}, d}, 0);
        ASSERT_TRUE(hit.hit());
        EXPECT_EQ(hit.t, 0);
    }
}

TEST(HeightRay, N4_RayHeightAndMeshShareOneSurface) {
    Random random(4);
    for (const double holes : {0.0, 0.1}) {
        Ground ground{67, 45, {-3, 11, 64, 56}, -20, 30, false, false, holes};
        const HeightRaster raster = makeRaster(ground, random);
        const HeightPyramid pyramid(raster);
        int hits = 0, tiltedRays = 0;
        for (int i = 0; i < 20000; ++i) {
            // Also grid lines, the rect's own edges and a little outside.
            double x = random.range(-4, 65), z = random.range(10, 57);
            if (random.chance(0.3)) x = raster.texelX(random.integer(0, 66));
            if (random.chance(0.3)) z = raster.texelZ(random.integer(0, 44));
            if (random.chance(0.02)) x = random.chance(0.5) ? -3 : 64;
            if (random.chance(0.02)) z = random.chance(0.5) ? 11 : 56;
            const bool up = random.chance(0.3);
            const double y = up ? -25 : 35;
            const RayHit hit = castRay(raster, pyramid, {{x, y, z}, {0, up ? 0.5 : -0.5, 0}});
            const auto height = raster.heightAt(x, z);
            ASSERT_EQ(hit.hit(), height.has_value()) << x << ", " << z;
            if (!height) continue;
            ++hits;
            EXPECT_EQ(hit.position, (Vec3d{x, *height, z}));
            EXPECT_DOUBLE_EQ(hit.t, std::abs(*height - y) * 2);
            EXPECT_EQ(hit.fromBelow, up);
            const CellPoint cell = raster.cellPointAt(x, z);
            EXPECT_EQ(hit.cellX, cell.cellX);
            EXPECT_EQ(hit.cellZ, cell.cellZ);
            EXPECT_EQ(hit.lowerTriangle, cell.fx + cell.fz <= 1);
            // A tilted ray through the same point, seen to go from one side of the ground to the other.
            const Vec3d d{random.range(-1e-3, 1e-3), up ? 1e-3 : -1e-3, random.range(-1e-3, 1e-3)};
            const Vec3d from = hit.position - d, to = hit.position + d;
            const auto atFrom = raster.heightAt(from.x, from.z), atTo = raster.heightAt(to.x, to.z);
            if (!atFrom || !atTo || (from.y > *atFrom) == (to.y > *atTo)) continue;
            const RayHit tilted = castRay(raster, pyramid, {from, d}, 2);
            ++tiltedRays;
            ASSERT_TRUE(tilted.hit() || holes > 0) << x << ", " << z;
            if (!tilted.hit()) continue;
            const auto there = raster.heightAt(tilted.position.x, tilted.position.z);
            if (there) {
                EXPECT_NEAR(tilted.position.y, *there, 1e-11);
            }
        }
        EXPECT_GT(tiltedRays, 5000);
        EXPECT_GT(hits, 10000);
    }
}

TEST(HeightRay, N8_RayLeavesOutTheHolesThatHeightAtLeavesOut) {
    Random random(9);
    const HeightRaster raster = makeRaster({21, 34, {0, 0, 21, 34}, 0, 4, false, false, 0.3}, random);
    const HeightPyramid pyramid(raster);
    int hits = 0, holes = 0;
    for (int z = -1; z < raster.rows(); ++z) {
        for (int x = -1; x < raster.columns(); ++x) {
            for (int i = 0; i < 8; ++i) {
                const double fx = x < 0     ? random.range(0.5, 1)
                                  : x == 20 ? random.range(0, 0.5)
                                            : random.unit();
                const double fz = z < 0     ? random.range(0.5, 1)
                                  : z == 33 ? random.range(0, 0.5)
                                            : random.unit();
                const double px = raster.texelX(0) + x + fx, pz = raster.texelZ(0) + z + fz;
                const RayHit down = castRay(raster, pyramid, {{px, 9, pz}, {0, -1, 0}});
                // Nearly vertical: the walk's own answer, in the same cell but for a hair.
                const RayHit walked = castRay(raster, pyramid, {{px, 9, pz}, {1e-9, -1, 1e-9}});
                ASSERT_EQ(down.hit(), raster.heightAt(px, pz).has_value());
                ASSERT_EQ(down.hit(), !raster.isHole(x, z));
                ASSERT_EQ(walked.hit(), down.hit());
                ++(down.hit() ? hits : holes);
            }
        }
    }
    EXPECT_GT(hits, 1000);
    EXPECT_GT(holes, 1000);
}

TEST(HeightRay, EntersUnderTheGroundThroughAHoleWithoutAWall) {
    HeightRaster raster = flatRaster(10, 10, 5);
    raster.setHoles(GridRect{2, -1, 4, 10}, true);
    const HeightPyramid pyramid(raster);
    // Level under the ground: nothing. Rising from under the hole: the underside beyond it.
    EXPECT_FALSE(castRay(raster, pyramid, {{3.5, 4, 5}, {1, 0, 0.1}}).hit());
    const RayHit below = castRay(raster, pyramid, {{3.5, 4, 5}, {2, 0.5, 0}});
    ASSERT_TRUE(below.hit());
    EXPECT_TRUE(below.fromBelow);
    EXPECT_NEAR(below.position.x, 7.5, 1e-12);
    // Down through the hole from above, then out of the raster.
    EXPECT_FALSE(castRay(raster, pyramid, {{2.6, 5.5, 5}, {1, -0.5, 0}}).hit());
    EXPECT_TRUE(castRay(raster, pyramid, {{1.0, 5.5, 5}, {1, -0.5, 0}}).hit());
}

TEST(HeightRay, NoRayAimedAtAVertexOrAlongAnEdgeLeaks) {
    Random random(77);
    const HeightRaster raster = makeRaster({97, 97, {0, 0, 97, 97}, 0, 50, false, false, 0}, random);
    const HeightPyramid pyramid(raster);
    int crossings = 0;
    for (int i = 0; i < 20000; ++i) {
        const int x = random.integer(1, 95), z = random.integer(1, 95);
        const double f = random.integer(0, 1024) / 1024.0;
        const int way = random.integer(0, 3);
        const Vec3d to{raster.texelX(x) + (way == 1 || way == 3 ? f : 0), 0,
                       raster.texelZ(z) + (way == 2   ? f
                                           : way == 3 ? 1 - f
                                                      : 0)};
        const Vec3d target{to.x, *raster.heightAt(to.x, to.z), to.z};
        const Vec3d d{random.range(-1, 1), -random.range(0.3, 1), random.range(-1, 1)};
        const RayHit hit = castRay(raster, pyramid, {target - d * 0.5, d * 2}, 1);
        const Vec3d from = target - d * 0.5, end = target + d * 1.5;
        const auto a = raster.heightAt(from.x, from.z), b = raster.heightAt(end.x, end.z);
        if (!a || !b || from.y <= *a || end.y >= *b) continue;
        ++crossings;
        ASSERT_TRUE(hit.hit()) << i;
    }
    EXPECT_GT(crossings, 10000);
}

TEST(HeightRay, RespectsTheGreatestT) {
    Random random(31);
    const HeightRaster raster = makeRaster({65, 65, {0, 0, 65, 65}, 0, 20, false, false, 0.02}, random);
    const HeightPyramid pyramid(raster);
    int hits = 0;
    for (int i = 0; i < 5000; ++i) {
        const Ray ray = makeRay(raster, static_cast<Kind>(i % kKinds), random);
        const RayHit hit = castRay(raster, pyramid, ray);
        if (!hit.hit()) continue;
        ++hits;
        const RayHit again = castRay(raster, pyramid, ray, hit.t);
        ASSERT_TRUE(again.hit());
        EXPECT_EQ(again.t, hit.t);
        if (hit.t > 0) {
            EXPECT_FALSE(castRay(raster, pyramid, ray, std::nextafter(hit.t, 0.0)).hit());
        }
    }
    EXPECT_GT(hits, 2000);
}

TEST(HeightRay, RefusesRaysThatAreNone) {
    const HeightRaster raster = flatRaster(4, 4, 1);
    const HeightPyramid pyramid(raster);
    const auto status = [&](const Ray& ray, double maxT) {
        return castRay(raster, pyramid, ray, maxT).status;
    };
    const Ray good{{1, 5, 1}, {0, -1, 0}};
    EXPECT_EQ(status(good, kInfinity), RayStatus::Hit);
    EXPECT_EQ(status({{1, 5, 1}, {0, 0, 0}}, kInfinity), RayStatus::InvalidRay);
    EXPECT_EQ(status({{1, 5, 1}, {-0.0, 0, -0.0}}, kInfinity), RayStatus::InvalidRay);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
        for (int axis = 0; axis < 3; ++axis) {
            Ray ray = good;
            (axis == 0 ? ray.origin.x : axis == 1 ? ray.origin.y : ray.origin.z) = bad;
            EXPECT_EQ(status(ray, kInfinity), RayStatus::InvalidRay);
            ray = good;
            (axis == 0 ? ray.direction.x : axis == 1 ? ray.direction.y : ray.direction.z) = bad;
            EXPECT_EQ(status(ray, kInfinity), RayStatus::InvalidRay);
        }
    }
    EXPECT_EQ(status(good, -1), RayStatus::InvalidRay);
    EXPECT_EQ(status(good, std::numeric_limits<double>::quiet_NaN()), RayStatus::InvalidRay);
}

TEST(HeightRay, TinyAndHugeDirectionsMeetTheSamePoint) {
    Random random(12);
    const HeightRaster raster = makeRaster({33, 33, {-16, -16, 17, 17}, 0, 20, false, false, 0}, random);
    const HeightPyramid pyramid(raster);
    for (int i = 0; i < 400; ++i) {
        const Ray ray = makeRay(raster, static_cast<Kind>(i % kKinds), random);
        const RayHit plain = castRay(raster, pyramid, ray);
        for (const double scale : {0x1p-1000, 0x1p-600, 0x1p-200, 0x1p200, 0x1p500, 0x1p1000}) {
            const RayHit hit = castRay(raster, pyramid, {ray.origin, ray.direction * scale});
            ASSERT_EQ(hit.hit(), plain.hit()) << scale;
            if (!hit.hit()) continue;
            EXPECT_NEAR(length(hit.position - plain.position), 0, 1e-9);
        }
    }
    // Beyond what a double holds: a miss, never a wrong number.
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    const RayHit slow = castRay(raster, pyramid, {{0, 1000, 0}, {0, -kLeast, 0}});
    EXPECT_TRUE(slow.status == RayStatus::Miss);
    EXPECT_TRUE(castRay(raster, pyramid, {{0, 100, 0}, {kLeast, -1, -kLeast}}).hit());
    EXPECT_TRUE(castRay(raster, pyramid, {{0, 100, 0}, {1e-300, -1e-3, 1e-280}}).hit());
    EXPECT_EQ(castRay(raster, pyramid, {{0, 100, 0}, {1e-300, 0, 0}}).status, RayStatus::Miss);
    castRay(raster, pyramid, {{1e300, 1e300, -1e300}, {-1e300, -1e300, 1e300}});
    castRay(raster, pyramid, {{-1e308, 5, 0}, {1e308, kLeast, 1}});
}

TEST(HeightRay, FarOriginsKeepTheirAim) {
    Random random(13);
    const HeightRaster raster =
        makeRaster({65, 65, {-1e5, 2e5, -1e5 + 65, 2e5 + 65}, 0, 20, false, false, 0}, random);
    const HeightPyramid pyramid(raster);
    Tally tally;
    for (int i = 0; i < 1000; ++i) {
        const Ray near = makeRay(raster, static_cast<Kind>(1 + i % 3), random);
        const Vec3d d = normalized(near.direction);
        ASSERT_NO_FATAL_FAILURE(checkRay(raster, pyramid, {near.origin - d * 1e6, d}, kInfinity, tally));
    }
    EXPECT_GT(tally.hits, 500);
}

TEST(HeightRay, SameHitsFromEveryCompiler) {
    Random random(2024);
    const HeightRaster raster =
        makeRaster({129, 97, {-64.5, -48.5, 64.5, 48.5}, 0, 40, false, true, 0.02}, random);
    const HeightPyramid pyramid(raster);
    Hasher hasher;
    int hits = 0;
    while (hits < 20000) {
        const Ray ray = makeRay(raster, static_cast<Kind>(hits % kKinds), random);
        const RayHit hit = castRay(raster, pyramid, ray);
        if (!hit.hit()) {
            hasher.u32(0);
            random.next();
            if (random.chance(0.5)) ++hits;
            continue;
        }
        ++hits;
        hasher.u32(1 + (hit.lowerTriangle ? 2u : 0u) + (hit.fromBelow ? 4u : 0u));
        hasher.u32(static_cast<std::uint32_t>(hit.cellX)).u32(static_cast<std::uint32_t>(hit.cellZ));
        hasher.f64(hit.t).f64(hit.position.x).f64(hit.position.y).f64(hit.position.z);
        hasher.f32(hit.normal.x).f32(hit.normal.y).f32(hit.normal.z);
    }
    EXPECT_EQ(hasher.value(), 0x4e938829538fc0a3u) << std::hex << "0x" << hasher.value();
}

}  // namespace
}  // namespace karst::heightfield
