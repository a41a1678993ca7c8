#include <karst/voxel/magica_voxel_place.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace karst::voxel {
namespace {

std::array<bool, 256> usedColors(const MagicaVoxelScene& scene) {
    std::array<bool, 256> used{};
    std::vector<bool> placed(scene.models.size());
    for (const MagicaVoxelInstance& instance : scene.instances) {
        if (placed[instance.model]) continue;
        placed[instance.model] = true;
        for (const MagicaVoxelCell& cell : scene.models[instance.model].cells)
            used[cell.color] = true;
    }
    return used;
}

}  // namespace

MagicaVoxelMaterials materialsOf(const MagicaVoxelScene& scene) {
    MagicaVoxelMaterials out;
    std::vector<Material> materials{{"air", MaterialKind::Air, {0, 0, 0}}};
    const std::array<bool, 256> used = usedColors(scene);
    for (std::size_t i = 1; i < used.size(); ++i) {
        if (!used[i]) continue;
        const auto& color = scene.palette[i];
        out.ids[i] = static_cast<MaterialId>(materials.size());
        materials.push_back(
            {"color " + std::to_string(i), MaterialKind::Solid, {color[0], color[1], color[2]}});
    }
    out.table = MaterialTable::create(materials).value();
    return out;
}

Result<PaletteMaterials> nearestMaterials(const MagicaVoxelScene& scene, const MaterialTable& table) {
    PaletteMaterials ids{};
    const std::array<bool, 256> used = usedColors(scene);
    for (std::size_t i = 1; i < used.size(); ++i) {
        if (!used[i]) continue;
        int best = std::numeric_limits<int>::max();
        for (std::size_t id = 1; id < table.size(); ++id) {
            const Material& material = table[static_cast<MaterialId>(id)];
            if (material.kind != MaterialKind::Solid) continue;
            int distance = 0;
            for (std::size_t c = 0; c < 3; ++c) {
                const int d = material.color[c] - scene.palette[i][c];
                distance += d * d;
            }
            if (distance >= best) continue;
            best = distance;
            ids[i] = static_cast<MaterialId>(id);
        }
        if (ids[i] == kAir) {
            return makeError(ErrorCode::InvalidArgument,
                             "vox: the table of %zu materials has no solid one for palette colour %zu",
                             table.size(), i);
        }
    }
    return ids;
}

Result<EditSummary> placeMagicaVoxel(Grid& grid, const MagicaVoxelScene& scene, CellCoord at,
                                     const PaletteMaterials& ids) {
    const std::array<bool, 256> used = usedColors(scene);
    for (std::size_t i = 1; i < used.size(); ++i) {
        if (used[i] && !grid.materials().contains(ids[i])) {
            return makeError(ErrorCode::InvalidArgument,
                             "vox: palette colour %zu: no material %d, the grid's table has %zu", i, ids[i],
                             grid.materials().size());
        }
    }
    const CellBox bounds = scene.bounds();
    const std::int64_t first[] = {at.x, at.y, at.z};
    const std::int64_t sides[] = {std::int64_t{bounds.max.x} - bounds.min.x,
                                  std::int64_t{bounds.max.y} - bounds.min.y,
                                  std::int64_t{bounds.max.z} - bounds.min.z};
    for (int axis = 0; axis < 3; ++axis) {
        if (first[axis] < -kCellLimit || first[axis] + sides[axis] > kCellLimit) {
            return makeError(ErrorCode::InvalidArgument,
                             "vox: %lld cells from cell %lld on along %c leave -%d .. %d",
                             static_cast<long long>(sides[axis]), static_cast<long long>(first[axis]),
                             "xyz"[axis], kCellLimit, kCellLimit);
        }
    }
    const CellCoord move{at.x - bounds.min.x, at.y - bounds.min.y, at.z - bounds.min.z};

    // Cells by chunk first, in their order, so that each chunk is copied once.
    struct Filling {
        std::uint16_t index;
        MaterialId material;
    };
    std::map<ChunkCoord, std::vector<Filling>> fillings;
    for (const MagicaVoxelInstance& instance : scene.instances) {
        ChunkCoord lastChunk;
        std::vector<Filling>* last = nullptr;
        for (const MagicaVoxelCell& cell : scene.models[instance.model].cells) {
            if (ids[cell.color] == kAir) continue;
            CellCoord place = scene.cellOf(instance, cell);
            place = {place.x + move.x, place.y + move.y, place.z + move.z};
            const ChunkCoord chunk = chunkOf(place);
            if (!last || !(chunk == lastChunk)) {
                last = &fillings[chunk];
                lastChunk = chunk;
            }
            last->push_back({static_cast<std::uint16_t>(cellIndex(place)), ids[cell.color]});
        }
    }
    std::vector<Cell> cells(kChunkCellCount);
    std::vector<ChunkReplacement> replacements;
    for (const auto& [coord, filling] : fillings) {
        if (const Chunk* chunk = grid.chunk(coord)) {
            chunk->copyTo(cells);
        } else {
            cells.assign(kChunkCellCount, Cell{});
        }
        for (const Filling& one : filling)
            cells[one.index] = {one.material, 255};
        replacements.push_back({coord, Chunk::make(cells, *grid.externals().allocator)});
    }
    return grid.replaceChunks(replacements);
}

}  // namespace karst::voxel
