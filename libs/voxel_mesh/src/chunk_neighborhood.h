#pragma once

// A chunk and the 26 around it, as one channel of samples reads them.

#include "cell_channel.h"

#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/field_sampling.h>

#include <cstdint>

namespace karst::voxel_mesh {

/// One of the 27: an array of cells, or a value for all.
struct ChunkSource {
    const voxel::Cell* cells = nullptr;
    std::uint8_t occupancy = 0;                ///< where there is no array
    voxel::MaterialId material = voxel::kAir;  ///< likewise
};

struct ChunkNeighborhood {
    ChunkSource sources[27];

    ChunkNeighborhood(const voxel::GridSnapshot& grid, voxel::ChunkCoord center, const CellChannel& channel) {
        ChunkSource* source = sources;
        for (int y = -1; y <= 1; ++y) {
            for (int z = -1; z <= 1; ++z) {
                for (int x = -1; x <= 1; ++x, ++source) {
                    const voxel::Chunk* chunk = grid.chunk({center.x + x, center.y + y, center.z + z});
                    if (!chunk) continue;
                    if (chunk->uniform()) {
                        source->occupancy = channel.occupancy(chunk->uniformCell());
                        source->material = channel.material(chunk->uniformCell());
                    } else {
                        source->cells = chunk->cells().data();
                    }
                }
            }
        }
    }

    /// 0 <= y, z <= 2, where 1 is the middle: the three along x.
    const ChunkSource* row(int y, int z) const { return sources + (y * 3 + z) * 3; }
};

/// Rows of the cells that a coarse field looks at: word [y][z] holds a bit for each cell along x. All count
/// from the field's first cell, so that at most 64 are needed.
using CellBits = std::uint64_t[64][64];

/// What the vote for materials wants to know of the cells and the blocks of a coarse field.
struct BlockBits {
    CellBits solid;    ///< occupancy 128 and above
    CellBits present;  ///< above 0
};

/// Samples of blocks of (1 << level)^3 cells, level 1 to 3. `bits` may be null.
void averageBlocks(const ChunkNeighborhood& around, const CellChannel& channel, int level,
                   std::uint8_t* samples, BlockBits* bits);

/// The materials of samples that averageBlocks() made of the solid channel, with its bits.
void voteMaterials(const ChunkNeighborhood& around, int level, const std::uint8_t* samples,
                   const BlockBits& bits, const MaterialVote& vote, voxel::MaterialId* materials);

}  // namespace karst::voxel_mesh
