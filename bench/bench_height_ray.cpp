// Closest-hit rays against a 1025 x 1025 raster of spacing 1, with the pyramid and by a plain walk over the
// cells. items_per_second are rays; `missed` counts the rays that hit nothing, height_error is the
// farthest that a hit of a part of the rays lies above or below the plain walk's.

#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/heightfield/height_ray.h>
#include <karst/heightfield/height_triangle.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace {

using namespace karst;
using namespace karst::heightfield;

constexpr int kSide = 1025;

double unitOf(std::uint64_t& state) {
    state = mix64(state);
    return static_cast<double>(state >> 11) * 0x1p-53;
}

double gradientNoise(double x, double z, std::uint64_t octave) {
    const double ix = std::floor(x), iz = std::floor(z), fx = x - ix, fz = z - iz;
    const auto corner = [&](int cx, int cz) {
        const std::uint64_t key =
            octave << 48 | static_cast<std::uint64_t>(ix + cx) << 24 | static_cast<std::uint64_t>(iz + cz);
        const double angle = static_cast<double>(mix64(key) >> 11) * 0x1p-53 * 2 * std::numbers::pi;
        return std::cos(angle) * (fx - cx) + std::sin(angle) * (fz - cz);
    };
    const auto fade = [](double t) { return t * t * t * (t * (t * 6 - 15) + 10); };
    const double u = fade(fx), v = fade(fz);
    const double a = corner(0, 0) + u * (corner(1, 0) - corner(0, 0));
    const double b = corner(0, 1) + u * (corner(1, 1) - corner(0, 1));
    return a + v * (b - a);
}

struct Field {
    HeightRaster raster;
    HeightPyramid pyramid;
    double min, max, top97;
};

const Field& field() {
    static const Field made = [] {
        std::vector<double> noise;
        for (int z = 0; z < kSide; ++z) {
            for (int x = 0; x < kSide; ++x) {
                double sum = 0, frequency = 1.0 / 256, amplitude = 1;
                for (std::uint64_t octave = 0; octave < 8; ++octave, frequency *= 2, amplitude *= 0.45)
                    sum += amplitude * gradientNoise(x * frequency, z * frequency, octave);
                noise.push_back(sum);
            }
        }
        const auto [low, high] = std::minmax_element(noise.begin(), noise.end());
        const double base = *low, scale = 100 / (*high - *low);
        Vector<float> heights;
        for (const double n : noise)
            heights.push_back(static_cast<float>((n - base) * scale));
        std::vector<float> sorted(heights.begin(), heights.end());
        const auto at97 = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 97 / 100);
        std::nth_element(sorted.begin(), at97, sorted.end());
        HeightRaster raster = std::move(*HeightRaster::create(
            {kSide, kSide, rectOfSamples(0, 0, kSide, kSide, 1, 1), {}}, std::move(heights)));
        HeightPyramid pyramid(raster);
        const HeightRange range = raster.heightRange();
        return Field{std::move(raster), std::move(pyramid), range.min, range.max, *at97};
    }();
    return made;
}

enum Kind { kVertical, kSteep, kGrazing, kSkim, kVertex, kEdge, kTiltedVertex };

std::vector<Ray> makeRays(Kind kind, std::size_t count) {
    const Field& f = field();
    std::uint64_t state = 17 + static_cast<std::uint64_t>(kind);
    const auto range = [&](double low, double high) { return low + (high - low) * unitOf(state); };
    const double top = f.max + 20, last = kSide - 1;
    const auto lattice = [&] { return std::floor(range(1, last)); };
    const auto border = [&](int side, double along) -> Vec3d {
        if (side < 2) return {side == 0 ? 0 : last, 0, along};
        return {along, 0, side == 2 ? 0 : last};
    };
    std::vector<Ray> rays;
    while (rays.size() < count) {
        switch (kind) {
            case kVertical:
                rays.push_back({{range(0, last), top, range(0, last)}, {0, -1, 0}});
                break;
            case kSteep: {
                const double tilt = std::tan(range(0, std::numbers::pi / 4));
                const double turn = range(0, 2 * std::numbers::pi);
                const Vec3d d{tilt * std::cos(turn), -1, tilt * std::sin(turn)};
                rays.push_back({{range(0, last), top, range(0, last)}, d * (top - f.min + 1)});
                break;
            }
            case kGrazing: {
                const int side = static_cast<int>(range(0, 4));
                Vec3d from = border(side, range(0, last)), to = border(side ^ 1, range(0, last));
                from.y = f.max + 1;
                to.y = f.min + range(0, 0.5) * (f.max - f.min);
                rays.push_back({from, to - from});
                break;
            }
            case kSkim: {
                const int side = static_cast<int>(range(0, 4));
                Vec3d from = border(side, range(0, last)), to = border(side ^ 1, range(0, last));
                from.y = to.y = range(f.top97, f.max + 2);
                const Vec3d d = to - from;
                rays.push_back({from - d * 0.1, d * 1.2});
                break;
            }
            case kVertex:
                rays.push_back({{lattice(), top, lattice()}, {0, -1, 0}});
                break;
            case kEdge: {
                const double share = std::floor(range(0, 1025)) / 1024, x = lattice(), z = lattice();
                const int way = static_cast<int>(range(0, 3));
                rays.push_back(
                    {{x + (way != 1 ? share : 0), top, z + (way != 0 ? 1 - share : 0)}, {0, -1, 0}});
                break;
            }
            case kTiltedVertex: {
                const int x = static_cast<int>(lattice()), z = static_cast<int>(lattice());
                const double tilt = std::tan(range(0, std::numbers::pi / 4));
                const double turn = range(0, 2 * std::numbers::pi);
                const Vec3d d{tilt * std::cos(turn), -1, tilt * std::sin(turn)};
                const Vec3d vertex{double(x), f.raster.texel(x, z), double(z)};
                // Within the walls of the raster from the start to under the ground.
                rays.push_back({vertex - d * 0.5, d});
                break;
            }
        }
    }
    return rays;
}

/// The plain way: every cell under the ray in turn, each tested by the sign of the ray's height over it.
RayHit walkCells(const HeightRaster& raster, const Ray& ray) {
    const Vec3d o = ray.origin, d = ray.direction;
    const double u = o.x - raster.texelX(0), v = o.z - raster.texelZ(0);
    double begin = 0, end = d.x == 0 && d.z == 0 ? 1e9 : 1e300;
    const auto clip = [&](double at, double step, double low, double high) {
        if (step == 0) return;
        const double a = (low - at) / step, b = (high - at) / step;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    };
    clip(u, d.x, -0.5, raster.columns() - 0.5);
    clip(v, d.z, -0.5, raster.rows() - 0.5);
    RayHit hit;
    const HeightRange& range = raster.heightRange();
    clip(o.y, d.y, range.min - 0.01, range.max + 0.01);
    if (begin > end || (d.y == 0 && (o.y > range.max || o.y < range.min))) return hit;
    const auto cellOf = [](double a, int count) {
        return std::clamp(static_cast<int>(std::floor(a)), -1, count - 1);
    };
    int x = cellOf(u + begin * d.x, raster.columns()), z = cellOf(v + begin * d.z, raster.rows());
    const int stepX = d.x > 0 ? 1 : -1, stepZ = d.z > 0 ? 1 : -1;
    const double perX = d.x != 0 ? 1 / d.x : 1e300, perZ = d.z != 0 ? 1 / d.z : 1e300;
    double t = begin;
    for (;;) {
        const double nextX = d.x != 0 ? (x + (stepX > 0 ? 1 : 0) - u) * perX : 1e300;
        const double nextZ = d.z != 0 ? (z + (stepZ > 0 ? 1 : 0) - v) * perZ : 1e300;
        const double out = std::min({nextX, nextZ, end});
        const int x0 = std::max(x, 0), x1 = std::min(x + 1, raster.columns() - 1);
        const int z0 = std::max(z, 0), z1 = std::min(z + 1, raster.rows() - 1);
        const double h00 = raster.texel(x0, z0), h10 = raster.texel(x1, z0);
        const double h01 = raster.texel(x0, z1), h11 = raster.texel(x1, z1);
        const auto above = [&](double at) {
            const double fx = u + at * d.x - x, fz = v + at * d.z - z;
            return o.y + at * d.y - cellHeight(h00, h10, h01, h11, fx, fz);
        };
        double in = t, aboveIn = above(t);
        const double slope = d.x + d.z;
        const double diagonal = slope != 0 ? (x + z + 1 - u - v) / slope : -1;
        for (const double stop : {diagonal > t && diagonal < out ? diagonal : out, out}) {
            const double aboveStop = above(stop);
            if (aboveIn >= 0 && aboveStop <= 0) {
                const double drop = aboveIn - aboveStop;
                hit.status = RayStatus::Hit;
                hit.t = drop > 0 ? in + (stop - in) * (aboveIn / drop) : in;
                hit.position = ray.at(hit.t);
                return hit;
            }
            in = stop;
            aboveIn = aboveStop;
        }
        if (out >= end) return hit;
        t = out;
        if (nextX <= nextZ) {
            x += stepX;
            if (x < -1 || x >= raster.columns()) return hit;
        } else {
            z += stepZ;
            if (z < -1 || z >= raster.rows()) return hit;
        }
    }
}

template <class CastFunction>
void castAll(benchmark::State& state, const std::vector<Ray>& rays, CastFunction cast) {
    std::size_t missed = 0;
    for (auto _ : state) {
        missed = 0;
        double sum = 0;
        for (const Ray& ray : rays) {
            const RayHit hit = cast(ray);
            missed += hit.hit() ? 0 : 1;
            sum += hit.t;
        }
        benchmark::DoNotOptimize(sum);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rays.size()));
    state.counters["missed"] = static_cast<double>(missed);
    state.counters["rays"] = static_cast<double>(rays.size());
}

void withPyramid(benchmark::State& state, Kind kind) {
    const Field& f = field();
    const std::vector<Ray> rays = makeRays(kind, 20000);
    castAll(state, rays, [&](const Ray& ray) { return castRay(f.raster, f.pyramid, ray); });
    double worst = 0;
    for (std::size_t i = 0; i < rays.size(); i += 20) {
        const RayHit hit = castRay(f.raster, f.pyramid, rays[i]), plain = walkCells(f.raster, rays[i]);
        if (hit.hit() && plain.hit()) worst = std::max(worst, std::abs(hit.position.y - plain.position.y));
    }
    state.counters["height_error"] = worst;
}

void byCells(benchmark::State& state, Kind kind) {
    const Field& f = field();
    castAll(state, makeRays(kind, kind == kGrazing || kind == kSkim ? 2000 : 20000),
            [&](const Ray& ray) { return walkCells(f.raster, ray); });
}

#define KARST_RAY_BENCH(name, kind)                                            \
    BENCHMARK_CAPTURE(withPyramid, name, kind)->Unit(benchmark::kMillisecond); \
    BENCHMARK_CAPTURE(byCells, name, kind)->Unit(benchmark::kMillisecond)

KARST_RAY_BENCH(vertical, kVertical);
KARST_RAY_BENCH(steep, kSteep);
KARST_RAY_BENCH(grazing, kGrazing);
KARST_RAY_BENCH(skim, kSkim);
KARST_RAY_BENCH(vertex, kVertex);
KARST_RAY_BENCH(edge, kEdge);
KARST_RAY_BENCH(tiltedVertex, kTiltedVertex);

/// items are texels; the pyramid's own bytes a texel beside.
void buildPyramid(benchmark::State& state) {
    const Field& f = field();
    for (auto _ : state) {
        const HeightPyramid pyramid(f.raster);
        benchmark::DoNotOptimize(pyramid.nodes().data());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kSide * kSide);
    state.counters["bytes_per_sample"] = static_cast<double>(f.pyramid.memoryBytes()) / kSide / kSide;
}
BENCHMARK(buildPyramid)->Unit(benchmark::kMicrosecond);

/// 8 x 8 texels of the raster changed, as a digging tool does.
void updatePyramid(benchmark::State& state) {
    HeightRaster raster = field().raster;
    HeightPyramid pyramid(raster);
    int x = 0;
    for (auto _ : state) {
        x = (x + 37) % (kSide - 8);
        const std::vector<float> heights(64, static_cast<float>(x % 90));
        benchmark::DoNotOptimize(raster.setHeights({x, x, x + 8, x + 8}, heights).ok());
        pyramid.update(raster);
    }
}
BENCHMARK(updatePyramid)->Unit(benchmark::kMicrosecond);

}  // namespace
