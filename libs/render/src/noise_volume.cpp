#include "noise_volume.h"

#include <karst/base/hash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace karst::render {
namespace {

constexpr std::uint32_t kOctaves = 4;

struct Sample {
    float value = 0, x = 0, y = 0, z = 0;
};

float lerp(float a, float b, float t) {
    return a + t * (b - a);
}

// Values -1..1 at the corners of one octave's cells, of mean 0.
std::vector<float> latticeOf(std::uint32_t octave, std::size_t side) {
    std::vector<float> out(side * side * side);
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t bits = mix64(i << 8 | (octave + 1));
        out[i] = static_cast<float>(static_cast<double>(bits >> 11) * 0x1p-52 - 1);
        sum += static_cast<double>(out[i]);
    }
    for (float& value : out)
        value -= static_cast<float>(sum / static_cast<double>(out.size()));
    return out;
}

void addOctave(std::uint32_t octave, std::vector<Sample>& volume) {
    const std::size_t wavelength = std::size_t{2} << octave, side = kNoiseSide / wavelength;
    const std::vector<float> lattice = latticeOf(octave, side);
    // By a texel's place within its cell: the quintic fade and its slope.
    std::array<float, 32> fade{}, slope{};
    for (std::size_t i = 0; i < wavelength; ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(wavelength);
        fade[i] = static_cast<float>(t * t * t * (t * (t * 6 - 15) + 10));
        slope[i] = static_cast<float>(30 * t * t * (t * (t - 2) + 1));
    }
    std::vector<Sample> row(side + 1);  // along x: what the lattice gives between its rows
    for (std::size_t z = 0; z < kNoiseSide; ++z) {
        for (std::size_t y = 0; y < kNoiseSide; ++y) {
            const std::size_t j = y / wavelength, k = z / wavelength;
            const float v = fade[y % wavelength], w = fade[z % wavelength];
            const auto line = [&](std::size_t dj, std::size_t dk) {
                return lattice.data() + ((k + dk) % side * side + (j + dj) % side) * side;
            };
            const float *const a = line(0, 0), *const b = line(1, 0), *const c = line(0, 1),
                               *const d = line(1, 1);
            for (std::size_t i = 0; i <= side; ++i) {
                const std::size_t at = i % side;
                const float low = lerp(a[at], b[at], v), high = lerp(c[at], d[at], v);
                row[i] = {lerp(low, high, w), 0,
                          lerp(b[at] - a[at], d[at] - c[at], w) * slope[y % wavelength],
                          (high - low) * slope[z % wavelength]};
            }
            Sample* out = volume.data() + (z * kNoiseSide + y) * kNoiseSide;
            for (std::size_t x = 0; x < kNoiseSide; ++x) {
                const Sample &low = row[x / wavelength], &high = row[x / wavelength + 1];
                const float u = fade[x % wavelength];
                out[x].value += lerp(low.value, high.value, u);
                out[x].x += (high.value - low.value) * slope[x % wavelength];
                out[x].y += lerp(low.y, high.y, u);
                out[x].z += lerp(low.z, high.z, u);
            }
        }
    }
}

std::int8_t packed(float value, float scale) {
    return static_cast<std::int8_t>(std::lround(std::clamp(value / scale, -1.0f, 1.0f) * 127));
}

std::vector<std::int8_t> makeVolume() {
    std::vector<Sample> level(noiseLevelTexels(0));
    for (std::uint32_t octave = 0; octave < kOctaves; ++octave)
        addOctave(octave, level);
    std::vector<std::int8_t> out;
    for (std::uint32_t n = 0;; ++n) {
        for (const Sample& s : level) {
            out.push_back(packed(s.value, kNoiseValueScale));
            for (const float part : {s.x, s.y, s.z})
                out.push_back(packed(part, kNoiseGradientScale));
        }
        if (n + 1 == kNoiseLevels) return out;
        const std::size_t side = kNoiseSide >> (n + 1), from = side * 2;
        std::vector<Sample> next(noiseLevelTexels(n + 1));
        for (std::size_t i = 0; i < next.size(); ++i) {
            const std::size_t x = i % side * 2, y = i / side % side * 2, z = i / side / side * 2;
            for (std::size_t corner = 0; corner < 8; ++corner) {
                const Sample& s =
                    level[((z + (corner >> 2)) * from + y + (corner >> 1 & 1)) * from + x + (corner & 1)];
                next[i].value += s.value / 8;
                next[i].x += s.x / 8;
                next[i].y += s.y / 8;
                next[i].z += s.z / 8;
            }
        }
        level = std::move(next);
    }
}

}  // namespace

std::span<const std::int8_t> noiseVolume() {
    static const std::vector<std::int8_t> volume = makeVolume();
    return volume;
}

}  // namespace karst::render
