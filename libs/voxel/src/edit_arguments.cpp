#include "edit_arguments.h"

#include <cmath>

namespace karst::voxel {
namespace {

bool inLimit(std::int64_t c) {
    return c >= -std::int64_t{kCellLimit} && c <= std::int64_t{kCellLimit};
}

}  // namespace

Result<void> checkFinite(const char* operation, const char* name, Vec3d value) {
    if (isFinite(value)) return {};
    return makeError(ErrorCode::InvalidArgument, "%s: %s is (%g, %g, %g), not finite", operation, name,
                     value.x, value.y, value.z);
}

Result<void> checkPositive(const char* operation, const char* name, double value) {
    if (std::isfinite(value) && value > 0) return {};
    return makeError(ErrorCode::InvalidArgument, "%s: %s is %g, must be finite and above 0", operation, name,
                     value);
}

Result<void> checkPositive(const char* operation, const char* name, Vec3d value) {
    if (isFinite(value) && value.x > 0 && value.y > 0 && value.z > 0) return {};
    return makeError(ErrorCode::InvalidArgument, "%s: %s is (%g, %g, %g), must be finite and above 0",
                     operation, name, value.x, value.y, value.z);
}

Result<void> checkMaterial(const char* operation, const char* name, const MaterialTable& table,
                           MaterialId material) {
    if (table.contains(material)) return {};
    return makeError(ErrorCode::InvalidArgument, "%s: %s is %d, but the table has %zu materials", operation,
                     name, int{material}, table.size());
}

Result<void> checkRotation(const char* operation, const Rotation& r) {
    constexpr double kTolerance = 1e-6;
    const auto error = [&](const char* axis, Vec3d v, const char* what) {
        return makeError(ErrorCode::InvalidArgument, "%s: the rotation's %s axis is (%g, %g, %g), %s",
                         operation, axis, v.x, v.y, v.z, what);
    };
    const Vec3d* axes[3] = {&r.x, &r.y, &r.z};
    const char* names[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        if (!isFinite(*axes[i])) return error(names[i], *axes[i], "not finite");
        if (!(std::abs(length(*axes[i]) - 1) <= kTolerance)) {
            return error(names[i], *axes[i], "not of length 1");
        }
    }
    if (!(std::abs(dot(r.x, r.y)) <= kTolerance)) return error("y", r.y, "not at a right angle to x");
    const Vec3d z = cross(r.x, r.y);
    if (!(length(r.z - z) <= 2 * kTolerance)) return error("z", r.z, "not the cross product of x and y");
    return {};
}

Result<void> checkRegion(const char* operation, const CellBox& box, std::int64_t maxCells) {
    const auto error = [&](ErrorCode code, const char* what) {
        return makeError(code, "%s: region (%d, %d, %d) .. (%d, %d, %d) %s", operation, box.min.x, box.min.y,
                         box.min.z, box.max.x, box.max.y, box.max.z, what);
    };
    if (box.empty()) return error(ErrorCode::InvalidArgument, "is empty or inverted");
    if (!inLimit(box.min.x) || !inLimit(box.min.y) || !inLimit(box.min.z) || !inLimit(box.max.x) ||
        !inLimit(box.max.y) || !inLimit(box.max.z)) {
        return error(ErrorCode::InvalidArgument, "lies beyond the cell limit of 2^28");
    }
    if (maxCells == kAnyNumber) return {};
    // Edges up to 2^29: a product of two is exact, one of three might not fit.
    const std::int64_t dx = std::int64_t{box.max.x} - box.min.x, dy = std::int64_t{box.max.y} - box.min.y,
                       dz = std::int64_t{box.max.z} - box.min.z;
    if (dx * dy > maxCells || dx * dy * dz > maxCells) {
        const double cells = static_cast<double>(dx) * static_cast<double>(dy) * static_cast<double>(dz);
        return makeError(ErrorCode::TooLarge,
                         "%s: region (%d, %d, %d) .. (%d, %d, %d) has %.0f cells, at most %lld are taken",
                         operation, box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z, cells,
                         static_cast<long long>(maxCells));
    }
    return {};
}

Result<void> checkCell(const char* operation, const char* name, CellCoord cell) {
    const CellBox limit{{-kCellLimit, -kCellLimit, -kCellLimit}, {kCellLimit, kCellLimit, kCellLimit}};
    if (limit.contains(cell)) return {};
    return makeError(ErrorCode::InvalidArgument, "%s: %s is (%d, %d, %d), beyond the cell limit of 2^28",
                     operation, name, cell.x, cell.y, cell.z);
}

Result<Rotation> Rotation::aboutAxis(Vec3d axis, double radians) {
    const double l = length(axis);
    if (!std::isfinite(radians) || !std::isfinite(l) || !(l > 0)) {
        return makeError(ErrorCode::InvalidArgument,
                         "Rotation::aboutAxis: axis (%g, %g, %g), angle %g: must be finite and have a length",
                         axis.x, axis.y, axis.z, radians);
    }
    const double s = std::sin(radians / 2) / l;
    return fromQuaternion(axis.x * s, axis.y * s, axis.z * s, std::cos(radians / 2));
}

Result<Rotation> Rotation::fromQuaternion(double x, double y, double z, double w) {
    const double n = x * x + y * y + z * z + w * w;
    if (!std::isfinite(n) || !(n > 0)) {
        return makeError(ErrorCode::InvalidArgument,
                         "Rotation::fromQuaternion: (%g, %g, %g, %g) must be finite and have a length", x, y,
                         z, w);
    }
    const double s = 2 / n;
    return Rotation{{1 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)},
                    {s * (x * y - z * w), 1 - s * (x * x + z * z), s * (y * z + x * w)},
                    {s * (x * z + y * w), s * (y * z - x * w), 1 - s * (x * x + y * y)}};
}

}  // namespace karst::voxel
