#pragma once

#include <karst/base/bounds.h>
#include <karst/voxel_sqlite/voxel_store.h>

#include <optional>
#include <string>

#include "command.h"

// What the actions of `karst voxel` share; one file voxel_<action>.cpp each.
namespace karst::tool {

int runVoxelNew(CommandArguments arguments, const Externals& externals);
int runVoxelFill(CommandArguments arguments, const Externals& externals);
int runVoxelInfo(CommandArguments arguments, const Externals& externals);
int runVoxelImport(CommandArguments arguments, const Externals& externals);
int runVoxelExport(CommandArguments arguments, const Externals& externals);

// Setters; the referenced object must outlive the parsing.
Setter intoPositive(double& value);
Setter intoPositive(std::optional<double>& value);
/// X0,Y0,Z0,X1,Y1,Z1: any two opposite corners, apart on every axis.
Setter intoBox(std::optional<Bounds>& value);

/// By name, or by number where it is one; the error lists the names.
Result<voxel::MaterialId> findMaterial(const voxel::MaterialTable& materials, const std::string& text);

/// The chunks that the box meets, of a world box that may reach beyond the grid.
voxel::ChunkBox chunksAround(const voxel::GridPlacement& placement, const Bounds& box);
/// The chunk box and one chunk more on every side.
voxel::ChunkBox withNeighbours(voxel::ChunkBox box);

/// "12345 cells changed, revision 3"
std::string describeEdit(const voxel::EditSummary& edit, const voxel::SaveSummary& save);

/// Writes a file whole. Io where that fails.
Result<void> writeFile(const std::string& path, const void* bytes, std::size_t size);

}  // namespace karst::tool
