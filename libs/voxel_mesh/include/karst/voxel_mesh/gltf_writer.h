#pragma once

#include <karst/voxel_mesh/surface_export.h>

#include <cstddef>
#include <vector>

namespace karst::voxel_mesh {

/// The bytes of a glTF 2.0 binary file (.glb): a node with a translation and a mesh for each surface that has
/// triangles, named "chunk x y z", all of one rough white material. Vertices have POSITION, NORMAL and
/// COLOR_0 (the blended materials, linear, 16 bits a channel), indices are 32-bit. No extension is used.
/// Without any triangle the file holds an empty scene. Errors: those of validate(), and TooLarge past the
/// 4 GiB that the format can say.
Result<std::vector<std::byte>> writeGlb(const SurfaceExport& surfaces);

}  // namespace karst::voxel_mesh
