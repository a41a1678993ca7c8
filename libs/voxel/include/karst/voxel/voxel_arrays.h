#pragma once

#include <karst/voxel/cell_view.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel {

// Cells of a region as plain arrays. An array has one entry a cell, region.cellCount() of them: x fastest,
// then z, then y, from region.min on. Occupancies are 0 to 255.
//
// Errors name the function, the argument and its value, and nothing changes: an empty or inverted region, one
// beyond kCellLimit or of more than kMaxArrayCells, an array of another length, a material that the grid's
// table does not have or that is of the wrong kind for its channel. Reading takes a grid or a snapshot.
// Threads: as those.

/// Cells that one call reads or writes.
inline constexpr std::int64_t kMaxArrayCells = 4'194'304;

struct VoxelArrays {
    /// Cells along each axis.
    CellCoord size;
    std::vector<MaterialId> materials;
    std::vector<std::uint8_t> occupancies;
};

Result<VoxelArrays> readVoxels(const CellView& view, const CellBox& region);

/// One edit. A cell of air or of occupancy 0 becomes the empty cell, whatever its other half says.
Result<EditSummary> writeVoxels(Grid& grid, const CellBox& region, std::span<const MaterialId> materials,
                                std::span<const std::uint8_t> occupancies);

/// Solid and water apart: a cell has kAir and 0 in the channels of what it is not.
struct VoxelChannels {
    CellCoord size;
    std::vector<MaterialId> solidMaterials;
    std::vector<std::uint8_t> solidOccupancies;
    std::vector<MaterialId> waterMaterials;
    std::vector<std::uint8_t> waterOccupancies;
};

/// What to write. A pair left empty keeps what the cells have of it; water occupancies without materials take
/// the table's first water.
struct VoxelChannelsView {
    std::span<const MaterialId> solidMaterials;
    std::span<const std::uint8_t> solidOccupancies;
    std::span<const MaterialId> waterMaterials;
    std::span<const std::uint8_t> waterOccupancies;

    VoxelChannelsView() = default;
    VoxelChannelsView(const VoxelChannels& c)
        : solidMaterials(c.solidMaterials),
          solidOccupancies(c.solidOccupancies),
          waterMaterials(c.waterMaterials),
          waterOccupancies(c.waterOccupancies) {}
};

Result<VoxelChannels> readVoxelChannels(const CellView& view, const CellBox& region);

/// One edit. A cell holds either solid or water: where it would come to have both, the solid stays and the
/// water goes.
Result<EditSummary> writeVoxelChannels(Grid& grid, const CellBox& region, const VoxelChannelsView& channels);

}  // namespace karst::voxel
