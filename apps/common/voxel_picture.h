#pragma once

#include <karst/base/externals.h>
#include <karst/voxel/grid_snapshot.h>

#include "common/mesh_picture.h"

namespace karst::app {

struct VoxelPictureOptions {
    int level = 0;                         ///< of meshing, 0..3
    Vec3f toSun = {-0.62f, 0.50f, 0.60f};  ///< any length above 0
};

/// The surfaces of a grid in their materials' colours, with the light that reaches each vertex, and the tops
/// of its water. The same for any number of workers.
PictureMesh makeVoxelPicture(const voxel::GridSnapshot& grid, const VoxelPictureOptions& options,
                             JobSystem& jobs);

}  // namespace karst::app
