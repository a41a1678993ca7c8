// Samples of coarse levels: means over blocks, and the vote for their materials.

#include "chunk_neighborhood.h"

#include <cstring>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::kChunkSize;
using voxel::MaterialId;

// A level's measures. Cells and samples are counted from the field's first ones.
struct Blocks {
    explicit Blocks(int level)
        : shift(level),
          edge(1 << level),
          samples(samplesPerAxis(level) + 2 * kFieldPadding),
          padding(kFieldPadding << level) {}

    int shift;
    int edge;     ///< cells along a block
    int samples;  ///< along the field
    int padding;  ///< cells before the chunk

    int index(int x, int y, int z) const { return x + samples * (z + samples * y); }
    /// Which third of the neighbourhood a cell lies in.
    int third(int cell) const { return cell < padding ? 0 : cell < padding + kChunkSize ? 1 : 2; }
};

/// Votes by material; all are 0 between uses.
class Votes {
  public:
    void add(MaterialId id, std::uint32_t votes) {
        if (m_votes[id] == 0) m_ids[m_count++] = id;
        m_votes[id] += votes;
    }
    bool none() const { return m_count == 0; }
    /// The most votes, the lower id of equal ones.
    MaterialId take() {
        MaterialId best = m_ids[0];
        for (int i = 1; i < m_count; ++i) {
            const MaterialId id = m_ids[i];
            if (m_votes[id] > m_votes[best] || (m_votes[id] == m_votes[best] && id < best)) best = id;
        }
        clear();
        return best;
    }
    void clear() {
        for (int i = 0; i < m_count; ++i)
            m_votes[m_ids[i]] = 0;
        m_count = 0;
    }

  private:
    std::uint32_t m_votes[256] = {};
    MaterialId m_ids[256];
    int m_count = 0;
};

class Voter {
  public:
    Voter(const ChunkNeighborhood& around, const CellChannel& channel, const Blocks& blocks,
          const std::uint8_t* samples, const SolidBits& solid, const MaterialVote& vote)
        : m_around(around),
          m_channel(channel),
          m_blocks(blocks),
          m_samples(samples),
          m_solid(solid),
          m_vote(vote) {}

    /// Of a sample that is not 0, not of the outermost layer.
    MaterialId materialOf(int x, int y, int z) {
        const bool solid = m_samples[m_blocks.index(x, y, z)] >= 128;
        const bool exposed = count(x, y, z, false);
        const MaterialId own = m_votes.take();
        if (exposed || !solid) return own;
        constexpr int kFaces[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
        for (const auto& face : kFaces) {
            const int nx = x + face[0], ny = y + face[1], nz = z + face[2];
            const std::uint8_t next = m_samples[m_blocks.index(nx, ny, nz)];
            if (next != 0 && next < 128) count(nx, ny, nz, true);
        }
        if (m_votes.none()) {
            for (int k = 0; k < 27; ++k)
                count(x + k % 3 - 1, y + k / 9 - 1, z + k / 3 % 3 - 1, true);
        }
        return m_votes.none() ? own : m_votes.take();
    }

  private:
    // Adds the votes of a block; true where a cell of it that votes is exposed. With `inside` only exposed
    // cells vote, and only cells of the block itself expose them: so the outermost blocks may be asked too.
    bool count(int x, int y, int z, bool inside) {
        const int edge = m_blocks.edge, x0 = x * edge, y0 = y * edge, z0 = z * edge;
        const ChunkSource& source = m_around.row(m_blocks.third(y0), m_blocks.third(z0))[m_blocks.third(x0)];
        const std::uint64_t block = ((std::uint64_t{1} << edge) - 1) << x0;
        bool anyExposed = false;
        MaterialId run = voxel::kAir;
        std::uint32_t runVotes = 0;
        for (int cy = y0; cy < y0 + edge; ++cy) {
            for (int cz = z0; cz < z0 + edge; ++cz) {
                const std::uint64_t bits =
                    (inside ? exposedInside(cy, cz, y0, z0, block) : exposed(cy, cz)) >> x0;
                if (inside && (bits & (block >> x0)) == 0) continue;
                const Cell* cells = source.cells ? source.cells + voxel::cellIndex(x0 - m_blocks.padding,
                                                                                   cy - m_blocks.padding,
                                                                                   cz - m_blocks.padding)
                                                 : nullptr;
                for (int i = 0; i < edge; ++i) {
                    const Cell cell = cells ? cells[i] : Cell{source.material, source.occupancy};
                    const std::uint32_t occupancy = m_channel.occupancy(cell);
                    if (occupancy == 0) continue;
                    const bool isExposed = (bits >> i & 1) != 0;
                    anyExposed = anyExposed || isExposed;
                    const std::uint32_t weight = isExposed ? m_vote.exposed : inside ? 0u : m_vote.buried;
                    if (cell.material != run) {
                        if (runVotes != 0) m_votes.add(run, runVotes);
                        run = cell.material;
                        runVotes = 0;
                    }
                    runVotes += occupancy * weight;
                }
            }
        }
        if (runVotes != 0) m_votes.add(run, runVotes);
        return anyExposed;
    }

    // Cells of a row with a neighbour that is not solid.
    std::uint64_t exposed(int y, int z) const {
        const std::uint64_t row = m_solid.rows[y][z];
        return ~(row << 1 & row >> 1 & m_solid.rows[y - 1][z] & m_solid.rows[y + 1][z] &
                 m_solid.rows[y][z - 1] & m_solid.rows[y][z + 1]);
    }
    std::uint64_t exposedInside(int y, int z, int y0, int z0, std::uint64_t block) const {
        const int edge = m_blocks.edge;
        const std::uint64_t row = m_solid.rows[y][z] | ~block;
        std::uint64_t enclosed = (row << 1 | 1) & (row >> 1 | std::uint64_t{1} << 63);
        if (y > y0) enclosed &= m_solid.rows[y - 1][z];
        if (y + 1 < y0 + edge) enclosed &= m_solid.rows[y + 1][z];
        if (z > z0) enclosed &= m_solid.rows[y][z - 1];
        if (z + 1 < z0 + edge) enclosed &= m_solid.rows[y][z + 1];
        return ~enclosed;
    }

    const ChunkNeighborhood& m_around;
    const CellChannel& m_channel;
    const Blocks& m_blocks;
    const std::uint8_t* m_samples;
    const SolidBits& m_solid;
    const MaterialVote& m_vote;
    Votes m_votes;
};

}  // namespace

void averageBlocks(const ChunkNeighborhood& around, const CellChannel& channel, int level,
                   std::uint8_t* samples, SolidBits* solid) {
    const Blocks blocks(level);
    const int n = blocks.samples, edge = blocks.edge, padding = blocks.padding;
    // The parts of a row of cells: where each starts, its cells, and where they start in their chunk.
    const int start[3] = {0, padding, padding + kChunkSize};
    const int length[3] = {padding, kChunkSize, padding};
    const int first[3] = {kChunkSize - padding, 0, 0};
    const auto half = static_cast<std::uint32_t>(1 << (3 * level - 1));
    for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z, samples += n) {
            const int y0 = y * edge, z0 = z * edge;
            const ChunkSource* row = around.row(blocks.third(y0), blocks.third(z0));
            std::uint64_t uniformBits = 0;
            for (int part = 0; part < 3; ++part) {
                if (row[part].cells || row[part].occupancy < 128) continue;
                uniformBits |= ((std::uint64_t{1} << length[part]) - 1) << start[part];
            }
            if (solid) {
                for (int dy = 0; dy < edge; ++dy) {
                    for (int dz = 0; dz < edge; ++dz)
                        solid->rows[y0 + dy][z0 + dz] = uniformBits;
                }
            }
            for (int part = 0; part < 3; ++part) {
                std::uint8_t* const out = samples + start[part] / edge;
                const int count = length[part] / edge;
                const Cell* const cells = row[part].cells;
                if (!cells) {
                    std::memset(out, row[part].occupancy, static_cast<std::size_t>(count));
                    continue;
                }
                std::uint16_t sums[kChunkSize] = {};
                for (int dy = 0; dy < edge; ++dy) {
                    for (int dz = 0; dz < edge; ++dz) {
                        const int cy = y0 + dy, cz = z0 + dz;
                        const std::uint64_t bits =
                            channel.add(cells + voxel::cellIndex(first[part], cy - padding, cz - padding),
                                        length[part], sums);
                        if (solid) solid->rows[cy][cz] |= bits << start[part];
                    }
                }
                for (int i = 0; i < count; ++i) {
                    std::uint32_t sum = half;
                    for (int k = 0; k < edge; ++k)
                        sum += sums[i * edge + k];
                    out[i] = static_cast<std::uint8_t>(sum >> (3 * level));
                }
            }
        }
    }
}

void voteMaterials(const ChunkNeighborhood& around, const CellChannel& channel, int level,
                   const std::uint8_t* samples, const SolidBits& solid, const MaterialVote& vote,
                   MaterialId* materials) {
    const Blocks blocks(level);
    const int n = blocks.samples;
    std::memset(materials, voxel::kAir, static_cast<std::size_t>(n * n * n));

    // Bits of the samples that are solid, then of those that a cube of both kinds touches.
    std::uint32_t signs[20][20], near[20][20] = {};
    for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z) {
            std::uint32_t bits = 0;
            for (int x = 0; x < n; ++x)
                bits |= static_cast<std::uint32_t>(samples[blocks.index(x, y, z)] >> 7) << x;
            signs[y][z] = bits;
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

    Voter voter(around, channel, blocks, samples, solid, vote);
    for (int y = 1; y < n - 1; ++y) {
        for (int z = 1; z < n - 1; ++z) {
            for (int x = 1; x < n - 1; ++x) {
                const int i = blocks.index(x, y, z);
                if ((near[y][z] >> x & 1) != 0 && samples[i] != 0) materials[i] = voter.materialOf(x, y, z);
            }
        }
    }
}

}  // namespace karst::voxel_mesh
