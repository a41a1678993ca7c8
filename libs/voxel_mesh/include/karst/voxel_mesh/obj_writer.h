#pragma once

#include <karst/voxel_mesh/surface_export.h>

#include <string>
#include <string_view>

namespace karst::voxel_mesh {

struct ObjOptions {
    /// What the .obj calls its material file: the name beside which it is written.
    std::string_view materialFile = "terrain.mtl";
    /// Equal vertices of all surfaces become one, so that the chunks hang together; else each surface brings
    /// its own.
    bool weld = true;
};

struct ObjFiles {
    std::string obj, mtl;
};

/// A Wavefront .obj and its .mtl: a group "chunk_x_y_z" for each surface that has triangles, in it the
/// triangles by the material that is strongest on them. Vertices carry their blended colour after the
/// position (`v x y z r g b`, sRGB, 0..1), which many programs read and the others pass over. The materials
/// are named "m<id>_<name>". Errors: those of validate(), and InvalidArgument for a material file's name that
/// is empty or has a line break.
Result<ObjFiles> writeObj(const SurfaceExport& surfaces, const ObjOptions& options = {});

}  // namespace karst::voxel_mesh
