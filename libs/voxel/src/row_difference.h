#pragma once

#include <karst/voxel/cell.h>

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#define KARST_VOXEL_SSE2 1
#endif

namespace karst::voxel {

/// What is found in a row of 32 cells; bit x stands for cell x.
struct RowDifference {
    std::uint32_t differ = 0;
    std::uint32_t unknown = 0;
};

/// Makes the 32 cells at `after` canonical and says which of them differ from those at `before` and which are
/// of a material above `highest`.
inline RowDifference compareRowPlain(const Cell* before, Cell* after, MaterialId highest) {
    RowDifference row;
    for (std::int32_t x = 0; x < kChunkSize; ++x) {
        after[x] = canonical(after[x]);
        if (after[x] != before[x]) row.differ |= 1u << x;
        if (after[x].material > highest) row.unknown |= 1u << x;
    }
    return row;
}

/// Which of two rows' 32 cells differ.
inline std::uint32_t differingCellsPlain(const Cell* a, const Cell* b) {
    std::uint32_t differ = 0;
    for (std::int32_t x = 0; x < kChunkSize; ++x)
        differ |= a[x] != b[x] ? 1u << x : 0u;
    return differ;
}

#if defined(KARST_VOXEL_SSE2)

namespace row_detail {

inline __m128i load(const Cell* cells) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
}
// A bit for each of 16 cells from masks of 16 bits a cell.
inline std::uint32_t bits(__m128i low, __m128i high) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
}

}  // namespace row_detail

inline RowDifference compareRow(const Cell* before, Cell* after, MaterialId highest) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i materialByte = _mm_set1_epi16(0xff);
    const __m128i limit = _mm_set1_epi16(highest);
    __m128i same[4], known[4];
    for (int i = 0; i < 4; ++i) {
        __m128i cells = row_detail::load(after + 8 * i);
        // A zero in either byte of a cell empties both.
        const __m128i zeros = _mm_cmpeq_epi8(cells, zero);
        const __m128i empty =
            _mm_or_si128(zeros, _mm_or_si128(_mm_slli_epi16(zeros, 8), _mm_srli_epi16(zeros, 8)));
        cells = _mm_andnot_si128(empty, cells);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(after + 8 * i), cells);
        same[i] = _mm_cmpeq_epi16(cells, row_detail::load(before + 8 * i));
        known[i] = _mm_cmpeq_epi16(_mm_subs_epu8(_mm_and_si128(cells, materialByte), limit), zero);
    }
    return {~(row_detail::bits(same[0], same[1]) | row_detail::bits(same[2], same[3]) << 16),
            ~(row_detail::bits(known[0], known[1]) | row_detail::bits(known[2], known[3]) << 16)};
}

inline std::uint32_t differingCells(const Cell* a, const Cell* b) {
    __m128i same[4];
    for (int i = 0; i < 4; ++i)
        same[i] = _mm_cmpeq_epi16(row_detail::load(a + 8 * i), row_detail::load(b + 8 * i));
    return ~(row_detail::bits(same[0], same[1]) | row_detail::bits(same[2], same[3]) << 16);
}

#else

inline RowDifference compareRow(const Cell* before, Cell* after, MaterialId highest) {
    return compareRowPlain(before, after, highest);
}
inline std::uint32_t differingCells(const Cell* a, const Cell* b) {
    return differingCellsPlain(a, b);
}

#endif

}  // namespace karst::voxel
