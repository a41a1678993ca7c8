#pragma once

// Surface nets as the definition says it, in double precision and without any care for speed.

#include <karst/base/math.h>
#include <karst/voxel_mesh/surface_nets.h>
#include <karst_test/test_support.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

namespace karst::voxel_mesh::test {

/// A sample or a cube (of its lowest sample).
using Place = std::array<int, 3>;

inline Place operator+(Place a, Place b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Samples of an unbounded field.
using Samples = std::function<std::uint8_t(Place)>;

/// Kinds of random fields: any byte, barely solid and barely air, mostly air, around the threshold, smooth.
inline constexpr int kKinds = 5;
inline Samples randomSamples(int kind, std::uint64_t seed) {
    return [kind, seed](Place p) -> std::uint8_t {
        std::uint64_t h = seed;
        for (const int c : p)
            h = karst::test::Random(h ^ static_cast<std::uint64_t>(c + 1000)).next();
        const auto byte = static_cast<std::uint8_t>(h >> 20);
        switch (kind) {
            case 0:
                return byte;
            case 1:
                return static_cast<std::uint8_t>(127 + (byte & 1));
            case 2:
                return byte % 7 != 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(h >> 40);
            case 3:
                return static_cast<std::uint8_t>(120 + byte % 16);
            default: {
                const double phase = static_cast<double>(seed % 100);
                const double d =
                    std::sin(0.4 * p[0] + phase) + std::sin(0.5 * p[1] + phase) + std::cos(0.45 * p[2]);
                return static_cast<std::uint8_t>(
                    std::lround(127.5 + 100 * std::fmax(-1.2, std::fmin(1.2, d))));
            }
        }
    };
}

/// A field of `samples` whose sample (0, 0, 0) is at `origin`.
struct OwnedField {
    std::vector<std::uint8_t> samples;
    std::vector<voxel::MaterialId> materials;
    FieldView view;

    OwnedField(int size, int padding, Place origin, const Samples& source, const Samples& material = {}) {
        view.size = size;
        view.padding = padding;
        samples.resize(view.sampleCount());
        if (material) materials.resize(view.sampleCount());
        for (int y = -padding; y < size + padding; ++y) {
            for (int z = -padding; z < size + padding; ++z) {
                for (int x = -padding; x < size + padding; ++x) {
                    const std::size_t i = view.fieldIndex(x, y, z);
                    samples[i] = source(origin + Place{x, y, z});
                    if (material) materials[i] = material(origin + Place{x, y, z});
                }
            }
        }
        view.samples = samples.data();
        view.materials = material ? materials.data() : nullptr;
    }
};

inline Place cubeOf(const FieldView& field, std::uint16_t index) {
    const int s = field.stride(), p = field.padding;
    return {index % s - p, index / (s * s) - p, index / s % s - p};
}

inline bool solid(std::uint8_t sample) {
    return sample >= 128;
}

/// Cubes around a crossing edge, as SurfaceQuad has them.
using CubeQuad = std::array<Place, 4>;

/// The quads of the edges whose lower sample is in 0 <= c < size, in no stated order.
inline std::vector<CubeQuad> naiveQuads(int size, const Samples& samples) {
    std::vector<CubeQuad> quads;
    for (int y = 0; y < size; ++y) {
        for (int z = 0; z < size; ++z) {
            for (int x = 0; x < size; ++x) {
                for (int axis = 0; axis < 3; ++axis) {
                    const Place low{x, y, z};
                    Place high = low;
                    ++high[axis];
                    if (solid(samples(low)) == solid(samples(high))) continue;
                    const int second = (axis + 1) % 3, third = (axis + 2) % 3;
                    CubeQuad quad{low, low, low, low};
                    --quad[0][second], --quad[0][third];
                    --quad[1][third];
                    --quad[3][second];
                    if (!solid(samples(low))) std::swap(quad[1], quad[3]);
                    quads.push_back(quad);
                }
            }
        }
    }
    return quads;
}

/// The mean of the crossings of a cube's edges.
inline Vec3d naiveVertex(Place cube, const Samples& samples) {
    Vec3d sum;
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 8; ++k) {
            if (k >> axis & 1) continue;
            const Place low = cube + Place{k & 1, k >> 1 & 1, k >> 2};
            Place high = low;
            ++high[axis];
            const double a = samples(low), b = samples(high);
            if ((a > 127.5) == (b > 127.5)) continue;
            std::array<double, 3> at{double(low[0]), double(low[1]), double(low[2])};
            at[static_cast<std::size_t>(axis)] += (127.5 - a) / (b - a);
            sum = sum + Vec3d{at[0], at[1], at[2]};
            ++count;
        }
    }
    return sum * (1.0 / count);
}

/// A value at each sample, interpolated in a cube.
inline double interpolated(Place cube, Vec3d at, const std::function<double(Place)>& value) {
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
        const auto part = [](double t, bool high) { return high ? t : 1 - t; };
        sum += part(at.x - cube[0], k & 1) * part(at.y - cube[1], k >> 1 & 1) * part(at.z - cube[2], k >> 2) *
               value(cube + Place{k & 1, k >> 1 & 1, k >> 2});
    }
    return sum;
}

/// The negated gradient at `at` in a cube, in 1 / 255 a sample.
inline Vec3d naiveNormal(NormalMethod method, Place cube, Vec3d at, const Samples& samples) {
    std::array<double, 3> out{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto difference = [&](Place p) {
            Place low = p, high = p;
            if (method == NormalMethod::CentralDifferences) {
                --low[axis], ++high[axis];
                return (samples(low) - samples(high)) / 2.0;
            }
            low[axis] = cube[axis];
            high[axis] = cube[axis] + 1;
            return double(samples(low) - samples(high));
        };
        out[axis] = interpolated(cube, at, difference);
    }
    return {out[0], out[1], out[2]};
}

}  // namespace karst::voxel_mesh::test
