#include "height_lattice_ray.h"

#include <karst/heightfield/height_triangle.h>

#include <algorithm>
#include <cmath>

namespace karst::physics {
namespace {

using heightfield::CellGradient;
using heightfield::cellHeight;

/// A ray over the lattice of the tiles: u and v count samples, y is the height above the terrain's zero.
struct LatticeRay {
    double u, v, y, du, dv, dy;
};

/// Follows a ray from cell to cell. What decides is the sign of (ray - ground): it is carried over each
/// border, so that a ray cannot slip through between two cells, whatever is rounded.
class Walk {
  public:
    Walk(const TerrainShape::State& state, const LatticeRay& ray) : m_state(state), m_ray(ray) {}

    std::optional<HeightLatticeHit> run(double begin, double end) {
        const TerrainShapeDefinition& def = m_state.definition;
        m_t = begin;
        m_end = end;
        m_cellsX = {std::int64_t{def.minTileX} * m_state.tileCells,
                    std::int64_t{def.maxTileX} * m_state.tileCells};
        m_cellsZ = {std::int64_t{def.minTileZ} * m_state.tileCells,
                    std::int64_t{def.maxTileZ} * m_state.tileCells};
        m_x = cellOf(m_ray.u + begin * m_ray.du, m_cellsX);
        m_z = cellOf(m_ray.v + begin * m_ray.dv, m_cellsZ);
        while (!m_done) {
            const std::int64_t tileX = m_x / m_state.tileCells, tileZ = m_z / m_state.tileCells;
            const std::size_t slot =
                m_state.tileSlot(static_cast<std::uint32_t>(tileX), static_cast<std::uint32_t>(tileZ));
            if (walkTile(m_state.tiles.read(slot), slot, tileX * m_state.tileCells,
                         tileZ * m_state.tileCells))
                return m_hit;
        }
        return std::nullopt;
    }

  private:
    struct Span {
        std::int64_t begin, end;
    };
    /// Cells of a part of the lattice, and where the ray leaves it.
    struct Part {
        Span x, z;
        double exit;
        bool alongX;  ///< the border that it leaves by
    };

    static std::int64_t cellOf(double at, Span cells) {
        const double cell =
            std::clamp(std::floor(at), static_cast<double>(cells.begin), static_cast<double>(cells.end - 1));
        return static_cast<std::int64_t>(cell);
    }

    Part part(Span x, Span z) const {
        constexpr double kNever = std::numeric_limits<double>::infinity();
        const auto leaves = [](double from, double speed, Span cells) {
            if (speed == 0) return kNever;
            return (static_cast<double>(speed > 0 ? cells.end : cells.begin) - from) / speed;
        };
        const double exitX = leaves(m_ray.u, m_ray.du, x), exitZ = leaves(m_ray.v, m_ray.dv, z);
        return {x, z, std::max(m_t, std::min(exitX, exitZ)), exitX <= exitZ};
    }

    /// To the first cell beyond a part; the walk is done past the lattice or the ray's end.
    void leave(const Part& p) {
        m_t = std::min(p.exit, m_end);
        if (p.exit >= m_end) {
            m_done = true;
        } else if (p.alongX) {
            m_x = m_ray.du > 0 ? p.x.end : p.x.begin - 1;
            m_z = cellOf(m_ray.v + m_t * m_ray.dv, p.z);
            m_done = m_x < m_cellsX.begin || m_x >= m_cellsX.end;
        } else {
            m_z = m_ray.dv > 0 ? p.z.end : p.z.begin - 1;
            m_x = cellOf(m_ray.u + m_t * m_ray.du, p.x);
            m_done = m_z < m_cellsZ.begin || m_z >= m_cellsZ.end;
        }
    }

    /// Is the ray above, or below, all of a range on its way through a part? Then no cell of it need be
    /// looked at.
    bool clears(const Part& p, HeightColliderTile::Range range) {
        const double exit = std::min(p.exit, m_end);
        const double a = m_ray.y + m_t * m_ray.dy, b = m_ray.y + exit * m_ray.dy;
        if (std::min(a, b) > double{range.max}) {
            m_above = 1;
        } else if (std::max(a, b) < double{range.min}) {
            m_above = -1;
        } else {
            return false;
        }
        return true;
    }

    bool walkTile(const HeightColliderTile* tile, std::size_t slot, std::int64_t beginX,
                  std::int64_t beginZ) {
        const Part whole = part({beginX, beginX + m_state.tileCells}, {beginZ, beginZ + m_state.tileCells});
        if (tile == nullptr) {
            m_above = 0;
            leave(whole);
            return false;
        }
        if (clears(whole, tile->range())) {
            leave(whole);
            return false;
        }
        constexpr int kBlock = HeightColliderTile::kBlockCells;
        while (!m_done && m_x >= whole.x.begin && m_x < whole.x.end && m_z >= whole.z.begin &&
               m_z < whole.z.end) {
            const std::int64_t blockX = (m_x - beginX) / kBlock, blockZ = (m_z - beginZ) / kBlock;
            const std::int64_t x = beginX + blockX * kBlock, z = beginZ + blockZ * kBlock;
            const Part block =
                part({x, std::min(x + kBlock, whole.x.end)}, {z, std::min(z + kBlock, whole.z.end)});
            if (clears(block, tile->blockRange(static_cast<int>(blockX), static_cast<int>(blockZ)))) {
                leave(block);
                continue;
            }
            while (!m_done && m_x >= block.x.begin && m_x < block.x.end && m_z >= block.z.begin &&
                   m_z < block.z.end) {
                const Part cell = part({m_x, m_x + 1}, {m_z, m_z + 1});
                if (meetCell(*tile, slot, static_cast<int>(m_x - beginX), static_cast<int>(m_z - beginZ),
                             std::min(cell.exit, m_end))) {
                    return true;
                }
                leave(cell);
            }
        }
        return false;
    }

    bool meetCell(const HeightColliderTile& tile, std::size_t slot, int x, int z, double exit) {
        if (!tile.ground(x, z)) {
            m_above = 0;
            return false;
        }
        const double h00 = tile.height(x, z), h10 = tile.height(x + 1, z);
        const double h01 = tile.height(x, z + 1), h11 = tile.height(x + 1, z + 1);
        const auto along = [](double at, std::int64_t cell) {
            return std::clamp(at - static_cast<double>(cell), 0.0, 1.0);
        };
        const double inX = along(m_ray.u + m_t * m_ray.du, m_x), inZ = along(m_ray.v + m_t * m_ray.dv, m_z);
        const double outX = along(m_ray.u + exit * m_ray.du, m_x),
                     outZ = along(m_ray.v + exit * m_ray.dv, m_z);
        const auto gap = [&](double t, double fx, double fz) {
            return m_ray.y + t * m_ray.dy - cellHeight(h00, h10, h01, h11, fx, fz);
        };
        double t = m_t, g = gap(t, inX, inZ);
        bool lower = heightfield::isLowerTriangle(inX, inZ);
        const bool lowerAtExit = heightfield::isLowerTriangle(outX, outZ);
        if (m_above == 0 && g == 0) return hit(slot, tile, x, z, lower, t, h00, h10, h01, h11);
        if (m_above == 0) m_above = g > 0 ? 1 : -1;

        // Where the ray begins on a slope of the other triangle of the same cell, its own part may have no
        // length.
        const auto step = [&](double toT, double toG, bool isLower) {
            const bool crosses = m_above > 0 ? toG <= 0 : toG >= 0;
            if (!crosses) {
                t = toT;
                g = toG;
                return false;
            }
            const bool sameSide = m_above > 0 ? g > 0 : g < 0;
            const double at = sameSide && g != toG ? t + (toT - t) * (g / (g - toG)) : t;
            return hit(slot, tile, x, z, isLower, std::clamp(at, t, toT), h00, h10, h01, h11);
        };
        if (lower != lowerAtExit) {
            const double inSum = inX + inZ, outSum = outX + outZ;
            const double share = std::clamp((1 - inSum) / (outSum - inSum), 0.0, 1.0);
            const double fx = std::clamp(inX + share * (outX - inX), 0.0, 1.0);
            const double atT = t + share * (exit - t);
            // On the diagonal both triangles have the same height.
            if (step(atT, m_ray.y + atT * m_ray.dy - (h01 + fx * (h10 - h01)), lower)) return true;
            lower = lowerAtExit;
        }
        return step(exit, gap(exit, outX, outZ), lower);
    }

    bool hit(std::size_t slot, const HeightColliderTile& tile, int x, int z, bool lower, double t, double h00,
             double h10, double h01, double h11) {
        const CellGradient<double> g = heightfield::triangleGradient(h00, h10, h01, h11, lower);
        m_hit.t = t;
        m_hit.id = makeTriangleId(kHeightKind, slot,
                                  static_cast<std::uint32_t>(2 * (z * tile.cells() + x) + (lower ? 0 : 1)));
        m_hit.normal = toFloat(normalized(Vec3d{-g.x / m_state.strideX, 1, -g.z / m_state.strideZ}));
        return true;
    }

    const TerrainShape::State& m_state;
    const LatticeRay m_ray;
    double m_t = 0, m_end = 0;
    std::int64_t m_x = 0, m_z = 0;
    Span m_cellsX{}, m_cellsZ{};
    int m_above = 0;  ///< the sign of (ray - ground) so far; 0 where there was no ground
    bool m_done = false;
    HeightLatticeHit m_hit{};
};

}  // namespace

std::optional<HeightLatticeHit> castRayOnTiles(const TerrainShape::State& state, const Ray& ray,
                                               double maxT) {
    LatticeRay l{(ray.origin.x - state.heightBase.x) / state.strideX,
                 (ray.origin.z - state.heightBase.z) / state.strideZ,
                 ray.origin.y - state.heightBase.y,
                 ray.direction.x / state.strideX,
                 ray.direction.z / state.strideZ,
                 ray.direction.y};
    // What cannot leave a cell is straight up or down.
    constexpr double kLeast = 1e-290;
    if (std::abs(l.du) < kLeast) l.du = 0;
    if (std::abs(l.dv) < kLeast) l.dv = 0;
    const TerrainShapeDefinition& def = state.definition;
    double begin = 0, end = maxT;
    const auto clip = [&](double from, double speed, double low, double high) {
        if (speed == 0) return from >= low && from <= high;
        const double a = (low - from) / speed, b = (high - from) / speed;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
        return begin <= end;
    };
    const double cells = state.tileCells;
    if (!clip(l.u, l.du, def.minTileX * cells, def.maxTileX * cells)) return std::nullopt;
    if (!clip(l.v, l.dv, def.minTileZ * cells, def.maxTileZ * cells)) return std::nullopt;
    if (l.du == 0 && l.dv == 0) {
        // The ground below or above the one place: all of it between the ends of the float range.
        if (l.dy == 0) end = begin;
        end = std::min(end, l.dy == 0 ? 0.0 : (std::copysign(1e39, l.dy) - l.y) / l.dy);
        if (!(end >= begin)) return std::nullopt;
    }
    if (!std::isfinite(end)) return std::nullopt;
    return Walk(state, l).run(begin, end);
}

}  // namespace karst::physics
