#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// The parts of a tile's payload, to and from bytes (docs/formats/tile_v3.md). Sizes are the caller's to
// check.
namespace karst::heightfield::payload {

/// u16, little-endian; 2 * samples.size() bytes.
void writeSamples(std::span<const std::uint16_t> samples, std::byte* out);
void readSamples(const std::byte* bytes, std::span<std::uint16_t> samples);

/// Each sample less what the plane through its left, upper and upper-left neighbours foretells, modulo 2^16,
/// folded so that small differences of either sign are small numbers; first all low bytes, then all high
/// bytes. Rows of `side` samples.
void writePredicted(std::span<const std::uint16_t> samples, std::size_t side, std::byte* out);
void readPredicted(const std::byte* bytes, std::size_t side, std::span<std::uint16_t> samples);

/// u64, little-endian.
void writeWords(std::span<const std::uint64_t> words, std::byte* out);
void readWords(const std::byte* bytes, std::span<std::uint64_t> words);

/// One layer of 8-bit weights, each less its left neighbour (in the first column: the upper), modulo 2^8.
void writeDifferences(std::span<const std::uint8_t> layer, std::size_t side, std::byte* out);
void readDifferences(const std::byte* bytes, std::size_t side, std::span<std::uint8_t> layer);

}  // namespace karst::heightfield::payload
