#include "distance_coverage.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace karst::voxel {
namespace {

// Half a cube's diagonal for an edge of 1, a little more.
constexpr double kHalfDiagonal = 0.86603;
constexpr int kPoints = 4;
// How far the surface moves while it crosses a sample's cube: between 1 (along an axis) and 3^(1/2).
constexpr double kCrossing = 1.2;

class Sampler {
  public:
    Sampler(const GridPlacement& placement, const CellBox& region,
            FunctionRef<double(WorldPosition)> distance)
        : m_placement(placement), m_region(region), m_distance(distance) {}

    DistanceCoverage::Block block(ChunkCoord chunk) {
        DistanceCoverage::Block block;
        cube(firstCell(chunk), kChunkSize, block);
        return block;
    }
    const std::optional<WorldPosition>& fault() const { return m_fault; }
    double faultValue() const { return m_faultValue; }

  private:
    /// At a place in cells from the grid's origin; the value in cells.
    double at(double x, double y, double z) {
        const double s = m_placement.cellSize;
        const WorldPosition p{m_placement.origin.x + x * s, m_placement.origin.y + y * s,
                              m_placement.origin.z + z * s};
        const double value = m_distance(p);
        if (!std::isfinite(value) && !m_fault) {
            m_fault = p;
            m_faultValue = value;
        }
        return value / s;
    }

    void set(const CellBox& box, std::uint8_t value, DistanceCoverage::Block& block) {
        const CellCoord chunkFirst = firstCell(chunkOf(box.min));
        if (block.cells.empty()) {
            const CellBox all = intersect(chunkBox(chunkOf(chunkFirst)), m_region);
            if (box == all) {
                block.uniform = value;
                return;
            }
            if (value == 0) return;
            block.cells.assign(kChunkCellCount, 0);
        }
        for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
            for (std::int32_t z = box.min.z; z < box.max.z; ++z)
                std::fill_n(block.cells.begin() + cellIndex(box.min.x, y, z), box.max.x - box.min.x, value);
        }
    }

    void cube(CellCoord first, std::int32_t size, DistanceCoverage::Block& block) {
        const CellBox box = intersect({first, {first.x + size, first.y + size, first.z + size}}, m_region);
        if (box.empty() || m_fault) return;
        // The middle of what lies in the region, so that nothing outside is asked for.
        const double wx = box.max.x - box.min.x, wy = box.max.y - box.min.y, wz = box.max.z - box.min.z;
        const double d = at(box.min.x + wx / 2, box.min.y + wy / 2, box.min.z + wz / 2);
        const double reach = size == 1 ? kHalfDiagonal : 0.50001 * std::sqrt(wx * wx + wy * wy + wz * wz);
        if (d >= reach) return set(box, 0, block);
        if (d <= -reach) return set(box, 255, block);
        if (size > 1) {
            const std::int32_t h = size / 2;
            for (int i = 0; i < 8; ++i)
                cube({first.x + (i & 1 ? h : 0), first.y + (i & 4 ? h : 0), first.z + (i & 2 ? h : 0)}, h,
                     block);
            return;
        }
        // The shares are summed as whole multiples, so that the order does not matter.
        std::int32_t sum = 0;
        for (int i = 0; i < kPoints * kPoints * kPoints; ++i) {
            constexpr double kStep = 1.0 / kPoints;
            const double v =
                at(first.x + kStep * (0.5 + i % kPoints), first.y + kStep * (0.5 + i / (kPoints * kPoints)),
                   first.z + kStep * (0.5 + i / kPoints % kPoints));
            if (m_fault) return;
            const double share = std::clamp(0.5 - v * (kPoints / kCrossing), 0.0, 1.0);
            sum += static_cast<std::int32_t>(share * 65536 + 0.5);
        }
        set(box, static_cast<std::uint8_t>((std::int64_t{sum} * 255 / 64 + 32768) / 65536), block);
    }

    const GridPlacement& m_placement;
    const CellBox& m_region;
    FunctionRef<double(WorldPosition)> m_distance;
    std::optional<WorldPosition> m_fault;
    double m_faultValue = 0;
};

}  // namespace

Result<DistanceCoverage> DistanceCoverage::sample(const char* operation, const GridPlacement& placement,
                                                  const CellBox& region,
                                                  FunctionRef<double(WorldPosition)> distance) {
    DistanceCoverage result;
    Sampler sampler(placement, region, distance);
    const ChunkCoord low = chunkOf(region.min),
                     high = chunkOf({region.max.x - 1, region.max.y - 1, region.max.z - 1});
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                result.blocks.push_back(sampler.block({x, y, z}));
                if (sampler.fault()) {
                    const WorldPosition p = *sampler.fault();
                    return makeError(ErrorCode::InvalidArgument,
                                     "%s: the distance at (%g, %g, %g) is %g, not finite", operation, p.x,
                                     p.y, p.z, sampler.faultValue());
                }
            }
        }
    }
    return result;
}

}  // namespace karst::voxel
