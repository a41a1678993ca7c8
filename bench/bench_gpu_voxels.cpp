// Frames of streamed voxel ground at 1920 x 1080: 3 km of hills in cells of 4 units. Times of passes are the
// GPU's own, by timestamps; a floor draws the same triangles from a static buffer of clip positions with one
// flat colour. $KARST_BENCH_DRAW: the draw distance (3000).
#include <benchmark/benchmark.h>
#include <karst/render/ground_shading.h>
#include <karst/render/voxel_pass.h>
#include <karst/voxel_stream/thread_mesh_executor.h>
#include <karst/voxel_stream/voxel_streamer.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "gpu_floor.h"
#include "voxel_hills.h"

namespace {

using namespace karst;
using render::PassKind;
using render::RenderView;
using SteadyClock = std::chrono::steady_clock;

constexpr int kWidth = 1920, kHeight = 1080;
constexpr int kCascades = 2;

double drawDistance() {
    const char* text = std::getenv("KARST_BENCH_DRAW");
    return text ? std::max(std::atof(text), 100.0) : 3000;
}

// Shows chunks in the pool, and keeps their triangles for the floor.
class PoolSink final : public voxel_stream::MeshSink {
  public:
    explicit PoolSink(render::VoxelPool& pool) : m_pool(&pool) {}
    void show(voxel::ChunkCoord chunk, int, const voxel_mesh::SurfaceMesh* solid,
              const voxel_mesh::WaterMesh* water) override {
        bench::orExit(m_pool->publish(chunk, solid, water));
        if (solid) meshes[{chunk.x, chunk.y, chunk.z}] = *solid;
    }
    void drop(voxel::ChunkCoord chunk) override {
        m_pool->withdraw(chunk);
        meshes.erase({chunk.x, chunk.y, chunk.z});
    }
    std::map<std::array<int, 3>, voxel_mesh::SurfaceMesh> meshes;

  private:
    render::VoxelPool* m_pool;
};

struct Rig {
    voxel::Grid grid = bench::hills();
    voxel::GridPlacement placement = grid.placement();
    bench::GpuTarget target{bench::gpu(), kWidth, kHeight};
    bench::GpuClock clock{bench::gpu()};
    render::SceneUniforms scene;
    render::VoxelPool pool;
    render::VoxelPass depth, lit, visibility, casters;
    render::GroundShading shading;
    PoolSink sink{pool};
    voxel_stream::ThreadMeshExecutor executor{std::max(2u, std::thread::hardware_concurrency())};
    voxel_stream::VoxelStreamer streamer;
    render::VoxelDraws draws, cascadeDraws[kCascades];

    static render::VoxelPool makePool(const voxel::GridPlacement& placement) {
        return bench::orExit(render::VoxelPool::create(
            bench::gpu().description(),
            {.placement = placement, .solidBytes = std::uint64_t{1} << 30, .maxChunks = 32768}));
    }
    render::VoxelPass pass(const render::PassTarget& to) {
        return bench::orExit(render::VoxelPass::create(bench::gpu().description(), scene, pool, {to}));
    }

    Rig()
        : scene(bench::orExit(render::SceneUniforms::create(
              bench::gpu().description(), {.cascades = kCascades, .cascadeResolution = 2048}))),
          pool(makePool(placement)),
          depth(pass({PassKind::DepthPrepass, target.formats()})),
          lit(pass({PassKind::Lit, target.formats()})),
          visibility(pass(target.visibility())),
          casters(pass(render::ShadowMaps::target())),
          shading(bench::orExit(render::GroundShading::create(bench::gpu().description(), scene))),
          streamer(bench::orExit(voxel_stream::VoxelStreamer::create({}, executor, sink))) {
        bench::orExit(shading.bind(0, target.shadingImages()));
    }

    static render::SceneSettings settings(double along) {
        render::SceneSettings out;
        const WorldPosition eye{along, 130, 0};
        out.camera = bench::orExit(
            CameraView::lookAt(eye, {along + 1000, 0, 400}, 1.0, double{kWidth} / kHeight, 0.5));
        out.materials.lowHeight = -90;
        out.materials.highHeight = 90;
        out.cascades.count = kCascades;
        out.cascades.distance = 1500;
        return out;
    }
    // Uploads what there is, and says what each view draws.
    render::VoxelUploadStats prepare(VkCommandBuffer commands, const render::SceneSettings& s) {
        const auto stats = bench::orExit(pool.recordUploads(commands, s.camera.position));
        bench::orExit(scene.recordUpdate(commands, s));
        pool.prepare(&scene.camera().frustum, draws);
        for (int i = 0; i < kCascades; ++i)
            pool.prepare(&scene.cascades().views[static_cast<std::size_t>(i)].frustum, cascadeDraws[i]);
        return stats;
    }
    void settle(const render::SceneSettings& s) {
        for (bool waiting = true; waiting || !streamer.settled();) {
            bench::orExit(streamer.update(grid, s.camera.position, drawDistance()));
            bench::orExit(app::submitAndWait(bench::gpu(), [&](VkCommandBuffer commands) -> Result<void> {
                waiting = prepare(commands, s).waiting > 0;
                return {};
            }));
        }
    }
    void drawDepth(VkCommandBuffer commands) {
        target.begin(commands, false, true);
        depth.record(commands, scene, scene.camera(), pool, draws, target.area());
        target.end(commands);
    }
    render::VoxelDrawStats drawLit(VkCommandBuffer commands) {
        target.begin(commands, true, false);
        const auto drawn = lit.record(commands, scene, scene.camera(), pool, draws, target.area());
        target.end(commands);
        return drawn;
    }
    render::VoxelDrawStats drawShaded(VkCommandBuffer commands) {
        target.beginVisibility(commands);
        const auto drawn = visibility.record(commands, scene, scene.camera(), pool, draws, target.area());
        target.endVisibility(commands);
        shading.recordVoxels(commands, scene, scene.camera(), pool, 0, target.area());
        target.releaseDepth(commands);
        return drawn;
    }
    void drawShadows(VkCommandBuffer commands) {
        render::ShadowMaps& maps = scene.shadowMaps();
        for (int i = 0; i < kCascades; ++i) {
            maps.recordBeginCascade(commands, i);
            casters.record(commands, scene, scene.cascades().views[static_cast<std::size_t>(i)], pool,
                           cascadeDraws[i], maps.cascadeArea());
            maps.recordEnd(commands);
        }
    }
};

Rig& rig() {
    static Rig one;
    return one;
}

void settled() {
    static const bool once = [] {
        rig().settle(Rig::settings(0));
        return true;
    }();
    (void)once;
}

// The chunks that reach the view, as a static buffer of clip positions.
const bench::FloorMesh& floorMesh() {
    static const bench::FloorMesh floor = [] {
        settled();
        const auto s = Rig::settings(0);
        const WorldPosition origin = render::sceneOrigin(s.camera);
        const Mat4f m = s.camera.viewProjection(origin);
        const Frustum frustum = s.camera.frustum();
        const voxel::GridPlacement& at = rig().placement;
        std::vector<float> clip;
        std::vector<std::uint32_t> indices;
        for (const auto& [chunk, mesh] : rig().sink.meshes) {
            if (mesh.empty()) continue;
            const Vec3d corner =
                at.origin + Vec3d{chunk[0] * 32.0, chunk[1] * 32.0, chunk[2] * 32.0} * at.cellSize;
            Bounds box{{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
            std::vector<Vec3d> places;
            for (const auto& vertex : mesh.vertices) {
                const Vec3d p = corner + toDouble(vertex.position) * at.cellSize;
                box.min = {std::min(box.min.x, p.x), std::min(box.min.y, p.y), std::min(box.min.z, p.z)};
                box.max = {std::max(box.max.x, p.x), std::max(box.max.y, p.y), std::max(box.max.z, p.z)};
                places.push_back(p);
            }
            if (!frustum.mayTouch(box)) continue;
            const auto first = static_cast<std::uint32_t>(clip.size() / 4);
            for (const Vec3d& place : places) {
                const Vec3f p = toFloat(place - origin);
                for (int row = 0; row < 4; ++row)
                    clip.push_back(m.at(row, 0) * p.x + m.at(row, 1) * p.y + m.at(row, 2) * p.z +
                                   m.at(row, 3));
            }
            for (const std::uint32_t index : mesh.indices)
                indices.push_back(first + index);
        }
        return bench::makeFloor(clip, indices);
    }();
    return floor;
}

void floorDepth(benchmark::State& state) {
    bench::timeFloorDepth(state, rig().target, rig().clock, floorMesh());
}
BENCHMARK(floorDepth)->UseManualTime()->Unit(benchmark::kMicrosecond);

void voxelsDepth(benchmark::State& state) {
    settled();
    bench::timeRepeated(state, rig().clock, [&](VkCommandBuffer commands) -> Result<void> {
        rig().drawDepth(commands);
        return {};
    });
}
BENCHMARK(voxelsDepth)->UseManualTime()->Unit(benchmark::kMicrosecond);

void floorLit(benchmark::State& state) {
    bench::timeFloorLit(state, rig().target, rig().clock, floorMesh());
}
BENCHMARK(floorLit)->UseManualTime()->Unit(benchmark::kMicrosecond);

// `draw`: the lit picture, over a depth that is there and with shadows that are.
void timeLit(benchmark::State& state, FunctionRef<render::VoxelDrawStats(VkCommandBuffer)> draw) {
    settled();
    render::VoxelDrawStats drawn;
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
    state.counters["calls"] = drawn.calls;
    state.counters["chunks"] = drawn.chunks;
    state.counters["triangles"] = static_cast<double>(drawn.triangles);
    state.counters["MB"] = static_cast<double>(rig().pool.stats().usedBytes) * 1e-6;
}

void voxelsLit(benchmark::State& state) {
    timeLit(state, [](VkCommandBuffer commands) { return rig().drawLit(commands); });
}
BENCHMARK(voxelsLit)->UseManualTime()->Unit(benchmark::kMicrosecond);

// The same picture from visibility, by compute.
void voxelsShaded(benchmark::State& state) {
    timeLit(state, [](VkCommandBuffer commands) { return rig().drawShaded(commands); });
}
BENCHMARK(voxelsShaded)->UseManualTime()->Unit(benchmark::kMicrosecond);

void voxelsTwoCascades(benchmark::State& state) {
    settled();
    bench::timeRepeated(state, rig().clock, [&](VkCommandBuffer commands) -> Result<void> {
        rig().drawShadows(commands);
        return {};
    });
}
BENCHMARK(voxelsTwoCascades)->UseManualTime()->Unit(benchmark::kMicrosecond);

// The CPU's part of a settled frame, and of one at 100 units a second (argument) at 60 frames a second; the
// streamer's update is not part of it.
void cpuFrame(benchmark::State& state) {
    settled();
    double along = 0;
    std::vector<double> frames;
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        const auto s = Rig::settings(along += static_cast<double>(state.range(0)) / 60);
        bench::orExit(rig().streamer.update(rig().grid, s.camera.position, drawDistance()));
        double seconds = 0;
        bench::orExit(app::submitAndWait(bench::gpu(), [&](VkCommandBuffer commands) -> Result<void> {
            const auto begin = SteadyClock::now();
            bytes += rig().prepare(commands, s).bytes;
            rig().drawShadows(commands);
            rig().drawDepth(commands);
            rig().drawShaded(commands);
            seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
            return {};
        }));
        frames.push_back(seconds);
        state.SetIterationTime(seconds);
    }
    std::sort(frames.begin(), frames.end());
    state.counters["p99_us"] = frames[frames.size() * 99 / 100] * 1e6;
    state.counters["worst_us"] = frames.back() * 1e6;
    state.counters["upload_KB"] = static_cast<double>(bytes) / static_cast<double>(frames.size()) * 1e-3;
}
BENCHMARK(cpuFrame)->UseManualTime()->Unit(benchmark::kMicrosecond)->Arg(0)->Arg(100)->Iterations(600);

}  // namespace
