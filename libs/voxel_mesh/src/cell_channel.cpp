#include "cell_channel.h"

#include <cstddef>

namespace karst::voxel_mesh {

using voxel::Cell;
using voxel::MaterialId;

static_assert(offsetof(Cell, material) == 0 && offsetof(Cell, occupancy) == 1);

CellChannel::CellChannel(const voxel::MaterialTable& materials, voxel::MaterialKind kind) {
    const std::array<voxel::MaterialKind, 256>& kinds = materials.kinds();
    for (std::size_t id = 0; id < 256; ++id)
        m_mask[id] = kinds[id] == kind ? 255 : 0;
#if KARST_CELL_CHANNEL_SSE2
    std::array<std::uint8_t, 256> in{}, out{};
    int inCount = 0, outCount = 0;
    for (std::size_t id = 1; id < materials.size(); ++id) {
        if (m_mask[id]) {
            in[static_cast<std::size_t>(inCount++)] = static_cast<std::uint8_t>(id);
        } else {
            out[static_cast<std::size_t>(outCount++)] = static_cast<std::uint8_t>(id);
        }
    }
    const bool invert = outCount < inCount;
    const std::array<std::uint8_t, 256>& listed = invert ? out : in;
    const int count = invert ? outCount : inCount;
    m_invert = _mm_set1_epi16(invert ? -1 : 0);
    m_last = _mm_set1_epi16(invert ? static_cast<short>(materials.size() - 1) : 0x7fff);
    if (count <= kMaxListed) {
        // An empty list still compares with air, which reads 0 either way.
        m_listedCount = std::max(count, 1);
        for (int i = 0; i < count; ++i)
            m_listed[i] = _mm_set1_epi16(listed[static_cast<std::size_t>(i)]);
    }
#endif
}

void CellChannel::read(const Cell* cells, int count, std::uint8_t* samples, MaterialId* ids) const {
    int i = 0;
#if KARST_CELL_CHANNEL_SSE2
    if (m_listedCount != 0) {
        for (; i + 16 <= count; i += 16) {
            const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + i));
            const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + i + 8));
            const __m128i value = _mm_packus_epi16(occupied(a), occupied(b));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(samples + i), value);
            if (!ids) continue;
            const __m128i low = _mm_set1_epi16(0xff);
            const __m128i id = _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low));
            const __m128i none = _mm_cmpeq_epi8(value, _mm_setzero_si128());
            _mm_storeu_si128(reinterpret_cast<__m128i*>(ids + i), _mm_andnot_si128(none, id));
        }
    }
#endif
    for (; i < count; ++i) {
        samples[i] = occupancy(cells[i]);
        if (ids) ids[i] = samples[i] != 0 ? cells[i].material : voxel::kAir;
    }
}

}  // namespace karst::voxel_mesh
