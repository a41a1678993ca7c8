#include <karst/voxel/brushes.h>

#include "edit_arguments.h"
#include "region_cells.h"
#include "shape_coverage.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace karst::voxel {
namespace {

/// The cells around a brush as they were, with one more on each side, and what to do with a new occupancy.
class BrushCells {
  public:
    BrushCells(const Grid& grid, const CellBox& box, MaterialId fallback)
        : m_box{{box.min.x - 1, box.min.y - 1, box.min.z - 1}, {box.max.x + 1, box.max.y + 1, box.max.z + 1}},
          m_table(grid.materials()),
          m_fallback(fallback),
          m_cells(readCells(grid, m_box)),
          m_rowStride(m_box.max.x - m_box.min.x),
          m_layerStride(m_rowStride * (m_box.max.z - m_box.min.z)) {
        m_solid.reserve(m_cells.size());
        for (const Cell cell : m_cells)
            m_solid.push_back(m_table.solidOccupancy(cell));
    }

    /// The solid occupancy of a cell, and by the offsets of its neighbours.
    const std::uint8_t* solid(CellCoord c) const { return m_solid.data() + index(c); }
    std::ptrdiff_t offset(int dx, int dy, int dz) const { return dx + m_rowStride * dz + m_layerStride * dy; }

    Cell with(CellCoord c, int occupancy) const {
        const Cell* cell = m_cells.data() + index(c);
        if (occupancy == m_table.solidOccupancy(*cell)) return *cell;
        if (occupancy == 0) return withoutSolid(cell);
        const auto value = static_cast<std::uint8_t>(occupancy);
        if (m_table.isSolid(cell->material)) return {cell->material, value};
        if (!cell->empty() && occupancy < 128) return *cell;
        const MaterialId material = strongestAround(cell);
        return material == kAir ? *cell : Cell{material, value};
    }

  private:
    std::ptrdiff_t index(CellCoord c) const {
        return static_cast<std::ptrdiff_t>(indexInRegion(m_box, c.x, c.y, c.z));
    }

    Cell withoutSolid(const Cell* cell) const {
        const Cell above = cell[offset(0, 1, 0)];
        if (m_table.isWater(above.material)) return {above.material, 255};
        Cell fullest;
        for (const std::ptrdiff_t side :
             {offset(-1, 0, 0), offset(1, 0, 0), offset(0, 0, -1), offset(0, 0, 1)}) {
            const Cell water = cell[side];
            if (!m_table.isWater(water.material)) continue;
            if (water.occupancy > fullest.occupancy ||
                (water.occupancy == fullest.occupancy && water.material < fullest.material)) {
                fullest = water;
            }
        }
        return fullest;
    }

    MaterialId strongestAround(const Cell* cell) const {
        std::array<int, 256> votes{};
        MaterialId best = m_fallback;
        int most = 0;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dz = -1; dz <= 1; ++dz) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const Cell other = cell[offset(dx, dy, dz)];
                    if (!m_table.isSolid(other.material)) continue;
                    const int weight = (dx ? 1 : 2) * (dy ? 1 : 2) * (dz ? 1 : 2);
                    int& vote = votes[other.material];
                    vote += weight * other.occupancy;
                    if (vote > most || (vote == most && other.material < best)) {
                        most = vote;
                        best = other.material;
                    }
                }
            }
        }
        return best;
    }

    CellBox m_box;
    const MaterialTable& m_table;
    MaterialId m_fallback;
    std::vector<Cell> m_cells;
    std::vector<std::uint8_t> m_solid;
    std::ptrdiff_t m_rowStride, m_layerStride;
};

Result<CellBox> boxOf(const char* operation, const Grid& grid, const Brush& brush, MaterialId material) {
    if (auto r = checkFinite(operation, "center", brush.center); !r) return r.error();
    if (auto r = checkPositive(operation, "radius", brush.radius); !r) return r.error();
    if (!(brush.strength > 0 && brush.strength <= 1)) {
        return makeError(ErrorCode::InvalidArgument, "%s: strength is %g, must be above 0 and at most 1",
                         operation, brush.strength);
    }
    if (auto r = checkMaterial(operation, "material", grid.materials(), material); !r) return r.error();
    if (material != kAir && !grid.materials().isSolid(material)) {
        return makeError(ErrorCode::InvalidArgument, "%s: material %d (%s) is not solid", operation,
                         int{material}, grid.materials()[material].name.c_str());
    }
    const ShapeCoverage ball = ShapeCoverage::ball(grid.placement(), brush.center, brush.radius);
    if (!ball.inLimit()) {
        return makeError(ErrorCode::InvalidArgument, "%s: the brush reaches beyond the cell limit of 2^28",
                         operation);
    }
    if (auto r = checkRegion(operation, ball.bounds(), kMaxBrushCells); !r) return r.error();
    return ball.bounds();
}

/// `target(cells, cell)` from 0 to 255.
template <class Target>
Result<EditSummary> apply(Grid& grid, const Brush& brush, const CellBox& box, MaterialId material,
                          Target&& target) {
    const GridPlacement& placement = grid.placement();
    const BrushCells cells(grid, box, material);
    const double radiusSquare = brush.radius * brush.radius;
    return grid.edit(box, [&](const EditBlock& block) {
        for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
            for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z) {
                Cell* row = block.row(y, z) - block.box.min.x;
                for (std::int32_t x = block.box.min.x; x < block.box.max.x; ++x) {
                    const CellCoord c{x, y, z};
                    const Vec3d d = placement.cellCenter(c) - brush.center;
                    const double rest = 1 - dot(d, d) / radiusSquare;
                    if (!(rest > 0)) continue;
                    const int old = *cells.solid(c);
                    const double wanted = target(cells, c);
                    if (wanted == old) continue;
                    const double moved = old + brush.strength * rest * rest * (wanted - old);
                    const int occupancy = static_cast<int>(std::clamp(moved, 0.0, 255.0) + 0.5);
                    row[x] = cells.with(c, occupancy);
                }
            }
        }
    });
}

template <class Choose>
double ofNeighbours(const BrushCells& cells, CellCoord c, Choose&& choose) {
    const std::uint8_t* s = cells.solid(c);
    std::uint8_t value = *s;
    for (const std::ptrdiff_t step : {cells.offset(1, 0, 0), cells.offset(0, 1, 0), cells.offset(0, 0, 1)})
        value = choose(value, choose(s[step], s[-step]));
    return value;
}

}  // namespace

Result<EditSummary> brushSmooth(Grid& grid, const Brush& brush) {
    const auto box = boxOf("brushSmooth", grid, brush, kAir);
    if (!box) return box.error();
    return apply(grid, brush, *box, kAir, [](const BrushCells& cells, CellCoord c) {
        const std::uint8_t* s = cells.solid(c);
        int sum = 0;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dz = -1; dz <= 1; ++dz) {
                const std::uint8_t* row = s + cells.offset(0, dy, dz);
                sum += (dy ? 1 : 2) * (dz ? 1 : 2) * (row[-1] + 2 * row[0] + row[1]);
            }
        }
        return std::clamp(sum / 32.0 - 127.5, 0.0, 255.0);
    });
}

Result<EditSummary> brushGrow(Grid& grid, const Brush& brush, MaterialId material) {
    const auto box = boxOf("brushGrow", grid, brush, material);
    if (!box) return box.error();
    return apply(grid, brush, *box, material, [](const BrushCells& cells, CellCoord c) {
        return ofNeighbours(cells, c, [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
    });
}

Result<EditSummary> brushErode(Grid& grid, const Brush& brush) {
    const auto box = boxOf("brushErode", grid, brush, kAir);
    if (!box) return box.error();
    return apply(grid, brush, *box, kAir, [](const BrushCells& cells, CellCoord c) {
        return ofNeighbours(cells, c, [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); });
    });
}

Result<EditSummary> brushFlatten(Grid& grid, const Brush& brush, const FlattenPlane& plane, FlattenMode mode,
                                 MaterialId material) {
    constexpr const char* kName = "brushFlatten";
    const auto box = boxOf(kName, grid, brush, material);
    if (!box) return box.error();
    if (auto r = checkFinite(kName, "plane.point", plane.point); !r) return r.error();
    if (auto r = checkFinite(kName, "plane.normal", plane.normal); !r) return r.error();
    const Vec3d n = plane.normal;
    const double largest = std::max({std::abs(n.x), std::abs(n.y), std::abs(n.z)});
    if (largest == 0) {
        return makeError(ErrorCode::InvalidArgument, "%s: plane.normal is (0, 0, 0), it must have a length",
                         kName);
    }
    const Vec3d normal = normalized(Vec3d{n.x / largest, n.y / largest, n.z / largest});
    const CutDirection cut = CutDirection::of(normal);
    const GridPlacement& placement = grid.placement();
    return apply(grid, brush, *box, material, [&](const BrushCells& cells, CellCoord c) {
        const double distance = dot(normal, placement.cellCenter(c) - plane.point) / placement.cellSize;
        const double wanted = std::floor(255 * cubeBelowPlane(distance, cut) + 0.5);
        const double old = *cells.solid(c);
        if (mode == FlattenMode::FillOnly) return std::max(wanted, old);
        if (mode == FlattenMode::DigOnly) return std::min(wanted, old);
        return wanted;
    });
}

}  // namespace karst::voxel
