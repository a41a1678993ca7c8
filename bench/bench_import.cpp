// How long a file takes to become a height raster: a 1201 x 1201 SRTM tile (the target is 50 ms) and the same
// ground as .r16 and as Arc ASCII. The files are written first, so what is measured is served from the page
// cache.
#include <benchmark/benchmark.h>
#include <karst/import/import_raster.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

constexpr int kSide = 1201;

int heightAt(int column, int row) {
    if ((column / 40 + row / 40) % 97 == 0) return -32768;  // some voids
    return static_cast<int>(1500 + 900 * std::sin(column * 0.011) * std::cos(row * 0.013) + column % 7);
}

std::string write(const std::string& kind) {
    const auto folder = std::filesystem::temp_directory_path() / "karst-bench-import";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / ("N42E001." + kind)).string();
    std::ofstream file(path, std::ios::binary);
    if (kind == "asc") {
        file << "ncols 1201\nnrows 1201\nxllcorner 0\nyllcorner 0\ncellsize 90\nNODATA_value -32768\n";
    }
    for (int row = 0; row < kSide; ++row) {
        for (int column = 0; column < kSide; ++column) {
            const int height = heightAt(column, row);
            const char high = static_cast<char>(height >> 8), low = static_cast<char>(height);
            if (kind == "asc") {
                file << height << ' ';
            } else if (kind == "hgt") {
                file.put(high).put(low);
            } else {
                file.put(low).put(high);
            }
        }
        if (kind == "asc") file << '\n';
    }
    return path;
}

void importFile(benchmark::State& state, const std::string& kind) {
    const std::string path = write(kind);
    for (auto _ : state) {
        auto imported = karst::importer::importRaster(path);
        if (!imported) {
            state.SkipWithError(imported.error().message.c_str());
            break;
        }
        benchmark::DoNotOptimize(imported->raster.heights().data());
    }
    state.SetItemsProcessed(state.iterations() * kSide * kSide);
    std::error_code error;
    std::filesystem::remove(path, error);
    std::filesystem::remove(std::filesystem::path(path).parent_path(), error);
}

BENCHMARK_CAPTURE(importFile, hgt, std::string("hgt"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(importFile, r16, std::string("r16"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(importFile, asc, std::string("asc"))->Unit(benchmark::kMillisecond);

}  // namespace
