#pragma once

#include <gtest/gtest.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst_test/run_codec.h>
#include <karst_test/test_support.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>

namespace karst::heightfield {

using test_data::makeRunCodec;
using test_data::RunCodec;

/// Hills, the same heights whatever the order they are asked in; voids and cut cells where wanted.
struct Hills final : BuildInput {
    std::uint32_t width = 0, height = 0;
    double voids = 0;
    bool cuts = false;
    double rough = 1;

    Hills(std::uint32_t w, std::uint32_t h) : width(w), height(h) {}

    std::uint32_t columns() const override { return width; }
    std::uint32_t rows() const override { return height; }
    double spacingX() const override { return 2; }
    double spacingZ() const override { return 3; }
    Result<void> readRows(std::uint32_t first, std::uint32_t count, std::span<float> heights) override {
        for (std::uint32_t r = 0; r < count; ++r) {
            test::Random random(first + r + 1);
            for (std::uint32_t x = 0; x < width; ++x) {
                const double h = 200 * std::sin(x * 0.07) * std::cos((first + r) * 0.05) +
                                 20 * std::sin(x * 0.9 + (first + r) * 0.7) + rough * random.unit();
                heights[std::size_t{r} * width + x] =
                    random.chance(voids) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(h);
            }
        }
        return {};
    }
    void cutCells(std::uint32_t row, FunctionRef<void(std::uint32_t)> cut) override {
        if (!cuts) return;
        for (std::uint32_t x = row % 5; x + 1 < width; x += 5)
            cut(x);
    }
};

inline std::string bytesOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// The files of a package, by their paths within it.
inline std::map<std::string, std::string> filesOf(const std::filesystem::path& package) {
    std::map<std::string, std::string> files;
    if (std::filesystem::is_regular_file(package)) {
        files[""] = bytesOf(package);
        return files;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(package)) {
        if (entry.is_regular_file())
            files[std::filesystem::relative(entry.path(), package).string()] = bytesOf(entry.path());
    }
    return files;
}

inline TileLayout buildInto(const std::filesystem::path& path, BuildInput& input, const BuildOptions& options,
                            bool oneFile) {
    const auto sink =
        oneFile ? makeFileSink(path, Durability::Process) : makeFolderSink(path, Durability::Process);
    const Result<BuildReport> report = buildPyramid(input, *sink, options);
    EXPECT_TRUE(report.ok() && report->finished) << (report.ok() ? "" : report.error().message);
    return report.ok() ? report->layout : TileLayout{};
}

}  // namespace karst::heightfield
