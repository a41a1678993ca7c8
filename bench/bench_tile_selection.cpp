// Selection of tiles in a layout of 48,897 x 30,465 samples (spec rows H11 - H15): one core, a camera that
// never comes back to a place, everything that it asks for resident. About 400 tiles are selected.
#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/heightfield_lod/selection_v1.h>
#include <karst/heightfield_lod/tile_selection.h>

#include <cmath>
#include <map>
#include <vector>

namespace {

using namespace karst;
using namespace karst::heightfield;

constexpr int kViews = 256;

double unit(std::uint64_t key) {
    return static_cast<double>(mix64(key) >> 11) * 0x1p-53;
}

// A tile without samples, which selection does not read: children within their parent's bounds and errors.
TilePtr syntheticTile(const TileLayout& layout, const TileKey& key, const HeightTile* parent) {
    auto tile = std::make_shared<HeightTile>();
    tile->key = key;
    tile->side = layout.tileSide();
    tile->bounds = parent != nullptr ? parent->bounds : HeightRange{0, 3000};
    const float range = (tile->bounds.max - tile->bounds.min) * 0.3f;
    tile->bounds.min += range * static_cast<float>(unit(key.packed()));
    tile->bounds.max -= range * static_cast<float>(unit(key.packed() + 1));
    tile->firstErrorLevel = key.level;
    for (std::uint32_t i = 0; i <= layout.tileLevels(); ++i) {
        const std::int32_t level = key.level + static_cast<std::int32_t>(i);
        double error = level == 0 ? 0 : 1.5 * std::pow(1.8, level);
        if (parent != nullptr && i > 0) error = parent->errors[i - 1] * (0.8 + 0.2 * unit(key.packed() + i));
        tile->errors.push_back(error);
    }
    for (std::size_t i = tile->errors.size() - 1; i > 0; --i)
        tile->errors[i - 1] = std::min(tile->errors[i - 1], tile->errors[i]);
    return tile;
}

struct World {
    TileLayout layout = *makeTileLayout(48897, 30465, 64, 0, 10, 10, {0, 3000});
    std::vector<TileView> views;
    Surface surface;

    World() {
        for (int i = 0; i < kViews; ++i) {
            const double angle = i * 0.0137;
            TileView view;
            view.eye = {489000 * (0.5 + 0.3 * std::cos(angle)), 3400,
                        304000 * (0.5 + 0.3 * std::sin(angle * 1.3))};
            view.projectionScale = 1080 / (2 * std::tan(0.5));
            view.tolerance = 0.83;
            views.push_back(view);
        }
        std::map<TileKey, TilePtr> tiles;
        for (std::uint32_t z = 0; z < layout.rootsZ; ++z) {
            for (std::uint32_t x = 0; x < layout.rootsX; ++x) {
                const TileKey key{layout.rootLevel(), x, z};
                tiles[key] = syntheticTile(layout, key, nullptr);
            }
        }
        TileSelector selector;
        for (bool more = true; more;) {
            std::vector<TilePtr> sorted;
            for (const auto& [key, tile] : tiles)
                sorted.push_back(tile);
            surface = Surface::publish(layout, std::move(sorted), 0, Surface::newLineage(), 1);
            more = false;
            for (const TileView& view : views) {
                for (const WantedTile& wanted : selector.select(surface, view).wanted) {
                    TilePtr& tile = tiles[wanted.key];
                    if (tile != nullptr) continue;
                    tile = syntheticTile(layout, wanted.key, tiles.at(wanted.key.parent()).get());
                    more = true;
                }
            }
        }
    }
};

const World& world() {
    static const World instance;
    return instance;
}

void select400(benchmark::State& state) {
    TileSelector selector;
    std::size_t nodes = 0, used = 0, step = 0;
    for (auto _ : state) {
        const TileSelection selection = selector.select(world().surface, world().views[step++ % kViews]);
        nodes += selection.nodes.size();
        used += selection.used.size();
        benchmark::DoNotOptimize(selection.nodes.data());
    }
    state.counters["nodes"] = double(nodes) / double(step);
    state.counters["walked"] = double(used) / double(step);
    state.counters["resident"] = double(world().surface.tiles().size());
}
BENCHMARK(select400)->Unit(benchmark::kMicrosecond);

// A shadow cascade's view of the same selection.
void coarsen400(benchmark::State& state) {
    TileSelector selector;
    const TileSelection selection = selector.select(world().surface, world().views[0]);
    std::vector<float> coarsest;
    for (const TileNode& node : selection.nodes)
        coarsest.push_back(static_cast<float>(node.key.level + 6 * unit(node.key.packed())));
    for (auto _ : state)
        benchmark::DoNotOptimize(selector.coarsen(coarsest).nodes.data());
    state.counters["nodes"] = double(coarsest.size());
}
BENCHMARK(coarsen400)->Unit(benchmark::kMicrosecond);

// The reference: as many patches of a version 1 terrain, without a tree.
void selectTerrainV1(benchmark::State& state) {
    const std::uint32_t side = 20;
    std::vector<double> errors;
    for (int i = 0; i <= 6; ++i)
        errors.push_back(i == 0 ? 0 : 1.5 * std::pow(1.8, i));
    std::vector<TerrainPatchV1> patches;
    for (std::uint32_t z = 0; z < side; ++z) {
        for (std::uint32_t x = 0; x < side; ++x) {
            const double x0 = x * 640.0, z0 = z * 640.0;
            patches.push_back({{{x0, 0, z0}, {x0 + 640, 500, z0 + 640}}, errors});
        }
    }
    const TerrainPatchesV1 terrain{64, side, side, 10, 10, patches};
    std::vector<TerrainPatchLodV1> lods(patches.size());
    TileView view = world().views[0];
    std::size_t step = 0;
    for (auto _ : state) {
        view.eye = {6400 + 4000 * std::cos(double(step) * 0.01), 700, 6400.0 + double(step % 1000)};
        ++step;
        selectTerrain(terrain, view, lods);
        benchmark::DoNotOptimize(lods.data());
    }
    state.counters["nodes"] = double(lods.size());
}
BENCHMARK(selectTerrainV1)->Unit(benchmark::kMicrosecond);

}  // namespace
