// Encoding and decoding of stored tiles, one core: bytes a second of decoded heights (f32) and bytes a
// sample. Inputs: 12 octaves of value noise in 0.1 m steps, and a real DEM where one is at hand
// (KARST_TEST_DATA).
#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield_zstd/zstd_codec.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace {

using namespace karst;
using namespace karst::heightfield;

double lattice(std::int64_t x, std::int64_t z, int octave) {
    const std::uint64_t bits =
        mix64(static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u ^
              mix64(static_cast<std::uint64_t>(z) + static_cast<std::uint64_t>(octave) * 77));
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

double valueNoise(double x, double z, int octave) {
    const double fx = std::floor(x), fz = std::floor(z);
    const auto fade = [](double t) { return t * t * t * (t * (t * 6 - 15) + 10); };
    const double u = fade(x - fx), v = fade(z - fz);
    const auto i = static_cast<std::int64_t>(fx), j = static_cast<std::int64_t>(fz);
    const double low = std::lerp(lattice(i, j, octave), lattice(i + 1, j, octave), u);
    const double high = std::lerp(lattice(i, j + 1, octave), lattice(i + 1, j + 1, octave), u);
    return std::lerp(low, high, v);
}

double synthetic(double x, double z) {
    double sum = 0, ridged = 0, amplitude = 1200, wavelength = 4096;
    for (int octave = 0; octave < 12; ++octave, amplitude /= 2, wavelength /= 2) {
        const double n = valueNoise(x / wavelength, z / wavelength, octave);
        sum += amplitude * n;
        if (octave < 6) ridged += 0.6 * amplitude * (1 - std::abs(n)) * (1 - std::abs(n));
    }
    return std::max(0.0, 0.6 * sum + 0.9 * ridged + 1500);
}

// Three arc seconds in metres, voids as they are not: the window without any.
const std::vector<std::int16_t>& andorra() {
    static const std::vector<std::int16_t> samples = [] {
        std::vector<std::int16_t> out;
        const char* folder = std::getenv("KARST_TEST_DATA");
        std::ifstream file(
            std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "N42E001.hgt",
            std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        if (bytes.size() != 1201u * 1201u * 2u) return out;
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
            const auto high = static_cast<unsigned char>(bytes[i]),
                       low = static_cast<unsigned char>(bytes[i + 1]);
            out.push_back(static_cast<std::int16_t>(high << 8 | low));
        }
        for (std::size_t i = 1; i < out.size(); ++i) {
            if (out[i] == -32768) out[i] = out[i - 1];
        }
        return out;
    }();
    return samples;
}

struct Tiles {
    TileLayout layout;
    std::vector<QuantisedTile> tiles;
};

// 64 tiles of a height function at a level's stride, in 0.1 m steps.
Tiles makeTiles(std::uint32_t cells, int level, const std::function<double(double, double)>& height) {
    Tiles out;
    out.layout.tileCells = cells;
    out.layout.storedLevels = 8;
    out.layout.rootsX = out.layout.rootsZ = 4;
    out.layout.quantisation = {0, 6553.5f};
    out.layout.samplesX = static_cast<std::uint32_t>(out.layout.cellsX()) + 1;
    out.layout.samplesZ = static_cast<std::uint32_t>(out.layout.cellsZ()) + 1;
    const double stride = std::ldexp(1.0, level);
    const int side = static_cast<int>(out.layout.tileSide());
    for (std::uint32_t z = 0; z < 8; ++z) {
        for (std::uint32_t x = 0; x < 8; ++x) {
            QuantisedTile tile;
            tile.key = {level, x, z};
            for (int j = 0; j < side; ++j) {
                for (int i = 0; i < side; ++i) {
                    const double at = height((x * cells + i) * stride, (z * cells + j) * stride);
                    tile.samples.push_back(static_cast<std::uint16_t>(std::lround(at * 10)));
                }
            }
            tile.bounds = {0, 6553.5f};
            for (std::uint32_t e = 0; e <= out.layout.tileLevels(); ++e)
                tile.errors.push_back(e * 0.731);
            out.tiles.push_back(std::move(tile));
        }
    }
    return out;
}

enum Input { kSynthetic, kAndorra };

// Range 0: tile cells; 1: input; 2: level; 3: zstd level, or 0 without compression, or -2 for version 2.
struct Case {
    Tiles tiles;
    std::unique_ptr<BlockCodec> codec;
    bool version2 = false;
    std::vector<std::vector<std::byte>> blocks;
    double samples = 0, storedBytes = 0;

    explicit Case(benchmark::State& state) {
        const int level = static_cast<int>(state.range(2));
        if (state.range(1) == kAndorra) {
            if (andorra().empty()) {
                state.SkipWithError("no real DEM; set KARST_TEST_DATA");
                return;
            }
            tiles = makeTiles(static_cast<std::uint32_t>(state.range(0)), level, [](double x, double z) {
                const auto i = static_cast<std::size_t>(std::min(x, 1200.0));
                return andorra()[static_cast<std::size_t>(std::min(z, 1200.0)) * 1201 + i];
            });
        } else {
            tiles = makeTiles(static_cast<std::uint32_t>(state.range(0)), level, synthetic);
        }
        if (state.range(3) > 0) codec = makeZstdCodec(static_cast<int>(state.range(3)));
        version2 = state.range(3) == -2;
        blocks.resize(tiles.tiles.size());
        TileScratch scratch;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            encode(i, scratch, blocks[i]);
            samples += static_cast<double>(tiles.tiles[i].samples.size());
            storedBytes += static_cast<double>(blocks[i].size());
        }
        const double finest =
            static_cast<double>(state.range(0) * state.range(0)) * static_cast<double>(blocks.size());
        state.counters["bytes/sample"] = storedBytes / samples;
        state.counters["bytes/cell"] = storedBytes / finest;
    }
    bool encode(std::size_t i, TileScratch& scratch, std::vector<std::byte>& out) {
        return version2
                   ? encodeTileV2(tiles.layout, tiles.tiles[i].content(), out).ok()
                   : encodeTileV3(tiles.layout, tiles.tiles[i].content(), codec.get(), scratch, out).ok();
    }
};

void decode(benchmark::State& state) {
    Case tiles(state);
    TileScratch scratch;
    std::size_t i = 0;
    if (tiles.blocks.empty()) return;
    const TileLayout& layout = tiles.tiles.layout;
    for (auto _ : state) {
        const TileKey& key = tiles.tiles.tiles[i].key;
        Result<TilePtr> tile = tiles.version2
                                   ? decodeTileV2(layout, key, tiles.blocks[i], scratch)
                                   : decodeTileV3(layout, key, tiles.blocks[i], tiles.codec.get(), scratch);
        if (!tile) state.SkipWithError("decode failed");
        benchmark::DoNotOptimize(tile);
        i = (i + 1) % tiles.blocks.size();
    }
    state.SetBytesProcessed(state.iterations() *
                            static_cast<std::int64_t>(layout.tileSide() * layout.tileSide() * 4));
}

void encode(benchmark::State& state) {
    Case tiles(state);
    TileScratch scratch;
    std::vector<std::byte> out;
    std::size_t i = 0;
    if (tiles.blocks.empty()) return;
    for (auto _ : state) {
        if (!tiles.encode(i, scratch, out)) state.SkipWithError("encode failed");
        benchmark::DoNotOptimize(out.data());
        i = (i + 1) % tiles.blocks.size();
    }
    const std::uint32_t side = tiles.tiles.layout.tileSide();
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(side * side));
}

void arguments(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"cells", "real", "level", "zstd"});
    for (const int cells : {64, 128}) {
        for (const int zstd : {-2, 0, 1, 3})
            bench->Args({cells, kSynthetic, 0, zstd});
        for (const int level : {1, 2, 3})
            bench->Args({cells, kSynthetic, level, 1});
        bench->Args({cells, kAndorra, 0, 1});
    }
    bench->Unit(benchmark::kMicrosecond);
}

BENCHMARK(decode)->Apply(arguments);
BENCHMARK(encode)->Apply(arguments);

}  // namespace
