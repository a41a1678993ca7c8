#pragma once

// Bytes of a row as a word, the first in the low byte.

#include <bit>
#include <cstdint>
#include <cstring>

namespace karst::voxel_mesh {

inline std::uint32_t load16(const std::uint8_t* p) {
    std::uint16_t word;
    std::memcpy(&word, p, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap16(word);
    return word;
}

inline std::uint32_t load32(const std::uint8_t* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    return word;
}

/// The word whose bytes in memory are those of `word` from the low one up.
inline std::uint32_t littleEndian(std::uint32_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    return word;
}

}  // namespace karst::voxel_mesh
