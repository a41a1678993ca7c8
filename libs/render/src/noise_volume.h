#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::render {

/// Four octaves of value noise in a cube that repeats, what surfaces are mottled and roughened by: texels of
/// four signed normalised bytes, x fastest, z slowest, from the finest level to the one of a single texel.
///
/// The octaves have wavelengths of 2, 4, 8 and 16 texels. x: their sum / kNoiseValueScale; yzw: the sum of
/// their gradients, each in its own wavelengths, / kNoiseGradientScale. Coarser levels are means of eight
/// texels; the mean of all is 0.
inline constexpr std::uint32_t kNoiseSide = 64;
inline constexpr std::uint32_t kNoiseLevels = 7;
inline constexpr float kNoiseValueScale = 3.0f, kNoiseGradientScale = 6.0f;  // as in noise.inc.glsl

constexpr std::size_t noiseLevelTexels(std::uint32_t level) {
    const std::size_t side = kNoiseSide >> level;
    return side * side * side;
}

/// All levels, one after another; made at the first call. Any thread.
std::span<const std::int8_t> noiseVolume();

}  // namespace karst::render
