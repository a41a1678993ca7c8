#pragma once

#include <array>
#include <cstdint>

namespace karst::heightfield {

/// Octaves of gradient noise over level-0 sample coordinates, plain and ridged, each in -1..1. A function of
/// the place and the seed alone. Integer hashes and f64 arithmetic: the same bits everywhere.
///
/// Source: Perlin, Improving Noise (2002), with 16 gradients from a hash; ridges are 1 - 2 |noise|.
class DetailNoise {
  public:
    static constexpr std::uint32_t kMaxOctaves = 8;

    struct Value {
        double plain = 0, ridged = 0;
    };

    DetailNoise(std::uint64_t seed, double baseWavelength, std::uint32_t octaves, double persistence);

    /// (u, v) in level-0 samples.
    Value at(double u, double v) const;

    /// Upper bound of |noise - its Catmull-Rom interpolation from the level-0 points|.
    Value residualBound() const;
    /// Upper bound of |residual - the residual drawn with two triangles a cell of `stride` samples|.
    Value deviationBound(double stride) const;

  private:
    struct Octave {
        double wavelength = 1, amplitude = 0;
        double shiftU = 0, shiftV = 0;  ///< so that no octave's zeros fall on the samples
        std::uint64_t seed = 0;
    };
    std::uint32_t m_count;
    std::array<Octave, kMaxOctaves> m_octaves{};
};

}  // namespace karst::heightfield
