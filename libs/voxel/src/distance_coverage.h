#pragma once

#include <karst/base/function_ref.h>
#include <karst/base/result.h>
#include <karst/voxel/grid_snapshot.h>

#include <cstdint>
#include <vector>

namespace karst::voxel {

/// How much of each cell of a region a signed distance function covers.
struct DistanceCoverage {
    struct Block {
        std::uint8_t uniform = 0;
        /// In the order of cellIndex(); empty where all cells of the block are `uniform`.
        std::vector<std::uint8_t> cells;
    };
    /// One for each chunk that the region meets, in the order of ChunkCoord.
    std::vector<Block> blocks;

    /// Fails at the first value that is not finite.
    static Result<DistanceCoverage> sample(const char* operation, const GridPlacement& placement,
                                           const CellBox& region,
                                           FunctionRef<double(WorldPosition)> distance);
};

}  // namespace karst::voxel
