#pragma once

#include "bit_stream.h"

#include <karst/base/result.h>

#include <array>
#include <cstdint>
#include <span>

namespace karst::voxel {

/// A prefix code (Huffman 1952) of at most kMaxSymbols symbols whose codes have at most kMaxCodeBits bits.
inline constexpr int kMaxCodeBits = 11;
inline constexpr int kMaxSymbols = 256;

struct PrefixCode {
    int symbols = 0;
    /// Bits of each symbol's code; 0: it does not occur.
    std::array<std::uint8_t, kMaxSymbols> lengths{};
    /// The code, its first bit lowest.
    std::array<std::uint16_t, kMaxSymbols> codes{};
};

/// The code for symbols that occur `counts` times, at least one of them; the same on every machine.
PrefixCode makePrefixCode(std::span<const std::uint32_t> counts);

/// Lengths as 4 bits each; a 0 is followed by 4 bits: how many further zeros follow it.
void writeLengths(const PrefixCode& code, BitWriter& out);

/// Reads `symbols` lengths and makes the codes. Null, or what is wrong: a length past kMaxCodeBits, too many
/// zeros, lengths that make no complete code (a lone symbol has length 1).
const char* readLengths(BitReader& in, int symbols, PrefixCode& code);

}  // namespace karst::voxel
