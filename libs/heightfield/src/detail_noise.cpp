#include "detail_noise.h"

#include <karst/base/hash.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

// Bounds of one octave of wavelength 1: of its gradient's length and of its second derivatives along one
// axis and mixed. Each is the largest sum, over the place in a cell and the direction, of what the four
// corners' unit gradients can add.
constexpr double kGradient = 2.93;
constexpr double kSecond = 11.55;
constexpr double kMixed = 7.49;
// Of Catmull-Rom's weights in a cell: the largest sum of their sizes in 2D, of size x distance, and (1D) of
// size x distance squared and of size x distance.
constexpr double kWeights = 1.5625;
constexpr double kWeightedDistance = 1.373;
constexpr double kWeightedSquare = 0.5625, kWeightedStep = 0.75, kWeights1 = 1.25;
// Second derivatives of a Catmull-Rom cell of values in -1..1: along an axis 12 x 1.25, mixed 3 x 3.
constexpr double kReconstruction = (15 + 2 * 9 + 15) / 8.0;

constexpr double kSqrt2 = 1.4142135623730951;

double fade(double t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/// The product of a corner's gradient (a unit vector, one of 16, none along an axis or a diagonal) and the
/// offset from the corner.
double corner(std::uint64_t seed, std::int64_t x, std::int64_t z, double dx, double dz) {
    const std::uint64_t h = mix64(seed + static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u +
                                  static_cast<std::uint64_t>(z) * 0xc2b2ae3d27d4eb4fu);
    constexpr double kLong[2] = {0.9807852804032304, 0.8314696123025452};
    constexpr double kShort[2] = {0.19509032201612828, 0.5555702330196022};
    const std::size_t which = h >> 63;
    const double a = (h >> 62 & 1) != 0 ? -kLong[which] : kLong[which];
    const double b = (h >> 61 & 1) != 0 ? -kShort[which] : kShort[which];
    return (h >> 60 & 1) != 0 ? b * dx + a * dz : a * dx + b * dz;
}

std::int64_t floorOf(double value) {
    const auto truncated = static_cast<std::int64_t>(value);
    return truncated - (value < static_cast<double>(truncated) ? 1 : 0);
}

double octaveAt(std::uint64_t seed, double x, double z) {
    const std::int64_t ix = floorOf(x), iz = floorOf(z);
    const double fx = x - static_cast<double>(ix), fz = z - static_cast<double>(iz);
    const double h00 = corner(seed, ix, iz, fx, fz);
    const double h10 = corner(seed, ix + 1, iz, fx - 1, fz);
    const double h01 = corner(seed, ix, iz + 1, fx, fz - 1);
    const double h11 = corner(seed, ix + 1, iz + 1, fx - 1, fz - 1);
    const double sx = fade(fx), sz = fade(fz);
    const double low = h00 + sx * (h10 - h00), high = h01 + sx * (h11 - h01);
    return std::clamp((low + sz * (high - low)) * kSqrt2, -1.0, 1.0);
}

}  // namespace

DetailNoise::DetailNoise(std::uint64_t seed, double baseWavelength, std::uint32_t octaves, double persistence)
    : m_count(octaves) {
    double amplitude = 1, sum = 0, wavelength = baseWavelength;
    std::uint64_t state = mix64(seed);
    for (std::uint32_t i = 0; i < octaves; ++i) {
        Octave& octave = m_octaves[i];
        octave.seed = state;
        const std::uint64_t shift = mix64(state ^ 0x5bf03635u);
        octave.shiftU = static_cast<double>(shift >> 32) * 0x1p-32;
        octave.shiftV = static_cast<double>(shift & 0xffffffffu) * 0x1p-32;
        octave.wavelength = wavelength;
        octave.amplitude = amplitude;
        sum += amplitude;
        amplitude *= persistence;
        wavelength *= 0.5;
        state = mix64(state);
    }
    for (std::uint32_t i = 0; i < octaves; ++i)
        m_octaves[i].amplitude /= sum;
}

DetailNoise::Value DetailNoise::at(double u, double v) const {
    Value sum;
    for (std::uint32_t i = 0; i < m_count; ++i) {
        const Octave& o = m_octaves[i];
        const double n = octaveAt(o.seed, u / o.wavelength + o.shiftU, v / o.wavelength + o.shiftV);
        sum.plain += o.amplitude * n;
        sum.ridged += o.amplitude * (1 - 2 * std::abs(n));
    }
    return sum;
}

DetailNoise::Value DetailNoise::residualBound() const {
    Value sum;
    for (std::uint32_t i = 0; i < m_count; ++i) {
        const double w = 1 / m_octaves[i].wavelength;
        // By size; by the gradient; by the second derivatives, for Catmull-Rom keeps linear functions.
        const double slope = kWeightedDistance * kGradient * w;
        const double bend =
            (kSecond * 2 * kWeights1 * kWeightedSquare + 2 * kMixed * kWeightedStep * kWeightedStep) / 2 * w *
            w;
        sum.plain += m_octaves[i].amplitude * std::min({1 + kWeights, slope, bend});
        sum.ridged += m_octaves[i].amplitude * std::min(1 + kWeights, 2 * slope);
    }
    return sum;
}

DetailNoise::Value DetailNoise::deviationBound(double stride) const {
    const double reconstruction = std::min(kReconstruction * stride * stride, 2 * kWeights);
    Value sum{reconstruction, reconstruction};
    for (std::uint32_t i = 0; i < m_count; ++i) {
        const double w = stride / m_octaves[i].wavelength;
        // No point of the triangle is farther than 3/4 of a stride from its corners, weighted.
        const double slope = 0.75 * kGradient * w;
        const double bend = (2 * kSecond + 2 * kMixed) / 8 * w * w;
        sum.plain += m_octaves[i].amplitude * std::min({2.0, slope, bend});
        sum.ridged += m_octaves[i].amplitude * std::min(2.0, 2 * slope);
    }
    return sum;
}

}  // namespace karst::heightfield
