#include <karst/voxel/grid_sampling.h>

#include "cell_cube.h"
#include "edit_arguments.h"

#include <cmath>

namespace karst::voxel {
namespace {

Result<Vec3d> toCells(const char* operation, const GridPlacement& placement, WorldPosition point) {
    if (auto r = checkFinite(operation, "point", point); !r) return r.error();
    const double s = placement.cellSize;
    const Vec3d d = point - placement.origin;
    const Vec3d p{d.x / s, d.y / s, d.z / s};
    const auto inside = [](double v) { return v >= -double{kCellLimit} && v < double{kCellLimit}; };
    if (inside(p.x) && inside(p.y) && inside(p.z)) return p;
    return makeError(ErrorCode::InvalidArgument, "%s: point (%g, %g, %g) lies beyond the cell limit of 2^28",
                     operation, point.x, point.y, point.z);
}

CellCoord floorOf(Vec3d p) {
    return {static_cast<std::int32_t>(std::floor(p.x)), static_cast<std::int32_t>(std::floor(p.y)),
            static_cast<std::int32_t>(std::floor(p.z))};
}

struct Cube {
    CubeCells cells;
    std::array<double, 8> weights;
};

/// `p` in cells.
Cube cubeAround(const CellView& view, Vec3d p) {
    const Vec3d q = p - Vec3d{0.5, 0.5, 0.5};
    const CellCoord low = floorOf(q);
    Cube cube;
    cube.weights = cubeWeights(q - Vec3d{double(low.x), double(low.y), double(low.z)});
    if ((low.x & 31) < 31 && (low.y & 31) < 31 && (low.z & 31) < 31) {
        const Chunk* chunk = view.chunk(chunkOf(low));
        const std::int32_t first = cellIndex(low);
        for (int i = 0; i < 8; ++i) {
            const std::int32_t step =
                (i & 1) + kChunkSize * (i >> 1 & 1) + kChunkSize * kChunkSize * (i >> 2);
            cube.cells[static_cast<std::size_t>(i)] = chunk ? chunk->cell(first + step) : Cell{};
        }
    } else {
        for (int i = 0; i < 8; ++i) {
            cube.cells[static_cast<std::size_t>(i)] =
                view.cell({low.x + (i & 1), low.y + (i >> 2), low.z + (i >> 1 & 1)});
        }
    }
    return cube;
}

double fractionOf(const Cube& cube, const MaterialTable& table, MaterialKind kind) {
    double sum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        if (table.kind(cube.cells[i].material) == kind) sum += cube.weights[i] * cube.cells[i].occupancy;
    }
    return sum / 255;
}

MaterialId materialOf(const Cube& cube, const MaterialTable& table, MaterialKind kind) {
    std::array<bool, 256> wanted{};
    for (const Cell cell : cube.cells)
        wanted[cell.material] = table.kind(cell.material) == kind;
    return strongestMaterial(cube.cells, cube.weights, wanted).material;
}

template <class Wanted>
Result<CellCoord> preferredCell(const char* operation, const CellView& view, WorldPosition point,
                                Wanted&& wanted) {
    constexpr double kBorder = 1.0 / 65536;
    const auto p = toCells(operation, view.placement(), point);
    if (!p) return p.error();
    const CellCoord own = floorOf(*p);
    if (wanted(view.cell(own))) return own;
    // The cells that a point this much to either side would be in.
    const CellCoord low = floorOf(*p - Vec3d{kBorder, kBorder, kBorder}),
                    high = floorOf(*p + Vec3d{kBorder, kBorder, kBorder});
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const CellCoord c{x, y, z};
                if (checkCell(operation, "cell", c).ok() && wanted(view.cell(c))) return c;
            }
        }
    }
    return own;
}

}  // namespace

Result<double> solidFractionAt(const CellView& view, WorldPosition point) {
    const auto p = toCells("solidFractionAt", view.placement(), point);
    if (!p) return p.error();
    return fractionOf(cubeAround(view, *p), view.materials(), MaterialKind::Solid);
}

Result<double> waterFractionAt(const CellView& view, WorldPosition point) {
    const auto p = toCells("waterFractionAt", view.placement(), point);
    if (!p) return p.error();
    return fractionOf(cubeAround(view, *p), view.materials(), MaterialKind::Water);
}

Result<MaterialId> solidMaterialAt(const CellView& view, WorldPosition point) {
    const auto p = toCells("solidMaterialAt", view.placement(), point);
    if (!p) return p.error();
    return materialOf(cubeAround(view, *p), view.materials(), MaterialKind::Solid);
}

Result<PointSample> sampleAt(const CellView& view, WorldPosition point) {
    const auto p = toCells("sampleAt", view.placement(), point);
    if (!p) return p.error();
    const Cube cube = cubeAround(view, *p);
    const MaterialTable& table = view.materials();
    return PointSample{
        fractionOf(cube, table, MaterialKind::Solid), fractionOf(cube, table, MaterialKind::Water),
        materialOf(cube, table, MaterialKind::Solid), materialOf(cube, table, MaterialKind::Water)};
}

Result<WorldPosition> cellCenterToWorld(const GridPlacement& placement, CellCoord cell) {
    if (auto r = checkCell("cellCenterToWorld", "cell", cell); !r) return r.error();
    return placement.cellCenter(cell);
}

Result<WorldPosition> cellCornerToWorld(const GridPlacement& placement, CellCoord cell) {
    if (auto r = checkCell("cellCornerToWorld", "cell", cell); !r) return r.error();
    return placement.cellCorner(cell);
}

Result<CellCoord> worldToCell(const GridPlacement& placement, WorldPosition point) {
    const auto p = toCells("worldToCell", placement, point);
    if (!p) return p.error();
    return floorOf(*p);
}

Result<CellCoord> worldToCellPreferEmpty(const CellView& view, WorldPosition point) {
    return preferredCell("worldToCellPreferEmpty", view, point, [](Cell cell) { return cell.empty(); });
}

Result<CellCoord> worldToCellPreferSolid(const CellView& view, WorldPosition point) {
    const MaterialTable& table = view.materials();
    return preferredCell("worldToCellPreferSolid", view, point,
                         [&](Cell cell) { return table.isSolid(cell.material); });
}

Result<CellBox> regionAround(const GridPlacement& placement, const Bounds& box) {
    constexpr const char* kName = "regionAround";
    if (auto r = checkFinite(kName, "box.min", box.min); !r) return r.error();
    if (auto r = checkFinite(kName, "box.max", box.max); !r) return r.error();
    if (!(box.min.x < box.max.x && box.min.y < box.max.y && box.min.z < box.max.z)) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: box (%g, %g, %g) .. (%g, %g, %g) is empty or inverted", kName, box.min.x,
                         box.min.y, box.min.z, box.max.x, box.max.y, box.max.z);
    }
    const double s = placement.cellSize;
    const Vec3d low = box.min - placement.origin, high = box.max - placement.origin;
    const Vec3d from{std::floor(low.x / s), std::floor(low.y / s), std::floor(low.z / s)};
    const Vec3d to{std::ceil(high.x / s), std::ceil(high.y / s), std::ceil(high.z / s)};
    const auto inside = [](double v) { return v >= -double{kCellLimit} && v <= double{kCellLimit}; };
    if (!inside(from.x) || !inside(from.y) || !inside(from.z) || !inside(to.x) || !inside(to.y) ||
        !inside(to.z)) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: box (%g, %g, %g) .. (%g, %g, %g) reaches beyond the cell limit of 2^28", kName,
                         box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z);
    }
    return CellBox{floorOf(from), floorOf(to)};
}

}  // namespace karst::voxel
