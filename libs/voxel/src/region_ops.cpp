#include <karst/voxel/region_ops.h>

#include "edit_arguments.h"
#include "region_cells.h"

namespace karst::voxel {
namespace {

void addCells(CellCount& count, const MaterialTable& table, Cell cell, std::int64_t times) {
    if (cell.empty()) return;
    count.cells += times;
    if (table.isSolid(cell.material)) count.solid += times;
    if (table.isWater(cell.material)) count.water += times;
    count.byMaterial[cell.material] += times;
}

void addPart(CellCount& count, const MaterialTable& table, const Chunk& chunk, const CellBox& part) {
    if (part.empty()) return;
    if (chunk.uniform()) return addCells(count, table, chunk.uniformCell(), part.cellCount());
    for (std::int32_t y = part.min.y; y < part.max.y; ++y) {
        for (std::int32_t z = part.min.z; z < part.max.z; ++z) {
            const Cell* row = chunk.cells().data() + cellIndex(part.min.x, y, z);
            for (std::int32_t i = 0; i < part.max.x - part.min.x; ++i)
                addCells(count, table, row[i], 1);
        }
    }
}

}  // namespace

Result<EditSummary> replaceMaterial(Grid& grid, const CellBox& region, MaterialId from, MaterialId to) {
    constexpr const char* kName = "replaceMaterial";
    if (auto r = checkMaterial(kName, "from", grid.materials(), from); !r) return r.error();
    if (auto r = checkMaterial(kName, "to", grid.materials(), to); !r) return r.error();
    if (auto r = checkRegion(kName, region, kMaxFillCells); !r) return r.error();
    return grid.edit(region, [&](const EditBlock& block) {
        if (block.uniform && block.uniform->material != from) return;
        forEachCell(block, region, [&](Cell& cell, std::size_t) {
            if (cell.material == from)
                cell = canonical({to, from == kAir ? std::uint8_t{255} : cell.occupancy});
        });
    });
}

Result<EditSummary> clearRegion(Grid& grid, const CellBox& region) {
    if (auto r = checkRegion("clearRegion", region, kMaxFillCells); !r) return r.error();
    return grid.edit(region, [&](const EditBlock& block) {
        if (block.uniform && block.uniform->empty()) return;
        for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
            for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z)
                std::fill_n(block.row(y, z), block.box.max.x - block.box.min.x, Cell{});
        }
    });
}

Result<CellRegion> copyRegion(const CellView& view, const CellBox& region) {
    if (auto r = checkRegion("copyRegion", region, kMaxFillCells); !r) return r.error();
    return CellRegion{sizeOf(region), readCells(view, region)};
}

Result<EditSummary> pasteRegion(Grid& grid, CellCoord corner, const CellRegion& copy, EmptyCells empty) {
    constexpr const char* kName = "pasteRegion";
    const CellCoord size = copy.size;
    if (size.x <= 0 || size.y <= 0 || size.z <= 0) {
        return makeError(ErrorCode::InvalidArgument, "%s: the copy's size is (%d, %d, %d), must be above 0",
                         kName, size.x, size.y, size.z);
    }
    if (auto r = checkCell(kName, "corner", corner); !r) return r.error();
    const std::int64_t limit = kCellLimit;
    if (size.x > limit - corner.x || size.y > limit - corner.y || size.z > limit - corner.z) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: a copy of size (%d, %d, %d) at corner (%d, %d, %d) reaches beyond the cell "
                         "limit of 2^28",
                         kName, size.x, size.y, size.z, corner.x, corner.y, corner.z);
    }
    const CellBox region{corner, {corner.x + size.x, corner.y + size.y, corner.z + size.z}};
    if (auto r = checkRegion(kName, region, kMaxFillCells); !r) return r.error();
    if (copy.cells.size() != static_cast<std::size_t>(region.cellCount())) {
        return makeError(
            ErrorCode::InvalidArgument, "%s: the copy has %zu cells, its size (%d, %d, %d) says %lld", kName,
            copy.cells.size(), size.x, size.y, size.z, static_cast<long long>(region.cellCount()));
    }
    for (std::size_t i = 0; i < copy.cells.size(); ++i) {
        if (grid.materials().contains(copy.cells[i].material)) continue;
        return makeError(ErrorCode::InvalidArgument,
                         "%s: cell %zu of the copy is of material %d, but the table has %zu", kName, i,
                         int{copy.cells[i].material}, grid.materials().size());
    }
    return grid.edit(region, [&](const EditBlock& block) {
        forEachCell(block, region, [&](Cell& cell, std::size_t i) {
            const Cell pasted = canonical(copy.cells[i]);
            if (!pasted.empty() || empty == EmptyCells::Paste) cell = pasted;
        });
    });
}

CellCount countCells(const GridSnapshot& snapshot) {
    CellCount count;
    snapshot.forEachChunk([&](ChunkCoord coord, const Chunk& chunk) {
        addPart(count, snapshot.materials(), chunk, chunkBox(coord));
    });
    return count;
}

Result<CellCount> countCells(const GridSnapshot& snapshot, const CellBox& region) {
    if (auto r = checkRegion("countCells", region, kAnyNumber); !r) return r.error();
    CellCount count;
    snapshot.forEachChunk([&](ChunkCoord coord, const Chunk& chunk) {
        addPart(count, snapshot.materials(), chunk, intersect(region, chunkBox(coord)));
    });
    return count;
}

}  // namespace karst::voxel
