// Queries of a resident surface and the synthesis of detail: one core. heightAt and rays go over 4096 x 4096
// samples in tiles of 64 cells with all their coarser levels; the plain two-triangle look-up in one flat
// array of the same samples is measured beside them.
#include <benchmark/benchmark.h>
#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield/surface_query.h>
#include <karst/heightfield/tile_detail.h>

#include <cmath>
#include <vector>

namespace {

using namespace karst;
using namespace karst::heightfield;

constexpr int kCells = 4096, kTileCells = 64;

float heightOf(int x, int z) {
    return static_cast<float>(300 * std::sin(x * 0.003) * std::cos(z * 0.004) +
                              20 * std::sin(x * 0.11 + z * 0.07) + 2 * std::sin(x * 1.3) * std::sin(z * 1.7));
}

const std::vector<float>& flat() {
    static const std::vector<float> samples = [] {
        std::vector<float> s;
        s.reserve(std::size_t(kCells + 1) * (kCells + 1));
        for (int z = 0; z <= kCells; ++z) {
            for (int x = 0; x <= kCells; ++x)
                s.push_back(heightOf(x, z));
        }
        return s;
    }();
    return samples;
}

float sampleAt(int x, int z) {
    x = std::clamp(x, 0, kCells);
    z = std::clamp(z, 0, kCells);
    return flat()[std::size_t(z) * (kCells + 1) + std::size_t(x)];
}

TilePtr tileOf(const TileLayout& layout, const TileKey& key) {
    auto tile = std::make_shared<HeightTile>();
    tile->key = key;
    tile->side = layout.tileSide();
    const int stride = 1 << key.level;
    HeightRange range{1e9f, -1e9f};
    for (int j = -1; j <= kTileCells + 1; ++j) {
        for (int i = -1; i <= kTileCells + 1; ++i) {
            const float h =
                sampleAt((int(key.x) * kTileCells + i) * stride, (int(key.z) * kTileCells + j) * stride);
            tile->samples.push_back(h);
            range = {std::min(range.min, h), std::max(range.max, h)};
        }
    }
    tile->bounds = range;
    tile->firstErrorLevel = key.level;
    tile->errors.assign(layout.tileLevels() + 1, 0.0);
    return tile;
}

const TileLayout& layout4k() {
    static const TileLayout layout =
        *makeTileLayout(kCells + 1, kCells + 1, kTileCells, 0, 1, 1, {-400, 400});
    return layout;
}

const Surface& surface4k() {
    static const Surface surface = [] {
        const TileLayout& layout = layout4k();
        std::vector<TilePtr> tiles;
        for (std::int32_t level = 0; level <= layout.rootLevel(); ++level) {
            for (std::uint32_t z = 0; z < layout.tilesZ(level); ++z) {
                for (std::uint32_t x = 0; x < layout.tilesX(level); ++x)
                    tiles.push_back(tileOf(layout, {level, x, z}));
            }
        }
        return *Surface::fromTiles(layout, std::move(tiles));
    }();
    return surface;
}

const SurfaceIndex& index4k() {
    static const SurfaceIndex index(surface4k());
    return index;
}

struct Point {
    double x, z;
};

/// Anywhere, or (span > 0) walking about within so many cells.
std::vector<Point> points(double span) {
    std::vector<Point> out;
    std::uint64_t state = 1;
    const auto unit = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return double(state >> 11) * 0x1p-53;
    };
    for (int i = 0; i < 1 << 20; ++i) {
        if (span > 0) {
            const double a = i * 1e-4;
            out.push_back(
                {2048 + 1500 * std::cos(a) + span * unit(), 2048 + 1500 * std::sin(a) + span * unit()});
        } else {
            out.push_back({unit() * kCells, unit() * kCells});
        }
    }
    return out;
}

template <class Query>
void overPoints(benchmark::State& state, const std::vector<Point>& at, Query query) {
    std::size_t i = 0;
    for (auto _ : state) {
        const Point& p = at[i++ & (at.size() - 1)];
        benchmark::DoNotOptimize(query(p.x, p.z));
    }
    state.SetItemsProcessed(state.iterations());
}

void flatLookup(benchmark::State& state) {
    flat();
    overPoints(state, points(double(state.range(0))), [](double x, double z) {
        const int i = std::min(int(x), kCells - 1), j = std::min(int(z), kCells - 1);
        const float* p = flat().data() + std::size_t(j) * (kCells + 1) + std::size_t(i);
        return cellHeight<double>(p[0], p[1], p[kCells + 1], p[kCells + 2], x - i, z - j);
    });
}
BENCHMARK(flatLookup)->Arg(0)->Arg(100);

void surfaceHeightAt(benchmark::State& state) {
    const Surface& surface = surface4k();
    overPoints(state, points(double(state.range(0))),
               [&](double x, double z) { return heightAt(surface, x, z); });
}
BENCHMARK(surfaceHeightAt)->Arg(0)->Arg(100);

void indexHeightAt(benchmark::State& state) {
    const SurfaceIndex& index = index4k();
    overPoints(state, points(double(state.range(0))),
               [&](double x, double z) { return index.heightAt(x, z); });
}
BENCHMARK(indexHeightAt)->Arg(0)->Arg(100);

void indexHeightsAt(benchmark::State& state) {
    const SurfaceIndex& index = index4k();
    std::vector<SurfacePoint> at;
    for (const Point& p : points(double(state.range(0))))
        at.push_back({p.x, p.z});
    std::vector<double> heights(at.size());
    for (auto _ : state) {
        index.heightsAt(at, heights);
        benchmark::DoNotOptimize(heights.data());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(at.size()));
}
BENCHMARK(indexHeightsAt)->Arg(0)->Arg(100);

void indexResidentHeightAt(benchmark::State& state) {
    const SurfaceIndex& index = index4k();
    overPoints(state, points(double(state.range(0))),
               [&](double x, double z) { return index.residentHeightAt(x, z); });
}
BENCHMARK(indexResidentHeightAt)->Arg(0)->Arg(100);

// From 500 above the ground's top, within `degrees` of straight down; 0: slanting from the eye at 10 degrees.
std::vector<Ray> raysOf(const benchmark::State& state) {
    const auto at = points(double(state.range(0)));
    const double tilt = double(state.range(1)) * 3.14159265 / 180;
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double angle = double(i) * 2.399963, s = std::sin(tilt), c = std::cos(tilt);
        rays.push_back({{at[i].x, 820, at[i].z}, {s * std::cos(angle), -c, s * std::sin(angle)}});
    }
    return rays;
}

void castRays(benchmark::State& state) {
    const SurfaceIndex& index = index4k();
    const std::vector<Ray> rays = raysOf(state);
    std::size_t i = 0, hits = 0;
    for (auto _ : state)
        hits += index.castRay(rays[i++ & (rays.size() - 1)]).hit() ? 1 : 0;
    state.SetItemsProcessed(state.iterations());
    state.counters["hits"] = double(hits) / double(state.iterations());
}
BENCHMARK(castRays)
    ->Args({0, 0})
    ->Args({0, 5})
    ->Args({0, 20})
    ->Args({100, 20})
    ->Args({0, 45})
    ->Args({0, 80})
    ->ArgNames({"span", "tilt"});

void castRaysTogether(benchmark::State& state) {
    const SurfaceIndex& index = index4k();
    const std::vector<Ray> rays = raysOf(state);
    constexpr std::size_t kTogether = 256;
    std::vector<SurfaceHit> hits(kTogether);
    std::size_t i = 0, met = 0;
    for (auto _ : state) {
        index.castRays({rays.data() + (i++ * kTogether & (rays.size() - 1)), kTogether}, hits);
        for (const SurfaceHit& hit : hits)
            met += hit.hit() ? 1 : 0;
    }
    const auto cast = state.iterations() * std::int64_t(kTogether);
    state.SetItemsProcessed(cast);
    state.counters["hits"] = double(met) / double(cast);
}
BENCHMARK(castRaysTogether)
    ->Args({0, 0})
    ->Args({0, 5})
    ->Args({0, 20})
    ->Args({100, 20})
    ->Args({0, 45})
    ->Args({0, 80})
    ->ArgNames({"span", "tilt"});

void buildIndex(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(SurfaceIndex(surface4k()).builtTiles());
    state.counters["bytes"] = double(index4k().memoryBytes());
}
BENCHMARK(buildIndex)->Unit(benchmark::kMillisecond);

void updateIndex(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(SurfaceIndex(surface4k(), &index4k()).builtTiles());
}
BENCHMARK(updateIndex)->Unit(benchmark::kMicrosecond);

void synthesise(benchmark::State& state) {
    TileDetailOptions options;
    options.levels = 2;
    const TileDetail detail = *TileDetail::create(layout4k(), options);
    const HeightTile& ancestor = *surface4k().find({0, 20, 30});
    const auto level = static_cast<std::int32_t>(-state.range(0));
    const auto depth = static_cast<std::uint32_t>(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(detail.synthesise({level, 20u << depth, 30u << depth}, ancestor));
}
BENCHMARK(synthesise)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

void resolveStored(benchmark::State& state) {
    const TileDetail detail = *TileDetail::create(layout4k(), {});
    const TilePtr tile = surface4k().share({0, 20, 30});
    for (auto _ : state)
        benchmark::DoNotOptimize(resolveStoredTile(tile, layout4k(), {}, &detail));
}
BENCHMARK(resolveStored)->Unit(benchmark::kMicrosecond);

}  // namespace
