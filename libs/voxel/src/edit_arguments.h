#pragma once

#include <karst/base/math.h>
#include <karst/base/result.h>
#include <karst/voxel/material_table.h>
#include <karst/voxel/pose.h>

#include <cstdint>

namespace karst::voxel {

// What the operations ask of their arguments. Messages begin with the operation's name, then name the
// argument and its value.

Result<void> checkFinite(const char* operation, const char* name, Vec3d value);
/// Finite and above 0.
Result<void> checkPositive(const char* operation, const char* name, double value);
Result<void> checkPositive(const char* operation, const char* name, Vec3d value);
Result<void> checkMaterial(const char* operation, const char* name, const MaterialTable& table,
                           MaterialId material);
Result<void> checkRotation(const char* operation, const Rotation& rotation);
inline constexpr std::int64_t kAnyNumber = INT64_MAX;
/// Not empty, inside kCellLimit, at most `maxCells`.
Result<void> checkRegion(const char* operation, const CellBox& box, std::int64_t maxCells);
Result<void> checkCell(const char* operation, const char* name, CellCoord cell);

}  // namespace karst::voxel
