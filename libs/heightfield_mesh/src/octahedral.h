#pragma once

#include <karst/base/math.h>

#include <cmath>
#include <cstdint>

namespace karst::heightfield {

/// See octahedralNormal. The normal is (-gx, 1, -gz) up to length, and its octahedral coordinates divide by
/// the sum of absolute values, so no root is taken. Adding 1.5 * 2^23 rounds to the nearest whole number,
/// ties to even.
inline std::uint32_t packOctahedral(float gx, float gz) {
    constexpr float kRound = 12582912.0f;
    const float scale = -32767.0f / (1.0f + std::fabs(gx) + std::fabs(gz));
    const std::uint32_t x = bitCast<std::uint32_t>(gx * scale + kRound);
    const std::uint32_t z = bitCast<std::uint32_t>(gz * scale + kRound);
    return (x & 0xffffu) | z << 16;
}

}  // namespace karst::heightfield
