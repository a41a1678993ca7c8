// Samples of coarse levels: means over blocks of cells, with the bits that the vote for materials reads.

#include "chunk_neighborhood.h"

#include <cstring>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::kChunkSize;

constexpr int kRowStep = kChunkSize, kLayerStep = kChunkSize * kChunkSize;

// Where a row of blocks writes the bits of its cells.
struct BitRows {
    BlockBits* bits;  // may be null
    int y, z;         // of its first cells
    int start;        // of the part along x
};

// Adds up kCells columns of edge * edge cells each, the first of which starts at `cells`.
template <int kCells>
void sumColumns(const CellChannel& channel, const Cell* cells, int edge, std::uint16_t* sums,
                const BitRows& rows) {
#if KARST_CELL_CHANNEL_SSE2
    if (channel.listed()) {
        constexpr int kVectors = kCells <= 8 ? 1 : kCells / 8;
        const __m128i zero = _mm_setzero_si128();
        __m128i total[kVectors];
        for (__m128i& sum : total)
            sum = zero;
        for (int dy = 0; dy < edge; ++dy) {
            for (int dz = 0; dz < edge; ++dz) {
                const Cell* row = cells + dy * kLayerStep + dz * kRowStep;
                __m128i value[kVectors + 1];
                for (int k = 0; k < kVectors; ++k) {
                    const __m128i* from = reinterpret_cast<const __m128i*>(row + 8 * k);
                    value[k] = channel.occupied(kCells == 4 ? _mm_loadl_epi64(from) : _mm_loadu_si128(from));
                    total[k] = _mm_add_epi16(total[k], value[k]);
                }
                if (!rows.bits) continue;
                value[kVectors] = zero;
                std::uint64_t solid = 0, present = 0;
                for (int k = 0; k < kVectors; k += 2) {
                    const __m128i bytes = _mm_packus_epi16(value[k], value[k + 1]);
                    const auto above = static_cast<unsigned>(_mm_movemask_epi8(bytes));
                    const auto none = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, zero)));
                    solid |= std::uint64_t{above} << (8 * k);
                    present |= std::uint64_t{none ^ 0xffff} << (8 * k);
                }
                rows.bits->solid[rows.y + dy][rows.z + dz] |= solid << rows.start;
                rows.bits->present[rows.y + dy][rows.z + dz] |= present << rows.start;
            }
        }
        // The sums of four cells are followed by room for four more.
        for (int k = 0; k < kVectors; ++k)
            _mm_storeu_si128(reinterpret_cast<__m128i*>(sums + 8 * k), total[k]);
        return;
    }
#endif
    std::memset(sums, 0, kCells * sizeof(*sums));
    for (int dy = 0; dy < edge; ++dy) {
        for (int dz = 0; dz < edge; ++dz) {
            const Cell* row = cells + dy * kLayerStep + dz * kRowStep;
            std::uint64_t solid = 0, present = 0;
            for (int i = 0; i < kCells; ++i) {
                const std::uint8_t value = channel.occupancy(row[i]);
                sums[i] = static_cast<std::uint16_t>(sums[i] + value);
                solid |= static_cast<std::uint64_t>(value >= 128) << i;
                present |= static_cast<std::uint64_t>(value != 0) << i;
            }
            if (!rows.bits) continue;
            rows.bits->solid[rows.y + dy][rows.z + dz] |= solid << rows.start;
            rows.bits->present[rows.y + dy][rows.z + dz] |= present << rows.start;
        }
    }
}

// Means of kCells >> level blocks, halves up.
template <int kCells>
void meanOfColumns(const std::uint16_t* sums, int level, std::uint8_t* samples) {
#if KARST_CELL_CHANNEL_SSE2
    if (kCells == 32 && level == 1) {
        __m128i means[4];
        for (int k = 0; k < 4; ++k) {
            const __m128i pairs = _mm_madd_epi16(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(sums + 8 * k)), _mm_set1_epi16(1));
            means[k] = _mm_srli_epi32(_mm_add_epi32(pairs, _mm_set1_epi32(4)), 3);
        }
        const __m128i bytes =
            _mm_packus_epi16(_mm_packs_epi32(means[0], means[1]), _mm_packs_epi32(means[2], means[3]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(samples), bytes);
        return;
    }
#endif
    const int edge = 1 << level;
    for (int i = 0; i < kCells >> level; ++i) {
        std::uint32_t sum = 1u << (3 * level - 1);
        for (int k = 0; k < edge; ++k)
            sum += sums[i * edge + k];
        samples[i] = static_cast<std::uint8_t>(sum >> (3 * level));
    }
}

template <int kCells>
void averagePart(const ChunkSource& source, const CellChannel& channel, int level, int first,
                 const BitRows& rows, std::uint8_t* samples) {
    if (!source.cells) {
        std::memset(samples, source.occupancy, static_cast<std::size_t>(kCells >> level));
        return;
    }
    std::uint16_t sums[kCells < 8 ? 8 : kCells];
    sumColumns<kCells>(channel, source.cells + first, 1 << level, sums, rows);
    meanOfColumns<kCells>(sums, level, samples);
}

// A field's rows of blocks, of which each has kPadding cells of the chunks before and after.
template <int kPadding>
void averageRows(const ChunkNeighborhood& around, const CellChannel& channel, int level,
                 std::uint8_t* samples, BlockBits* bits) {
    const int edge = 1 << level, size = kChunkSize >> level, n = size + 2 * kFieldPadding;
    const auto third = [&](int block) {
        return block < kFieldPadding ? 0 : block < n - kFieldPadding ? 1 : 2;
    };
    constexpr int kStart[3] = {0, kPadding, kPadding + kChunkSize};
    constexpr int kLength[3] = {kPadding, kChunkSize, kPadding};
    for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z, samples += n) {
            const ChunkSource* row = around.row(third(y), third(z));
            const int y0 = y * edge, z0 = z * edge;
            if (bits) {
                std::uint64_t solid = 0, present = 0;
                for (int part = 0; part < 3; ++part) {
                    const std::uint64_t mask = ((std::uint64_t{1} << kLength[part]) - 1) << kStart[part];
                    if (row[part].cells) continue;
                    if (row[part].occupancy >= 128) solid |= mask;
                    if (row[part].occupancy != 0) present |= mask;
                }
                for (int dy = 0; dy < edge; ++dy) {
                    for (int dz = 0; dz < edge; ++dz) {
                        bits->solid[y0 + dy][z0 + dz] = solid;
                        bits->present[y0 + dy][z0 + dz] = present;
                    }
                }
            }
            const std::int32_t first = voxel::cellIndex(0, y0 - kPadding, z0 - kPadding);
            averagePart<kPadding>(row[0], channel, level, first + kChunkSize - kPadding,
                                  {bits, y0, z0, kStart[0]}, samples);
            averagePart<kChunkSize>(row[1], channel, level, first, {bits, y0, z0, kStart[1]},
                                    samples + kFieldPadding);
            averagePart<kPadding>(row[2], channel, level, first, {bits, y0, z0, kStart[2]},
                                  samples + kFieldPadding + size);
        }
    }
}

}  // namespace

void averageBlocks(const ChunkNeighborhood& around, const CellChannel& channel, int level,
                   std::uint8_t* samples, BlockBits* bits) {
    switch (level) {
        case 1:
            return averageRows<4>(around, channel, level, samples, bits);
        case 2:
            return averageRows<8>(around, channel, level, samples, bits);
        default:
            return averageRows<16>(around, channel, level, samples, bits);
    }
}

}  // namespace karst::voxel_mesh
