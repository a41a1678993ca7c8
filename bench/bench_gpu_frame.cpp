// Frames of streamed height tiles at 1920 x 1080. Times of passes are the GPU's own, by timestamps; a floor
// draws the same triangles from a static buffer of clip positions with one flat colour. $KARST_BENCH_SIDE:
// samples along a side of the ground (2049; the figures of the documentation are of 16385).
#include <benchmark/benchmark.h>
#include <karst/heightfield_lod/tile_selection.h>
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst/heightfield_mesh/tile_mesh.h>
#include <karst/render/ground_shading.h>
#include <karst/render/node_mesh_writer.h>
#include <karst/render/terrain_pass.h>
#include <karst/render/tile_terrain.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "gpu_floor.h"
#include "gpu_ground.h"

namespace {

using namespace karst;
using namespace karst::heightfield;
using render::PassKind;
using render::RenderView;
using SteadyClock = std::chrono::steady_clock;

constexpr int kWidth = 1920, kHeight = 1080;
constexpr int kCascades = 2;

int groundSide() {
    const char* text = std::getenv("KARST_BENCH_SIDE");
    return text ? std::max(std::atoi(text), 129) : 2049;
}

struct Rig {
    ThreadPool threads;
    Externals externals;
    HeightRaster raster;
    bench::StreamedGround ground;
    bench::GpuTarget target{bench::gpu(), kWidth, kHeight};
    bench::GpuClock clock{bench::gpu()};
    render::SceneUniforms scene;
    render::TilePass depth, lit, visibility, casters;
    render::GroundShading shading;
    render::TileTerrain terrain;

    static Externals over(ThreadPool& pool) {
        Externals out;
        out.jobs = &pool;
        return out;
    }
    static Surface pyramidOf(const HeightRaster& raster, const Externals& externals) {
        RasterInput input(raster);
        return bench::orExit(buildSurface(input, {}, externals));
    }
    render::TilePass pass(const render::PassTarget& target_) {
        return bench::orExit(render::TilePass::create(bench::gpu().description(), scene, {target_}));
    }

    Rig()
        : externals(over(threads)),
          raster(bench::mountains(groundSide(), threads)),
          ground(pyramidOf(raster, externals), externals),
          scene(bench::orExit(render::SceneUniforms::create(
              bench::gpu().description(), {.cascades = kCascades, .cascadeResolution = 2048}))),
          depth(pass({PassKind::DepthPrepass, target.formats()})),
          lit(pass({PassKind::Lit, target.formats()})),
          visibility(pass(target.visibility())),
          casters(pass(render::ShadowMaps::target())),
          shading(bench::orExit(render::GroundShading::create(bench::gpu().description(), scene))),
          terrain(bench::orExit(
              render::TileTerrain::create(bench::gpu().description(), {.externals = externals}))) {
        bench::orExit(shading.bind(0, target.shadingImages()));
    }

    // Over the ground, looking along it: near slopes and the far horizon.
    render::SceneSettings settings(double along) const {
        const Rect rect = raster.rect();
        const double x = rect.minX + rect.width() * 0.35 + along, z = rect.minZ + rect.depth() * 0.4;
        const double y = raster.heightAt(x, z).value_or(2000) + 120;
        render::SceneSettings out;
        out.camera = bench::orExit(
            CameraView::lookAt({x, y, z}, {x + 1000, y - 180, z + 400}, 1.0, double{kWidth} / kHeight, 0.5));
        out.materials.lowHeight = raster.heightRange().min;
        out.materials.highHeight = raster.heightRange().max;
        out.cascades.count = kCascades;
        out.cascades.distance = 4000;
        return out;
    }
    static TileView viewOf(const render::SceneSettings& s) {
        TileView view;
        view.eye = s.camera.position;
        view.projectionScale = kHeight / (2 * std::tan(s.camera.verticalFov / 2));
        return view;
    }
    // The camera, then the cascades.
    std::vector<RenderView> views(const render::SceneSettings& s) const {
        std::vector<RenderView> out{render::cameraView(s.camera)};
        const auto cascades = render::fitCascades(s.camera, s.sun.direction, s.cascades, 2048);
        out.insert(out.end(), cascades.views.begin(), cascades.views.begin() + cascades.count);
        return out;
    }
    render::TerrainStats prepare(VkCommandBuffer commands, const Surface& surface,
                                 const render::SceneSettings& s) {
        const auto stats = bench::orExit(terrain.prepare(surface, s.camera, kHeight, {}, views(s)));
        bench::orExit(scene.recordUpdate(commands, s));
        terrain.recordUploads(commands);
        return stats;
    }
    render::TerrainStats prepareNow(const Surface& surface, const render::SceneSettings& s) {
        render::TerrainStats stats;
        bench::orExit(app::submitAndWait(bench::gpu(), [&](VkCommandBuffer commands) -> Result<void> {
            stats = prepare(commands, surface, s);
            return {};
        }));
        return stats;
    }
    void drawDepth(VkCommandBuffer commands) {
        target.begin(commands, false, true);
        terrain.record(commands, scene, 0, depth, target.area());
        target.end(commands);
    }
    render::TileDrawStats drawLit(VkCommandBuffer commands) {
        target.begin(commands, true, false);
        const auto drawn = terrain.record(commands, scene, 0, lit, target.area());
        target.end(commands);
        return drawn;
    }
    // The same light, by compute.
    render::TileDrawStats drawShaded(VkCommandBuffer commands) {
        target.beginVisibility(commands);
        const auto drawn = terrain.record(commands, scene, 0, visibility, target.area());
        target.endVisibility(commands);
        shading.recordTiles(commands, scene, terrain, 0, 0, target.area());
        target.releaseDepth(commands);
        return drawn;
    }
    void drawShadows(VkCommandBuffer commands) {
        render::ShadowMaps& maps = scene.shadowMaps();
        for (int i = 0; i < kCascades; ++i) {
            maps.recordBeginCascade(commands, i);
            terrain.record(commands, scene, static_cast<std::size_t>(i + 1), casters, maps.cascadeArea());
            maps.recordEnd(commands);
        }
    }
};

Rig& rig() {
    static Rig one;
    return one;
}

// The settled frame that the passes below draw.
const render::TerrainStats& settled() {
    static const render::TerrainStats stats = [] {
        const auto s = rig().settings(0);
        return rig().prepareNow(rig().ground.settle(Rig::viewOf(s)), s);
    }();
    return stats;
}

void say(benchmark::State& state, const render::TerrainStats& stats) {
    state.counters["tiles"] = stats.drawn;
    state.counters["triangles"] = static_cast<double>(stats.cameraTriangles);
    state.counters["MB"] = static_cast<double>(stats.layerBytes) * 1e-6;
}

// What the camera draws, as a static buffer of clip positions.
const bench::FloorMesh& floorMesh() {
    static const bench::FloorMesh floor = [] {
        const auto s = rig().settings(0);
        const Surface& surface = rig().ground.settle(Rig::viewOf(s));
        TileSelector selector(rig().externals);
        const TileSelection selection = selector.select(surface, Rig::viewOf(s), 2);
        std::vector<TileNode> seen;
        const Frustum frustum = s.camera.frustum();
        for (const TileNode& node : selection.nodes) {
            const HeightTile* tile = surface.find(node.key);
            const Rect r = surface.layout().footprint(node.key);
            const Bounds box{{r.minX, tile->bounds.min, r.minZ}, {r.maxX, tile->bounds.max, r.maxZ}};
            if (frustum.mayTouch(box)) seen.push_back(node);
        }
        TileMesh mesh;
        const WorldPosition origin = render::sceneOrigin(s.camera);
        const auto layout = VertexLayout::compact();
        buildTileMesh(surface, seen, layout, origin, mesh, rig().threads);
        const Mat4f m = s.camera.viewProjection(origin);
        for (std::size_t v = 0; v + 3 < mesh.vertices.size(); v += 4) {
            float p[3], clip[4];
            std::memcpy(p, &mesh.vertices[v], sizeof p);
            for (int row = 0; row < 4; ++row)
                clip[row] = m.at(row, 0) * p[0] + m.at(row, 1) * p[1] + m.at(row, 2) * p[2] + m.at(row, 3);
            std::memcpy(&mesh.vertices[v], clip, sizeof clip);
        }
        std::vector<float> clips(mesh.vertices.size());
        std::memcpy(clips.data(), mesh.vertices.data(), clips.size() * sizeof(float));
        return bench::makeFloor(clips, mesh.indices);
    }();
    return floor;
}

void floorDepth(benchmark::State& state) {
    bench::timeFloorDepth(state, rig().target, rig().clock, floorMesh());
}
BENCHMARK(floorDepth)->UseManualTime()->Unit(benchmark::kMicrosecond);

void tilesDepth(benchmark::State& state) {
    say(state, settled());
    bench::timeRepeated(state, rig().clock, [&](VkCommandBuffer commands) -> Result<void> {
        rig().drawDepth(commands);
        return {};
    });
}
BENCHMARK(tilesDepth)->UseManualTime()->Unit(benchmark::kMicrosecond);

void floorLit(benchmark::State& state) {
    bench::timeFloorLit(state, rig().target, rig().clock, floorMesh());
}
BENCHMARK(floorLit)->UseManualTime()->Unit(benchmark::kMicrosecond);

// `draw`: the lit picture, over a depth that is there and with shadows that are.
void timeLit(benchmark::State& state, FunctionRef<render::TileDrawStats(VkCommandBuffer)> draw) {
    say(state, settled());
    render::TileDrawStats drawn;
    bench::timeRepeated(
        state, rig().clock,
        [&](VkCommandBuffer commands) -> Result<void> {
            rig().drawShadows(commands);
            rig().drawDepth(commands);
            return {};
        },
        [&](VkCommandBuffer commands) -> Result<void> {
            drawn = draw(commands);
            return {};
        });
    state.counters["draws"] = drawn.draws;
}

void tilesLit(benchmark::State& state) {
    timeLit(state, [](VkCommandBuffer commands) { return rig().drawLit(commands); });
}
BENCHMARK(tilesLit)->UseManualTime()->Unit(benchmark::kMicrosecond);

// The same picture from visibility, by compute.
void tilesShaded(benchmark::State& state) {
    timeLit(state, [](VkCommandBuffer commands) { return rig().drawShaded(commands); });
}
BENCHMARK(tilesShaded)->UseManualTime()->Unit(benchmark::kMicrosecond);

void tilesTwoCascades(benchmark::State& state) {
    state.counters["triangles"] = static_cast<double>(settled().shadowTriangles);
    bench::timeRepeated(state, rig().clock, [&](VkCommandBuffer commands) -> Result<void> {
        rig().drawShadows(commands);
        return {};
    });
}
BENCHMARK(tilesTwoCascades)->UseManualTime()->Unit(benchmark::kMicrosecond);

// The CPU's part of a settled frame: prepare, and record two cascades, depth and lit.
void cpuPrepareAndRecord(benchmark::State& state) {
    const auto s = rig().settings(0);
    const Surface& surface = rig().ground.settle(Rig::viewOf(s));
    for (auto _ : state) {
        double seconds = 0;
        bench::orExit(app::submitAndWait(bench::gpu(), [&](VkCommandBuffer commands) -> Result<void> {
            const auto begin = SteadyClock::now();
            rig().prepare(commands, surface, s);
            rig().drawShadows(commands);
            rig().drawDepth(commands);
            rig().drawShaded(commands);
            seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
            return {};
        }));
        state.SetIterationTime(seconds);
    }
}
BENCHMARK(cpuPrepareAndRecord)->UseManualTime()->Unit(benchmark::kMicrosecond);

// 300 units a second at 60 frames a second; the streamer's update is not part of the time, all else is.
void flight(benchmark::State& state) {
    std::vector<double> frames;
    std::uint64_t uploads = 0, most = 0;
    double along = 0;
    for (auto _ : state) {
        const auto s = rig().settings(along += 5);
        const Surface& surface = rig().ground.update(Rig::viewOf(s));
        double cpu = 0;
        render::TerrainStats stats;
        const double gpu = rig().clock.seconds([&](VkCommandBuffer commands) -> Result<void> {
            const auto begin = SteadyClock::now();
            stats = rig().prepare(commands, surface, s);
            rig().drawShadows(commands);
            rig().drawDepth(commands);
            rig().drawShaded(commands);
            cpu = std::chrono::duration<double>(SteadyClock::now() - begin).count();
            return {};
        });
        uploads += stats.uploadBytes;
        most = std::max(most, stats.uploadBytes);
        frames.push_back(cpu + gpu);
        state.SetIterationTime(cpu + gpu);
    }
    std::sort(frames.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(frames.size(), 20)),
              frames.end());
    const std::vector<double> warm(
        frames.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(frames.size() - 1, 20)),
        frames.end());
    state.counters["median_us"] = warm[warm.size() / 2] * 1e6;
    state.counters["p99_us"] = warm[warm.size() * 99 / 100] * 1e6;
    state.counters["worst_us"] = warm.back() * 1e6;
    state.counters["upload_KB"] = static_cast<double>(uploads) / static_cast<double>(frames.size()) * 1e-3;
    state.counters["most_upload_KB"] = static_cast<double>(most) * 1e-3;
}
BENCHMARK(flight)->UseManualTime()->Unit(benchmark::kMicrosecond)->Iterations(1200);

// The same ground as one mesh in one draw, with about as many nodes' triangles as the tiles have (argument:
// nodes).
void nodeMeshLit(benchmark::State& state) {
    const auto s = rig().settings(0);
    NodeCutOptions options;
    options.maxNodes = static_cast<std::uint32_t>(state.range(0));
    options.splitDistance = 4;
    auto pool = bench::orExit(NodePool::create(rig().raster, options));
    const auto layout = VertexLayout::compact();
    const render::VulkanDevice device = bench::gpu().description();
    auto buffers = bench::orExit(render::NodeMeshBuffers::create(
        device, {.vertexBytes = pool.vertexCapacity() * layout.strideWords * 4,
                 .indexBytes = pool.indexCapacity() * 4,
                 .framesInFlight = 1}));
    auto writer = render::NodeMeshWriter::create(device, buffers, pool, rig().raster, layout);
    if (!writer) {
        state.SkipWithError(writer.error().message.c_str());
        return;
    }
    auto depth = bench::orExit(render::TerrainPass::create(
        device, rig().scene, {.target = {PassKind::DepthPrepass, rig().target.formats()}, .layout = layout}));
    auto lit = bench::orExit(render::TerrainPass::create(
        device, rig().scene, {.target = {PassKind::Lit, rig().target.formats()}, .layout = layout}));
    bench::orExit(app::submitAndWait(bench::gpu(), [&](VkCommandBuffer commands) -> Result<void> {
        bench::orExit(rig().scene.recordUpdate(commands, s));
        const auto update = bench::orExit(pool.update(rig().raster, s.camera.position));
        (void)bench::orExit(writer->record(commands, pool, rig().raster, update));
        return {};
    }));
    const auto draw = [&](VkCommandBuffer commands, const render::TerrainPass& pass, bool color) {
        rig().target.begin(commands, color, !color);
        pass.record(commands, rig().scene, rig().scene.camera(), buffers, pool.indexCount(),
                    rig().target.area());
        rig().target.end(commands);
        return Result<void>{};
    };
    bench::timeRepeated(
        state, rig().clock, [&](VkCommandBuffer commands) { return draw(commands, depth, false); },
        [&](VkCommandBuffer commands) { return draw(commands, lit, true); });
    state.counters["triangles"] = pool.indexCount() / 3;
    state.counters["nodes"] = pool.nodeCount();
    state.counters["MB"] = static_cast<double>(buffers.vertexBytes() + buffers.indexBytes()) * 1e-6;
}
BENCHMARK(nodeMeshLit)->UseManualTime()->Unit(benchmark::kMicrosecond)->Arg(512)->Arg(2048);

}  // namespace
