#include <karst/voxel/voxel_arrays.h>

#include "edit_arguments.h"
#include "region_cells.h"

namespace karst::voxel {
namespace {

Result<void> checkLength(const char* operation, const char* name, std::size_t length, const CellBox& region) {
    const std::size_t cells = static_cast<std::size_t>(region.cellCount());
    if (length == cells) return {};
    return makeError(ErrorCode::InvalidArgument, "%s: %s has %zu entries, the region %zu cells", operation,
                     name, length, cells);
}

/// All are known and, for a channel, of its kind or air.
Result<void> checkMaterials(const char* operation, const char* name, const MaterialTable& table,
                            const MaterialKind* kind, std::span<const MaterialId> materials,
                            const CellBox& region) {
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const MaterialId m = materials[i];
        if (table.contains(m) && (!kind || m == kAir || table.kind(m) == *kind)) continue;
        const CellCoord c = cellInRegion(region, i);
        if (!table.contains(m)) {
            return makeError(ErrorCode::InvalidArgument,
                             "%s: %s[%zu], of cell (%d, %d, %d), is %d, but the table has %zu materials",
                             operation, name, i, c.x, c.y, c.z, int{m}, table.size());
        }
        return makeError(ErrorCode::InvalidArgument,
                         "%s: %s[%zu], of cell (%d, %d, %d), is %d (%s), not a %s material", operation, name,
                         i, c.x, c.y, c.z, int{m}, table[m].name.c_str(),
                         *kind == MaterialKind::Solid ? "solid" : "water");
    }
    return {};
}

}  // namespace

Result<VoxelArrays> readVoxels(const CellView& view, const CellBox& region) {
    if (auto r = checkRegion("readVoxels", region, kMaxArrayCells); !r) return r.error();
    const std::vector<Cell> cells = readCells(view, region);
    VoxelArrays arrays;
    arrays.size = sizeOf(region);
    arrays.materials.resize(cells.size());
    arrays.occupancies.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        arrays.materials[i] = cells[i].material;
        arrays.occupancies[i] = cells[i].occupancy;
    }
    return arrays;
}

Result<EditSummary> writeVoxels(Grid& grid, const CellBox& region, std::span<const MaterialId> materials,
                                std::span<const std::uint8_t> occupancies) {
    constexpr const char* kName = "writeVoxels";
    if (auto r = checkRegion(kName, region, kMaxArrayCells); !r) return r.error();
    if (auto r = checkLength(kName, "materials", materials.size(), region); !r) return r.error();
    if (auto r = checkLength(kName, "occupancies", occupancies.size(), region); !r) return r.error();
    if (auto r = checkMaterials(kName, "materials", grid.materials(), nullptr, materials, region); !r) {
        return r.error();
    }
    return grid.edit(region, [&](const EditBlock& block) {
        forEachCell(block, region, [&](Cell& cell, std::size_t i) {
            cell = canonical({materials[i], occupancies[i]});
        });
    });
}

Result<VoxelChannels> readVoxelChannels(const CellView& view, const CellBox& region) {
    if (auto r = checkRegion("readVoxelChannels", region, kMaxArrayCells); !r) return r.error();
    const std::vector<Cell> cells = readCells(view, region);
    const MaterialTable& table = view.materials();
    VoxelChannels channels;
    channels.size = sizeOf(region);
    channels.solidMaterials.resize(cells.size());
    channels.solidOccupancies.resize(cells.size());
    channels.waterMaterials.resize(cells.size());
    channels.waterOccupancies.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (table.isSolid(cells[i].material)) {
            channels.solidMaterials[i] = cells[i].material;
            channels.solidOccupancies[i] = cells[i].occupancy;
        } else if (!cells[i].empty()) {
            channels.waterMaterials[i] = cells[i].material;
            channels.waterOccupancies[i] = cells[i].occupancy;
        }
    }
    return channels;
}

Result<EditSummary> writeVoxelChannels(Grid& grid, const CellBox& region, const VoxelChannelsView& channels) {
    constexpr const char* kName = "writeVoxelChannels";
    if (auto r = checkRegion(kName, region, kMaxArrayCells); !r) return r.error();
    const MaterialTable& table = grid.materials();
    const bool solids = !channels.solidMaterials.empty() || !channels.solidOccupancies.empty();
    const bool waters = !channels.waterMaterials.empty() || !channels.waterOccupancies.empty();
    if (!solids && !waters) {
        return makeError(ErrorCode::InvalidArgument, "%s: there is no channel, all arrays have 0 entries",
                         kName);
    }
    const auto check = [&](const char* name, std::size_t length) {
        return checkLength(kName, name, length, region);
    };
    if (solids) {
        const MaterialKind kind = MaterialKind::Solid;
        if (auto r = check("solidMaterials", channels.solidMaterials.size()); !r) return r.error();
        if (auto r = check("solidOccupancies", channels.solidOccupancies.size()); !r) return r.error();
        if (auto r = checkMaterials(kName, "solidMaterials", table, &kind, channels.solidMaterials, region);
            !r) {
            return r.error();
        }
    }
    MaterialId firstWater = kAir;
    if (waters) {
        const MaterialKind kind = MaterialKind::Water;
        if (auto r = check("waterOccupancies", channels.waterOccupancies.size()); !r) return r.error();
        if (!channels.waterMaterials.empty()) {
            if (auto r = check("waterMaterials", channels.waterMaterials.size()); !r) return r.error();
        } else {
            for (std::size_t i = 0; i < table.size() && firstWater == kAir; ++i) {
                if (table.isWater(static_cast<MaterialId>(i))) firstWater = static_cast<MaterialId>(i);
            }
            if (firstWater == kAir) {
                return makeError(ErrorCode::InvalidArgument,
                                 "%s: waterMaterials has 0 entries and the table has no water to take",
                                 kName);
            }
        }
        if (auto r = checkMaterials(kName, "waterMaterials", table, &kind, channels.waterMaterials, region);
            !r) {
            return r.error();
        }
    }
    return grid.edit(region, [&](const EditBlock& block) {
        forEachCell(block, region, [&](Cell& cell, std::size_t i) {
            Cell solid = table.isSolid(cell.material) ? cell : Cell{};
            Cell water = table.isWater(cell.material) ? cell : Cell{};
            if (solids) solid = canonical({channels.solidMaterials[i], channels.solidOccupancies[i]});
            if (waters) {
                water = canonical({channels.waterMaterials.empty() ? firstWater : channels.waterMaterials[i],
                                   channels.waterOccupancies[i]});
            }
            cell = solid.empty() ? water : solid;
        });
    });
}

}  // namespace karst::voxel
