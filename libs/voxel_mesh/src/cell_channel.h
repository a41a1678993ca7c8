#pragma once

// Which materials count for a channel of samples (solid or water), and rows of cells read through it.

#include <karst/voxel/material_table.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) && !defined(KARST_NO_SIMD)
#include <emmintrin.h>
#define KARST_CELL_CHANNEL_SSE2 1
#else
#define KARST_CELL_CHANNEL_SSE2 0
#endif

namespace karst::voxel_mesh {

/// The occupancy of cells whose material is of one kind; 0 for all others.
class CellChannel {
  public:
    CellChannel(const voxel::MaterialTable& materials, voxel::MaterialKind kind);

    std::uint8_t occupancy(voxel::Cell cell) const { return cell.occupancy & m_mask[cell.material]; }
    /// Air where the channel reads 0.
    voxel::MaterialId material(voxel::Cell cell) const {
        return occupancy(cell) != 0 ? cell.material : voxel::kAir;
    }

    /// occupancy() of `count` cells, and their material() where that is not null.
    void read(const voxel::Cell* cells, int count, std::uint8_t* samples, voxel::MaterialId* ids) const;

#if KARST_CELL_CHANNEL_SSE2
    /// Whether occupied() may be used.
    bool listed() const {
        return m_listedCount != 0;
    }

    /// Eight cells as 16-bit occupancies, those that do not count made 0.
    __m128i occupied(__m128i cells) const {
        const __m128i id = _mm_and_si128(cells, _mm_set1_epi16(0xff));
        __m128i listed = _mm_or_si128(_mm_cmpeq_epi16(id, m_listed[0]), _mm_cmpgt_epi16(id, m_last));
        for (int i = 1; i < m_listedCount; ++i)
            listed = _mm_or_si128(listed, _mm_cmpeq_epi16(id, m_listed[i]));
        listed = _mm_xor_si128(listed, m_invert);
        return _mm_and_si128(_mm_srli_epi16(cells, 8), listed);
    }
#endif

  private:
#if KARST_CELL_CHANNEL_SSE2
    /// Few enough ids to compare with each: those that count, or (m_invert) those that do not.
    static constexpr int kMaxListed = 8;
    __m128i m_listed[kMaxListed] = {};
    __m128i m_invert = {};
    __m128i m_last = {};  ///< ids above this one count as listed
#endif
    int m_listedCount = 0;  ///< 0 where there are too many to list
    std::array<std::uint8_t, 256> m_mask{};
};

}  // namespace karst::voxel_mesh
