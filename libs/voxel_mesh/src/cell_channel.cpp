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

std::uint32_t CellChannel::add(const Cell* cells, int count, std::uint16_t* sums) const {
    std::uint32_t solid = 0;
    int i = 0;
#if KARST_CELL_CHANNEL_SSE2
    if (m_listedCount != 0) {
        for (; i + 8 <= count; i += 8) {
            const __m128i value = occupied(_mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + i)));
            __m128i* sum = reinterpret_cast<__m128i*>(sums + i);
            _mm_storeu_si128(sum, _mm_add_epi16(_mm_loadu_si128(sum), value));
            const __m128i packed = _mm_packus_epi16(value, _mm_setzero_si128());
            solid |= static_cast<std::uint32_t>(_mm_movemask_epi8(packed)) << i;
        }
    }
#endif
    for (; i < count; ++i) {
        const std::uint8_t value = occupancy(cells[i]);
        sums[i] = static_cast<std::uint16_t>(sums[i] + value);
        solid |= static_cast<std::uint32_t>(value >> 7) << i;
    }
    return solid;
}

}  // namespace karst::voxel_mesh
