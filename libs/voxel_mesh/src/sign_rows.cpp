#include "sign_rows.h"

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_mesh {
namespace {

// Eight signs a bit each, the first in the lowest.
std::uint64_t signBits(const std::uint8_t* samples, int count) {
    std::uint64_t bits = 0;
    for (int k = 0; k < count; ++k)
        bits |= std::uint64_t{samples[k]} >> 7 << k;
    return bits;
}

using Words = std::uint64_t __attribute__((vector_size(16)));
constexpr std::size_t kBlock = 1024;

Words loadWords(const std::uint8_t* samples) {
    Words words;
    std::memcpy(&words, samples, sizeof(words));
    return words;
}

// Whether no sample of a block is solid, or with kSolid, every one.
template <bool kSolid>
bool uniformBlock(const std::uint8_t* samples) {
    Words parts[4];
    for (std::size_t k = 0; k < 4; ++k)
        parts[k] = loadWords(samples + 16 * k);
    for (std::size_t i = 64; i < kBlock; i += 64) {
        for (std::size_t k = 0; k < 4; ++k) {
            const Words words = loadWords(samples + i + 16 * k);
            parts[k] = kSolid ? parts[k] & words : parts[k] | words;
        }
    }
    const Words all =
        kSolid ? parts[0] & parts[1] & parts[2] & parts[3] : parts[0] | parts[1] | parts[2] | parts[3];
    constexpr std::uint64_t kSigns = 0x8080808080808080u;
    return kSolid ? (all[0] & all[1] & kSigns) == kSigns : ((all[0] | all[1]) & kSigns) == 0;
}

// Whether all samples have the sign of the first. Reads no further than the first block that has both.
bool uniform(const std::uint8_t* samples, std::size_t count) {
    const bool solid = samples[0] >= 128;
    std::size_t i = 0;
    for (; i + kBlock <= count; i += kBlock) {
        if (!(solid ? uniformBlock<true>(samples + i) : uniformBlock<false>(samples + i))) return false;
    }
    for (; i < count; ++i) {
        if ((samples[i] ^ samples[0]) & 0x80) return false;
    }
    return true;
}

std::uint64_t signRow(const std::uint8_t* samples, int count) {
    std::uint64_t row = 0;
    int k = 0;
#if defined(__SSE2__)
    for (; k + 16 <= count; k += 16) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(samples + k));
        row |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(block))} << k;
    }
#endif
    return row | signBits(samples + k, count - k) << k;
}

}  // namespace

FieldContent findSignRows(const FieldView& field, SignRows& rows) {
    if (uniform(field.samples, field.sampleCount()))
        return field.samples[0] >= 128 ? FieldContent::AllSolid : FieldContent::AllAir;
    const std::int32_t side = field.size + 2;
    rows.side = side;
    std::uint64_t any = 0, all = ~std::uint64_t{0};
    for (std::int32_t y = -1; y <= field.size; ++y) {
        std::uint64_t* out = rows.layer(y);
        for (std::int32_t z = -1; z <= field.size; ++z, ++out) {
            *out = signRow(field.samples + field.fieldIndex(-1, y, z), side);
            any |= *out;
            all &= *out;
        }
    }
    if (any == 0) return FieldContent::AllAir;
    return all == (std::uint64_t{1} << side) - 1 ? FieldContent::AllSolid : FieldContent::Mixed;
}

}  // namespace karst::voxel_mesh
