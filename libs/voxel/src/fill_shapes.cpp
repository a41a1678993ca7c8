#include <karst/voxel/fill_shapes.h>

#include "distance_coverage.h"
#include "edit_arguments.h"
#include "fill_rule.h"
#include "shape_coverage.h"

#include <algorithm>
#include <array>

namespace karst::voxel {
namespace {

Result<void> checkFill(const char* operation, const Grid& grid, MaterialId material, FillMode mode) {
    if (auto r = checkMaterial(operation, "material", grid.materials(), material); !r) return r;
    if (mode == FillMode::Paint && !grid.materials().isSolid(material)) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: material %d (%s) is not solid, so it cannot be painted", operation,
                         int{material}, grid.materials()[material].name.c_str());
    }
    return {};
}

Result<void> checkPose(const char* operation, const Pose& pose) {
    if (auto r = checkFinite(operation, "center", pose.center); !r) return r;
    return checkRotation(operation, pose.rotation);
}

Result<EditSummary> fill(const char* operation, Grid& grid, const ShapeCoverage& shape, MaterialId material,
                         FillMode mode) {
    if (!shape.inLimit()) {
        return makeError(ErrorCode::InvalidArgument, "%s: the shape reaches beyond the cell limit of 2^28",
                         operation);
    }
    if (auto r = checkRegion(operation, shape.bounds(), kMaxFillCells); !r) return r.error();
    const FillRule rule(grid.materials(), material, mode);
    return grid.edit(shape.bounds(), [&](const EditBlock& block) {
        if (block.uniform && rule.keeps(*block.uniform)) return;
        const CellBox& box = block.box;
        std::array<std::uint8_t, kChunkSize> coverage;
        const auto rim = [&](Cell* row, std::int32_t x, std::int32_t end, std::int32_t y, std::int32_t z) {
            if (x >= end) return;
            shape.coverRow({x, y, z}, end - x, coverage.data());
            rule.apply(row + (x - box.min.x), coverage.data(), end - x);
        };
        for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
            for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
                const RowSpan span = shape.rowSpan(y, z);
                const auto inBox = [&](std::int32_t x) { return std::clamp(x, box.min.x, box.max.x); };
                const std::int32_t innerBegin = inBox(span.innerBegin), innerEnd = inBox(span.innerEnd);
                Cell* row = block.row(y, z);
                rim(row, inBox(span.outerBegin), innerBegin, y, z);
                rule.applyFull(row + (innerBegin - box.min.x), innerEnd - innerBegin);
                rim(row, innerEnd, inBox(span.outerEnd), y, z);
            }
        }
    });
}

}  // namespace

Result<EditSummary> fillBlock(Grid& grid, const Pose& pose, Vec3d size, MaterialId material, FillMode mode) {
    constexpr const char* kName = "fillBlock";
    if (auto r = checkPose(kName, pose); !r) return r.error();
    if (auto r = checkPositive(kName, "size", size); !r) return r.error();
    if (auto r = checkFill(kName, grid, material, mode); !r) return r.error();
    return fill(kName, grid, ShapeCoverage::block(grid.placement(), pose, size), material, mode);
}

Result<EditSummary> fillBall(Grid& grid, WorldPosition center, double radius, MaterialId material,
                             FillMode mode) {
    constexpr const char* kName = "fillBall";
    if (auto r = checkFinite(kName, "center", center); !r) return r.error();
    if (auto r = checkPositive(kName, "radius", radius); !r) return r.error();
    if (auto r = checkFill(kName, grid, material, mode); !r) return r.error();
    return fill(kName, grid, ShapeCoverage::ball(grid.placement(), center, radius), material, mode);
}

Result<EditSummary> fillCylinder(Grid& grid, const Pose& pose, double height, double radius,
                                 MaterialId material, FillMode mode) {
    constexpr const char* kName = "fillCylinder";
    if (auto r = checkPose(kName, pose); !r) return r.error();
    if (auto r = checkPositive(kName, "height", height); !r) return r.error();
    if (auto r = checkPositive(kName, "radius", radius); !r) return r.error();
    if (auto r = checkFill(kName, grid, material, mode); !r) return r.error();
    return fill(kName, grid, ShapeCoverage::cylinder(grid.placement(), pose, height, radius), material, mode);
}

Result<EditSummary> fillWedge(Grid& grid, const Pose& pose, Vec3d size, MaterialId material, FillMode mode) {
    constexpr const char* kName = "fillWedge";
    if (auto r = checkPose(kName, pose); !r) return r.error();
    if (auto r = checkPositive(kName, "size", size); !r) return r.error();
    if (auto r = checkFill(kName, grid, material, mode); !r) return r.error();
    return fill(kName, grid, ShapeCoverage::wedge(grid.placement(), pose, size), material, mode);
}

Result<EditSummary> fillRegion(Grid& grid, const CellBox& region, MaterialId material, FillMode mode) {
    constexpr const char* kName = "fillRegion";
    if (auto r = checkFill(kName, grid, material, mode); !r) return r.error();
    if (auto r = checkRegion(kName, region, kMaxFillCells); !r) return r.error();
    const FillRule rule(grid.materials(), material, mode);
    return grid.edit(region, [&](const EditBlock& block) {
        if (block.uniform && rule.keeps(*block.uniform)) return;
        const CellBox& box = block.box;
        for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
            for (std::int32_t z = box.min.z; z < box.max.z; ++z)
                rule.applyFull(block.row(y, z), box.max.x - box.min.x);
        }
    });
}

Result<EditSummary> fillSignedDistance(Grid& grid, const CellBox& region,
                                       FunctionRef<double(WorldPosition)> distance, MaterialId material,
                                       FillMode mode) {
    constexpr const char* kName = "fillSignedDistance";
    if (auto r = checkFill(kName, grid, material, mode); !r) return r.error();
    if (auto r = checkRegion(kName, region, kMaxFillCells); !r) return r.error();
    const auto coverage = DistanceCoverage::sample(kName, grid.placement(), region, distance);
    if (!coverage) return coverage.error();
    const FillRule rule(grid.materials(), material, mode);
    std::size_t next = 0;
    return grid.edit(region, [&](const EditBlock& block) {
        const DistanceCoverage::Block& c = coverage->blocks[next++];
        const CellBox& box = block.box;
        if (c.cells.empty() && c.uniform == 0) return;
        if (block.uniform && rule.keeps(*block.uniform)) return;
        std::array<std::uint8_t, kChunkSize> row;
        for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
            for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
                const std::int32_t width = box.max.x - box.min.x;
                if (c.cells.empty()) {
                    row.fill(c.uniform);
                } else {
                    std::copy_n(c.cells.begin() + cellIndex(box.min.x, y, z), width, row.begin());
                }
                rule.apply(block.row(y, z), row.data(), width);
            }
        }
    });
}

}  // namespace karst::voxel
