// Surface extraction: one core, chunks of 32^3 in turn, so that branches cannot be learned. `plain` is
// textbook scalar surface nets on the same fields, for the same machine's scale. Rows "raw" give positions
// and normals that are not normalised, "upload" unit normals, material sets, weights and a triangle list.
#include <benchmark/benchmark.h>
#include <karst/voxel_mesh/surface_nets.h>
#include <karst/voxel_mesh/surface_vertex_writer.h>
#include <karst_test/voxel_inputs.h>

#include <algorithm>
#include <vector>

namespace {

using namespace karst;
using namespace karst::voxel_mesh;

using Inputs = std::vector<test::VoxelInput>;

enum Input { Rot16, Terrain, Sphere, Dense, Random, Air, Solid };

Inputs makeInputs(Input input, int padding) {
    switch (input) {
        case Rot16:
            return test::voxelRot16(padding);
        case Terrain:
            return {test::voxelTerrain(padding)};
        case Sphere:
            return {test::voxelSphere(padding)};
        case Dense:
            return {test::voxelDense(padding)};
        case Random:
            return {test::voxelRandom(padding)};
        case Air:
            return {test::voxelUniform(padding, false)};
        case Solid:
            return {test::voxelUniform(padding, true)};
    }
    return {};
}

FieldView viewOf(const test::VoxelInput& input) {
    return {input.samples.data(), input.materials.data(), voxel::kChunkSize, input.padding};
}

void counters(benchmark::State& state, double quads) {
    state.counters["quads"] = benchmark::Counter(quads, benchmark::Counter::kAvgIterations);
    state.counters["quads/s"] = benchmark::Counter(quads, benchmark::Counter::kIsRate);
}

void raw(benchmark::State& state, Input input, SurfaceNetsOptions options) {
    const bool wide = options.normals == NormalMethod::CentralDifferences || options.manifold;
    const Inputs fields = makeInputs(input, wide ? 2 : 1);
    SurfaceNetsWorkspace workspace(options.manifold);
    std::size_t turn = 0;
    double quads = 0;
    for (auto _ : state) {
        const auto surface =
            extractSurface(viewOf(fields[turn++ % fields.size()]), options, workspace.buffers());
        quads += double(surface->quads.size());
        benchmark::ClobberMemory();
    }
    counters(state, quads);
}

void upload(benchmark::State& state, Input input, SurfaceNetsOptions options) {
    const Inputs fields = makeInputs(input, 2);
    options.unitNormals = true;
    SurfaceNetsWorkspace workspace(options.manifold);
    SurfaceVertexWriter writer;
    std::vector<SurfaceVertex> vertices(200000);
    std::vector<std::uint32_t> indices(6 * kMaxQuads);
    std::size_t turn = 0;
    double quads = 0, count = 0;
    for (auto _ : state) {
        const FieldView field = viewOf(fields[turn++ % fields.size()]);
        const auto surface = extractSurface(field, options, workspace.buffers());
        const auto counts = writer.prepare(field, *surface, 0);
        (void)writer.write(std::span(vertices).first(counts->vertexCount),
                           std::span(indices).first(counts->indexCount));
        quads += double(surface->quads.size());
        count += double(counts->vertexCount);
        benchmark::ClobberMemory();
    }
    counters(state, quads);
    state.counters["vertices"] = benchmark::Counter(count, benchmark::Counter::kAvgIterations);
}

// Textbook surface nets: cube by cube, a table of edges, numbers of all cubes, growing vectors.
class PlainNets {
  public:
    std::vector<Vec3f> positions, normals;
    std::vector<std::uint32_t> indices;

    void extract(const FieldView& field) {
        positions.clear();
        normals.clear();
        indices.clear();
        m_numbers.assign(field.sampleCount(), 0);
        for (int y = -1; y < field.size; ++y) {
            for (int z = -1; z < field.size; ++z) {
                for (int x = -1; x < field.size; ++x)
                    addVertex(field, x, y, z);
            }
        }
        for (int y = 0; y < field.size; ++y) {
            for (int z = 0; z < field.size; ++z) {
                for (int x = 0; x < field.size; ++x)
                    addQuads(field, field.fieldIndex(x, y, z));
            }
        }
    }

  private:
    void addVertex(const FieldView& field, int x, int y, int z) {
        const std::size_t cube = field.fieldIndex(x, y, z);
        const int dz = field.stride(), dy = dz * dz;
        const int steps[3] = {1, dz, dy};
        float c[8];
        int solid = 0;
        for (int k = 0; k < 8; ++k) {
            c[k] = float(field.samples[cube + std::size_t((k & 1) + (k >> 1 & 1) * steps[1] +
                                                          (k >> 2) * steps[2])]) -
                   127.5f;
            solid |= int(c[k] > 0) << k;
        }
        if (solid == 0 || solid == 255) return;
        float sum[3] = {};
        int count = 0;
        for (int axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < 8; ++k) {
                if (k >> axis & 1) continue;
                const int other = k | 1 << axis;
                if ((solid >> k & 1) == (solid >> other & 1)) continue;
                for (int a = 0; a < 3; ++a)
                    sum[a] += a == axis ? c[k] / (c[k] - c[other]) : float(k >> a & 1);
                ++count;
            }
        }
        const float u = sum[0] / float(count), w = sum[1] / float(count), v = sum[2] / float(count);
        const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
        m_numbers[cube] = std::uint32_t(positions.size());
        positions.push_back({float(x) + u, float(y) + v, float(z) + w});
        normals.push_back({mix(mix(c[0] - c[1], c[2] - c[3], w), mix(c[4] - c[5], c[6] - c[7], w), v),
                           mix(mix(c[0] - c[4], c[1] - c[5], u), mix(c[2] - c[6], c[3] - c[7], u), w),
                           mix(mix(c[0] - c[2], c[1] - c[3], u), mix(c[4] - c[6], c[5] - c[7], u), v)});
    }

    void addQuads(const FieldView& field, std::size_t i) {
        const std::size_t dz = std::size_t(field.stride());
        const std::size_t steps[3] = {1, dz * dz, dz};
        const bool solid = field.samples[i] >= 128;
        for (int axis = 0; axis < 3; ++axis) {
            if (solid == (field.samples[i + steps[axis]] >= 128)) continue;
            const std::size_t second = steps[(axis + 1) % 3], third = steps[(axis + 2) % 3];
            std::uint32_t q[4] = {m_numbers[i - second - third], m_numbers[i - third], m_numbers[i],
                                  m_numbers[i - second]};
            if (!solid) std::swap(q[1], q[3]);
            indices.insert(indices.end(), {q[0], q[1], q[2], q[0], q[2], q[3]});
        }
    }

    std::vector<std::uint32_t> m_numbers;
};

void plain(benchmark::State& state, Input input) {
    const Inputs fields = makeInputs(input, 1);
    PlainNets nets;
    std::size_t turn = 0;
    double quads = 0;
    for (auto _ : state) {
        nets.extract(viewOf(fields[turn++ % fields.size()]));
        quads += double(nets.indices.size() / 6);
        benchmark::ClobberMemory();
    }
    counters(state, quads);
}

constexpr SurfaceNetsOptions kCube{NormalMethod::CubeGradient, false};
constexpr SurfaceNetsOptions kCubeManifold{NormalMethod::CubeGradient, true};
constexpr SurfaceNetsOptions kCentral{NormalMethod::CentralDifferences, false};
constexpr SurfaceNetsOptions kCentralManifold{NormalMethod::CentralDifferences, true};

#define BENCH_INPUT(input)                                                                         \
    BENCHMARK_CAPTURE(plain, input, input)->Unit(benchmark::kMicrosecond);                         \
    BENCHMARK_CAPTURE(raw, input##_cube, input, kCube)->Unit(benchmark::kMicrosecond);             \
    BENCHMARK_CAPTURE(raw, input##_central, input, kCentral)->Unit(benchmark::kMicrosecond);       \
    BENCHMARK_CAPTURE(raw, input##_manifold, input, kCubeManifold)->Unit(benchmark::kMicrosecond); \
    BENCHMARK_CAPTURE(upload, input##_cube, input, kCube)->Unit(benchmark::kMicrosecond);          \
    BENCHMARK_CAPTURE(upload, input##_central, input, kCentral)->Unit(benchmark::kMicrosecond);    \
    BENCHMARK_CAPTURE(upload, input##_manifold, input, kCentralManifold)->Unit(benchmark::kMicrosecond)

BENCH_INPUT(Rot16);
BENCH_INPUT(Terrain);
BENCH_INPUT(Sphere);
BENCH_INPUT(Dense);
BENCH_INPUT(Random);
BENCH_INPUT(Air);
BENCH_INPUT(Solid);

}  // namespace
