// The vote for the materials of coarse samples.

#include "chunk_neighborhood.h"

#include <bit>
#include <cstring>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::kChunkSize;
using voxel::MaterialId;

// A level's measures. Cells and samples are counted from the field's first ones.
struct Blocks {
    explicit Blocks(int level)
        : edge(1 << level),
          samples(samplesPerAxis(level) + 2 * kFieldPadding),
          padding(kFieldPadding << level),
          firstBits(~std::uint64_t{0} / ((std::uint64_t{1} << edge) - 1)) {}

    int edge;                 ///< cells along a block
    int samples;              ///< along the field
    int padding;              ///< cells before the chunk
    std::uint64_t firstBits;  ///< one for the first cell of each block of a row

    int index(int x, int y, int z) const { return x + samples * (z + samples * y); }
    /// Which third of the neighbourhood a block lies in.
    int third(int block) const { return block < kFieldPadding ? 0 : block < samples - kFieldPadding ? 1 : 2; }
    std::uint64_t mask(int x) const { return ((std::uint64_t{1} << edge) - 1) << (x * edge); }
    /// Whether any, or all, of a block's cells along x are set, at its first bit.
    std::uint64_t anyOf(std::uint64_t row) const {
        for (int step = 1; step < edge; step *= 2)
            row |= row >> step;
        return row & firstBits;
    }
    std::uint64_t allOf(std::uint64_t row) const {
        for (int step = 1; step < edge; step *= 2)
            row &= row >> step;
        return row & firstBits;
    }
};

/// Votes by material; all are 0 between uses.
class Votes {
  public:
    void add(MaterialId id, std::uint32_t votes) {
        if (m_votes[id] == 0) m_ids[m_count++] = id;
        m_votes[id] += votes;
    }
    bool none() const { return m_count == 0; }
    /// The material with the most votes leads by more than `votes`.
    bool decided(std::uint32_t votes) const {
        std::uint32_t most = 0, second = 0;
        for (int i = 0; i < m_count; ++i) {
            const std::uint32_t v = m_votes[m_ids[i]];
            if (v > most) {
                second = most;
                most = v;
            } else if (v > second) {
                second = v;
            }
        }
        return most - second > votes;
    }
    /// The most votes, the lower id of equal ones; air where there are none.
    MaterialId take() {
        MaterialId best = m_count == 0 ? voxel::kAir : m_ids[0];
        for (int i = 1; i < m_count; ++i) {
            const MaterialId id = m_ids[i];
            if (m_votes[id] > m_votes[best] || (m_votes[id] == m_votes[best] && id < best)) best = id;
        }
        for (int i = 0; i < m_count; ++i)
            m_votes[m_ids[i]] = 0;
        m_count = 0;
        return best;
    }

  private:
    std::uint32_t m_votes[256] = {};
    MaterialId m_ids[256];
    int m_count = 0;
};

/// Goes over the samples of one row of blocks after another.
class Voter {
  public:
    Voter(const ChunkNeighborhood& around, const Blocks& blocks, const std::uint8_t* samples,
          const BlockBits& bits, const MaterialVote& vote)
        : m_around(around), m_blocks(blocks), m_samples(samples), m_bits(bits), m_vote(vote) {
        for (int y = 0; y < blocks.samples; ++y) {
            for (int z = 0; z < blocks.samples; ++z) {
                std::uint64_t all = ~std::uint64_t{0};
                for (int dy = 0; dy < blocks.edge; ++dy) {
                    for (int dz = 0; dz < blocks.edge; ++dz)
                        all &= bits.solid[y * blocks.edge + dy][z * blocks.edge + dz];
                }
                m_full[y][z] = blocks.allOf(all);
            }
        }
    }

    /// Not one of the outermost rows.
    void beginRow(int y, int z) {
        m_y = y;
        m_z = z;
        std::uint64_t any = 0;
        for (int dy = 0; dy < m_blocks.edge; ++dy) {
            for (int dz = 0; dz < m_blocks.edge; ++dz) {
                const int cy = y * m_blocks.edge + dy, cz = z * m_blocks.edge + dz;
                const std::uint64_t row = m_bits.solid[cy][cz];
                const std::uint64_t enclosed = row << 1 & row >> 1 & m_bits.solid[cy - 1][cz] &
                                               m_bits.solid[cy + 1][cz] & m_bits.solid[cy][cz - 1] &
                                               m_bits.solid[cy][cz + 1];
                m_exposed[dy][dz] = m_bits.present[cy][cz] & ~enclosed;
                any |= m_exposed[dy][dz];
            }
        }
        m_anyExposed = m_blocks.anyOf(any);
    }

    /// Of a sample of the row that is not 0, not of the outermost ones.
    MaterialId materialOf(int x) {
        const std::uint8_t sample = m_samples[m_blocks.index(x, m_y, m_z)];
        const bool exposed = (m_anyExposed >> (x * m_blocks.edge) & 1) != 0;
        if (sample >= 128 && !exposed) {
            const MaterialId seen = borrow(x);
            if (seen != voxel::kAir) return seen;
        }
        const ChunkSource& source = sourceOf(x, m_y, m_z);
        if (!source.cells) return source.material;
        if (exposed) {
            count(x, m_y, m_z, m_vote.exposed, [&](int dy, int dz) { return m_exposed[dy][dz]; });
            // No more than this is left to the buried ones.
            const int cells = m_blocks.edge * m_blocks.edge * m_blocks.edge;
            if (m_votes.decided(static_cast<std::uint32_t>((sample + 1) * cells) * m_vote.buried))
                return m_votes.take();
        }
        count(x, m_y, m_z, m_vote.buried, [&](int dy, int dz) {
            return m_bits.present[m_y * m_blocks.edge + dy][m_z * m_blocks.edge + dz] & ~m_exposed[dy][dz];
        });
        return m_votes.take();
    }

  private:
    const ChunkSource& sourceOf(int x, int y, int z) const {
        return m_around.row(m_blocks.third(y), m_blocks.third(z))[m_blocks.third(x)];
    }

    // For a solid sample without an exposed cell: what is exposed in the blocks around it, or air.
    MaterialId borrow(int x) {
        constexpr int kFaces[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
        for (const auto& face : kFaces) {
            const int nx = x + face[0], ny = m_y + face[1], nz = m_z + face[2];
            if (m_samples[m_blocks.index(nx, ny, nz)] < 128) countInside(nx, ny, nz);
        }
        if (m_votes.none()) {
            for (int k = 0; k < 27; ++k)
                countInside(x + k % 3 - 1, m_y + k / 9 - 1, m_z + k / 3 % 3 - 1);
        }
        return m_votes.take();
    }

    // The votes of the cells of a block that other cells of it expose: so the outermost blocks, whose
    // neighbours the field does not hold, may be asked too.
    void countInside(int x, int y, int z) {
        if ((m_full[y][z] >> (x * m_blocks.edge) & 1) != 0 || m_samples[m_blocks.index(x, y, z)] == 0) return;
        const int edge = m_blocks.edge;
        const std::uint64_t block = m_blocks.mask(x);
        count(x, y, z, m_vote.exposed, [&](int dy, int dz) {
            const int cy = y * edge + dy, cz = z * edge + dz;
            const std::uint64_t row = m_bits.solid[cy][cz] | ~block;
            std::uint64_t enclosed = (row << 1 | 1) & (row >> 1 | std::uint64_t{1} << 63);
            if (dy > 0) enclosed &= m_bits.solid[cy - 1][cz];
            if (dy + 1 < edge) enclosed &= m_bits.solid[cy + 1][cz];
            if (dz > 0) enclosed &= m_bits.solid[cy][cz - 1];
            if (dz + 1 < edge) enclosed &= m_bits.solid[cy][cz + 1];
            return m_bits.present[cy][cz] & ~enclosed;
        });
    }

    // Adds occupancy * weight of the block's cells that `rowBits(dy, dz)` names.
    template <class RowBits>
    void count(int x, int y, int z, std::uint32_t weight, RowBits rowBits) {
        const int edge = m_blocks.edge, x0 = x * edge;
        const ChunkSource& source = sourceOf(x, y, z);
        const Cell* const cells =
            source.cells ? source.cells + voxel::cellIndex(x0 - m_blocks.padding, y * edge - m_blocks.padding,
                                                           z * edge - m_blocks.padding)
                         : nullptr;
        const std::uint64_t block = m_blocks.mask(x);
        MaterialId run = source.material;
        std::uint32_t sum = 0;
        for (int dy = 0; dy < edge; ++dy) {
            for (int dz = 0; dz < edge; ++dz) {
                std::uint64_t bits = (rowBits(dy, dz) & block) >> x0;
                if (bits == 0) continue;
                if (!cells) {
                    sum += static_cast<std::uint32_t>(std::popcount(bits)) * source.occupancy;
                    continue;
                }
                const Cell* row = cells + kChunkSize * (dz + kChunkSize * dy);
                for (; bits != 0; bits &= bits - 1) {
                    const Cell cell = row[std::countr_zero(bits)];
                    if (cell.material != run) {
                        if (sum != 0) m_votes.add(run, sum * weight);
                        run = cell.material;
                        sum = 0;
                    }
                    sum += cell.occupancy;
                }
            }
        }
        if (sum != 0) m_votes.add(run, sum * weight);
    }

    const ChunkNeighborhood& m_around;
    const Blocks& m_blocks;
    const std::uint8_t* m_samples;
    const BlockBits& m_bits;
    const MaterialVote& m_vote;
    Votes m_votes;
    std::uint64_t m_full[20][20];  // at the first bits of blocks: all cells are solid
    int m_y = 0, m_z = 0;
    std::uint64_t m_exposed[8][8];  // the row's cells that are there and exposed
    std::uint64_t m_anyExposed = 0;
};

}  // namespace

void voteMaterials(const ChunkNeighborhood& around, int level, const std::uint8_t* samples,
                   const BlockBits& bits, const MaterialVote& vote, MaterialId* materials) {
    const Blocks blocks(level);
    const int n = blocks.samples;
    std::memset(materials, voxel::kAir, static_cast<std::size_t>(n * n * n));

    // Bits of the samples that are solid, then of those that a cube of both kinds touches.
    std::uint32_t signs[20][20], near[20][20] = {};
    for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z) {
            const std::uint8_t* row = samples + blocks.index(0, y, z);
            std::uint32_t word = 0;
            for (int x = 0; x < n; ++x)
                word |= static_cast<std::uint32_t>(row[x] >> 7) << x;
            signs[y][z] = word;
        }
    }
    const std::uint32_t cubes = ((1u << (n - 3)) - 1) << 1;
    for (int y = 1; y <= n - 3; ++y) {
        for (int z = 1; z <= n - 3; ++z) {
            const std::uint32_t any = signs[y][z] | signs[y][z + 1] | signs[y + 1][z] | signs[y + 1][z + 1];
            const std::uint32_t all = signs[y][z] & signs[y][z + 1] & signs[y + 1][z] & signs[y + 1][z + 1];
            const std::uint32_t mixed = (any | any >> 1) & ~(all & all >> 1) & cubes;
            const std::uint32_t touched = mixed | mixed << 1;
            near[y][z] |= touched;
            near[y][z + 1] |= touched;
            near[y + 1][z] |= touched;
            near[y + 1][z + 1] |= touched;
        }
    }

    Voter voter(around, blocks, samples, bits, vote);
    for (int y = 1; y < n - 1; ++y) {
        for (int z = 1; z < n - 1; ++z) {
            if (near[y][z] == 0) continue;
            voter.beginRow(y, z);
            for (std::uint32_t left = near[y][z]; left != 0; left &= left - 1) {
                const int x = std::countr_zero(left), i = blocks.index(x, y, z);
                if (samples[i] != 0) materials[i] = voter.materialOf(x);
            }
        }
    }
}

}  // namespace karst::voxel_mesh
