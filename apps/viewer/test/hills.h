#pragma once

#include <karst/heightfield_build/pyramid_builder.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

// Ground for tests: 129 x 129 samples, 10 m apart, hills of 60 m.
namespace karst::test {

inline constexpr std::uint32_t kHillsSide = 129;

inline double hill(std::uint32_t x, std::uint32_t z) {
    return 100 + 30 * std::sin(x * 0.2) * std::cos(z * 0.15);
}

class Hills final : public heightfield::BuildInput {
  public:
    /// `spacing`: of the samples, metres.
    explicit Hills(double spacing = 10) : m_spacing(spacing) {}
    std::uint32_t columns() const override { return kHillsSide; }
    std::uint32_t rows() const override { return kHillsSide; }
    double spacingX() const override { return m_spacing; }
    double spacingZ() const override { return m_spacing; }
    Result<void> readRows(std::uint32_t first, std::uint32_t count, std::span<float> heights) override {
        for (std::uint32_t i = 0; i < count * kHillsSide; ++i)
            heights[i] = static_cast<float>(hill(i % kHillsSide, first + i / kHillsSide));
        return {};
    }

  private:
    double m_spacing;
};

/// As a package, one file. Returns its name.
inline std::string buildHills(const std::filesystem::path& path, std::uint32_t tileCells = 32,
                              double spacing = 10) {
    Hills input(spacing);
    heightfield::BuildOptions build;
    build.tileCells = tileCells;
    const auto sink = heightfield::makeFileSink(path, heightfield::Durability::Process);
    return heightfield::buildPyramid(input, *sink, build) ? path.string() : std::string();
}

/// As a DEM, *.asc. Returns its name.
inline std::string writeHills(const std::filesystem::path& path) {
    std::ofstream out(path);
    out << "ncols 129\nnrows 129\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
    for (std::uint32_t z = 0; z < kHillsSide; ++z)
        for (std::uint32_t x = 0; x < kHillsSide; ++x)
            out << hill(x, z) << (x == kHillsSide - 1 ? '\n' : ' ');
    return path.string();
}

}  // namespace karst::test
