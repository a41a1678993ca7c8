// Building pyramids, samples a second. Input: value noise in 16-bit steps, made before the clock starts. The
// whole build runs from memory into a sink that drops the bytes, on one worker and on all.
//
//     bench_build --size=65536       builds ground of that many samples a side out of rows made on the fly,
//     and
//                                    prints time and the most memory held; no benchmark is run
//     bench_build --size=16384 --write=dem.f32
//                                    writes that ground's heights, little-endian f32 row by row, and builds
//                                    nothing
#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/heightfield_build/tile_errors.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef KARST_HAVE_ZSTD
#include <karst/heightfield_zstd/zstd_codec.h>
#endif

namespace {

using namespace karst;
using namespace karst::heightfield;

// In -1..1.
float latticeValue(std::uint32_t x, std::uint32_t z, std::uint32_t octave) {
    // The highest ground hardly depends on the seed, the lowest does; this one's 16384 x 16384 samples span
    // 824..2767 m.
    constexpr std::uint64_t kSeed = 16;
    const std::uint64_t bits =
        mix64(mix64(std::uint64_t{x} << 32 | z) + (kSeed << 8 | octave) * 0x9e3779b97f4a7c15u);
    return static_cast<float>(bits >> 40) * 0x1p-23f - 1;
}

float fade(float t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

// 12 octaves of value noise, wavelengths from 4096 samples down, amplitudes from 1200 m, both halving: 0.6 of
// their sum, plus 0.9 of a ridged sum over the first six, plus 1500 m, not below 0.
class Noise final : public BuildInput {
  public:
    explicit Noise(std::uint32_t side) : m_side(side) {
        for (std::uint32_t octave = 0; octave < kOctaves; ++octave) {
            for (std::uint32_t k = 0; k < wavelength(octave); ++k)
                m_fades[octave].push_back(
                    fade(static_cast<float>(k) / static_cast<float>(wavelength(octave))));
        }
    }

    std::uint32_t columns() const override { return m_side; }
    std::uint32_t rows() const override { return m_side; }
    double spacingX() const override { return 1; }
    double spacingZ() const override { return 1; }
    std::uint32_t preferredRows() const override { return 64; }

    Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) override {
        for (std::uint32_t r = 0; r < count; ++r)
            makeRow(firstRow + r, heights.subspan(std::size_t{r} * m_side, m_side));
        return {};
    }

  private:
    static constexpr std::uint32_t kOctaves = 12;
    static std::uint32_t wavelength(std::uint32_t octave) { return 4096u >> octave; }

    void makeRow(std::uint32_t z, std::span<float> out) const {
        std::fill(out.begin(), out.end(), 1500.0f);
        float amplitude = 1200;
        for (std::uint32_t octave = 0; octave < kOctaves; ++octave, amplitude /= 2) {
            const std::uint32_t width = wavelength(octave), j = z / width;
            const float v = m_fades[octave][z % width];
            const float plain = 0.6f * amplitude, ridged = octave < 6 ? 0.9f * 0.6f * amplitude : 0.0f;
            for (std::uint32_t i = 0; i * width < m_side; ++i) {
                const float left = std::lerp(latticeValue(i, j, octave), latticeValue(i, j + 1, octave), v);
                const float right =
                    std::lerp(latticeValue(i + 1, j, octave), latticeValue(i + 1, j + 1, octave), v);
                const std::uint32_t end = std::min(width, m_side - i * width);
                float* to = out.data() + std::size_t{i} * width;
                const float* fades = m_fades[octave].data();
                for (std::uint32_t k = 0; k < end; ++k) {
                    const float noise = left + (right - left) * fades[k], ridge = 1 - std::fabs(noise);
                    to[k] += plain * noise + ridged * ridge * ridge;
                }
            }
        }
        for (float& height : out)
            height = std::max(height, 0.0f);
    }

    std::uint32_t m_side;
    std::vector<float> m_fades[kOctaves];
};

// Rows that were made before.
class Kept final : public BuildInput {
  public:
    explicit Kept(std::uint32_t side) : m_side(side), m_heights(std::size_t{side} * side) {
        Noise noise(side);
        static_cast<void>(noise.readRows(0, side, m_heights));
        for (float& height : m_heights)
            height = std::round(height * 10) * 0.1f;
    }
    std::uint32_t columns() const override { return m_side; }
    std::uint32_t rows() const override { return m_side; }
    double spacingX() const override { return 1; }
    double spacingZ() const override { return 1; }
    std::uint32_t preferredRows() const override { return 64; }
    Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) override {
        std::copy_n(m_heights.data() + std::size_t{firstRow} * m_side, std::size_t{count} * m_side,
                    heights.data());
        return {};
    }
    const std::vector<float>& heights() const { return m_heights; }

  private:
    std::uint32_t m_side;
    std::vector<float> m_heights;
};

Kept& kept() {
    static Kept input(2049);
    return input;
}

class NullSink final : public TileSink {
  public:
    Result<void> begin(const PackageManifest&, std::span<const std::byte>) override { return {}; }
    Result<void> write(const TileKey&, std::span<const std::byte>) override { return {}; }
    Result<void> saveState(std::vector<std::byte>&) override { return {}; }
    Result<void> finish() override { return {}; }
};

BuildOptions withCodec(bool zstd) {
    BuildOptions options;
    options.heightStep = 0.1;
#ifdef KARST_HAVE_ZSTD
    if (zstd) options.makeCodec = [] { return makeZstdCodec(); };
#else
    static_cast<void>(zstd);
#endif
    return options;
}

// Errors of level-0 tiles and of their share in 7 levels above: all that the builder measures.
void measureErrors(benchmark::State& state) {
    const auto cells = static_cast<std::uint32_t>(state.range(0));
    const std::size_t pitch = kept().columns();
    std::vector<std::uint16_t> samples;
    for (const float height : kept().heights())
        samples.push_back(static_cast<std::uint16_t>(height * 10));
    const std::uint32_t tiles = 2048 / cells;
    std::vector<double> largest(8);
    for (auto _ : state) {
        std::fill(largest.begin(), largest.end(), 0.0);
        for (std::uint32_t z = 0; z < tiles; ++z) {
            for (std::uint32_t x = 0; x < tiles; ++x) {
                const std::uint16_t* tile = samples.data() + z * cells * pitch + x * cells;
                double errors[8];
                BlockErrors blocks;
                measureStrideErrors(tile, pitch, cells, errors, blocks);
                for (std::uint32_t above = 1; (cells << above) <= 2048; ++above) {
                    const std::uint32_t span = cells << above, x0 = x * cells / span * span,
                                        z0 = z * cells / span * span;
                    const std::uint16_t* corner = samples.data() + z0 * pitch + x0;
                    const TileCorners corners{corner[0], corner[span], corner[span * pitch],
                                              corner[span * pitch + span]};
                    if (x0 == x * cells && z0 == z * cells) largest[above] = 0;
                    largest[above] = measureSpanError(tile, pitch, cells, errors, blocks, corners, span,
                                                      x * cells - x0, z * cells - z0, largest[above]);
                }
            }
        }
        benchmark::DoNotOptimize(largest.data());
    }
    state.SetItemsProcessed(state.iterations() * 2048 * 2048);
}
BENCHMARK(measureErrors)->ArgName("cells")->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

void buildAll(benchmark::State& state) {
    ThreadPool pool(static_cast<std::uint32_t>(state.range(1)));
    Externals externals;
    externals.jobs = &pool;
    const BuildOptions options = withCodec(state.range(0) != 0);
    std::uint64_t bytes = 0;
    kept();
    for (auto _ : state) {
        NullSink sink;
        const Result<BuildReport> report = buildPyramid(kept(), sink, options, externals);
        if (!report) return state.SkipWithError(report.error().message.c_str());
        bytes = report->bytes;
    }
    const double samples = 2049.0 * 2049.0;
    state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * samples));
    state.counters["bytes/sample"] = static_cast<double>(bytes) / samples;
}
BENCHMARK(buildAll)
    ->ArgNames({"zstd", "workers"})
    ->ArgsProduct({{0, 1}, {1, 0}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

int writeHeights(std::uint32_t side, const char* path) {
    std::FILE* file = std::fopen(path, "wb");
    Noise input(side);
    std::vector<float> rows(std::size_t{side} * 64);
    bool done = file != nullptr;
    for (std::uint32_t z = 0; done && z < side; z += 64) {
        const std::uint32_t count = std::min(64u, side - z);
        static_cast<void>(input.readRows(z, count, rows));
        const std::size_t samples = std::size_t{count} * side;
        done = std::fwrite(rows.data(), sizeof(float), samples, file) == samples;
    }
    if (file != nullptr && std::fclose(file) != 0) done = false;
    if (!done) std::fprintf(stderr, "bench_build: %s: cannot be written\n", path);
    return done ? 0 : 1;
}

int buildOnce(std::uint32_t side) {
    ThreadPool pool;
    Externals externals;
    externals.jobs = &pool;
    Noise input(side);
    NullSink sink;
    const std::uint64_t begin = externals.clock->nowNanoseconds();
    const Result<BuildReport> report = buildPyramid(input, sink, withCodec(true), externals);
    if (!report) {
        std::fprintf(stderr, "bench_build: %s\n", report.error().message.c_str());
        return 1;
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double seconds = static_cast<double>(externals.clock->nowNanoseconds() - begin) * 1e-9;
    std::printf(
        "%u x %u samples of %.0f..%.0f m: %.1f s, %.1f million samples/s, %.3f bytes a sample, "
        "%ld MB at most\n",
        side, side, double{report->heights.min}, double{report->heights.max}, seconds,
        double{1} * side * side / seconds * 1e-6,
        static_cast<double>(report->bytes) / (double{1} * side * side), usage.ru_maxrss / 1024);
    return 0;
}

// What follows `name` in an argument, or null.
const char* valueOf(const char* argument, const char* name) {
    return std::strncmp(argument, name, std::strlen(name)) == 0 ? argument + std::strlen(name) : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const char* size = argc >= 2 ? valueOf(argv[1], "--size=") : nullptr;
    if (size != nullptr) {
        const auto side = static_cast<std::uint32_t>(std::strtoul(size, nullptr, 10));
        const char* path = argc == 3 ? valueOf(argv[2], "--write=") : nullptr;
        if (side >= 2 && argc == 2) return buildOnce(side);
        if (side >= 2 && path != nullptr) return writeHeights(side, path);
        std::fprintf(stderr, "usage: bench_build --size=SAMPLES [--write=FILE]\n");
        return 2;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
