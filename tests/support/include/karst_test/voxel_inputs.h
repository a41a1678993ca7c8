#pragma once

// The chunks that extraction is measured with. The sine is made of sums and products alone, so that every
// compiler and C library gives the same samples.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace karst::test {

struct VoxelInput {
    std::string name;
    int padding = 1;
    std::vector<std::uint8_t> samples;    ///< (32 + 2 padding)^3, x fastest, then z, then y
    std::vector<std::uint8_t> materials;  ///< grass on ground on rock, and sand where it is low
};

/// Within 1e-12 of sin(x) for |x| up to 1e4.
inline double sine(double x) {
    constexpr double kPi = 3.14159265358979323846;
    const double turns = std::floor(x / kPi + 0.5);
    x -= turns * kPi;
    double term = x, sum = x;
    for (int k = 3; k < 25; k += 2) {
        term *= -(x * x) / double(k * (k - 1));
        sum += term;
    }
    return std::fmod(turns, 2.0) == 0.0 ? sum : -sum;
}
inline double cosine(double x) {
    return sine(x + 3.14159265358979323846 / 2);
}

/// `distance` is negative inside; 1..32 on each axis are the chunk's samples.
inline VoxelInput makeVoxelInput(std::string name, int padding,
                                 const std::function<double(double, double, double)>& distance) {
    VoxelInput input;
    input.name = std::move(name);
    input.padding = padding;
    for (int y = 1 - padding; y < 33 + padding; ++y) {
        for (int z = 1 - padding; z < 33 + padding; ++z) {
            for (int x = 1 - padding; x < 33 + padding; ++x) {
                const double d = distance(x, y, z);
                const int value = int(std::floor(255 * std::fmax(0.0, std::fmin(1.0, 0.5 - 0.5 * d)) + 0.5));
                const int sample = d < 0 ? (value < 128 ? 128 : value) : (value > 127 ? 127 : value);
                input.samples.push_back(std::uint8_t(sample));
                input.materials.push_back(std::uint8_t(d < -2 ? 4 : y < 12 ? 5 : d < -0.8 ? 3 : 2));
            }
        }
    }
    return input;
}

inline VoxelInput voxelTerrain(int padding) {
    return makeVoxelInput("terrain", padding, [](double x, double y, double z) {
        const double h = 16.37 + 5 * sine(0.31 * x) * cosine(0.27 * z) + 2.5 * sine(0.13 * x + 0.71 * z) +
                         1.1 * sine(0.9 * x) * sine(0.83 * z);
        return 0.7 * (y - h);
    });
}

inline VoxelInput voxelSphere(int padding) {
    return makeVoxelInput("sphere", padding, [](double x, double y, double z) {
        const double dx = x - 16.5, dy = y - 16.5, dz = z - 16.5;
        return std::sqrt(dx * dx + dy * dy + dz * dz) - 14.03;
    });
}

inline VoxelInput voxelDense(int padding) {
    return makeVoxelInput("dense", padding, [](double x, double y, double z) {
        const auto wave = [](double v) { return sine(5 * 3.14159265358979323846 * (2 * v / 32 - 1)); };
        return wave(x) + wave(y) + wave(z) + 1e-4;
    });
}

inline VoxelInput voxelRandom(int padding) {
    std::uint64_t state = 12345;
    return makeVoxelInput("random", padding, [&](double, double, double) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return double(state >> 11) * 0x1p-52 - 1;
    });
}

inline VoxelInput voxelUniform(int padding, bool solid) {
    return makeVoxelInput(solid ? "solid" : "air", padding,
                          [&](double, double, double) { return solid ? -1 : 1; });
}

/// The sixteen chunks of rot16, taken in turn so that branches cannot be learned.
inline std::vector<VoxelInput> voxelRot16(int padding) {
    std::vector<VoxelInput> inputs;
    for (int k = 0; k < 16; ++k) {
        const double a = 7.3 * k, b = 3.1 * k;
        inputs.push_back(makeVoxelInput("rot16", padding, [=](double x, double y, double z) {
            const double x1 = x + 5 * a, z1 = z + 9 * b;
            const double h = 16.37 + 6 * sine(0.31 * x1 + a) * cosine(0.27 * z1 + b) +
                             2.5 * sine(0.13 * x1 + 0.71 * z1 + a) + 1.1 * sine(0.9 * x1) * sine(0.83 * z1);
            const double c = sine(0.41 * x1) + sine(0.37 * y + a) + sine(0.43 * z1) - 1.4;
            return std::fmax(0.7 * (y - h), c);
        }));
    }
    return inputs;
}

}  // namespace karst::test
