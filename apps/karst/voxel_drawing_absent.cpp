#include "voxel_drawing.h"

// In place of voxel_drawing.cpp where the part render or voxel_sqlite is not built.

namespace karst::tool {

Result<void> drawVoxels(const VoxelDrawing&, const Externals&) {
    return makeError(ErrorCode::Unsupported,
                     "this build of karst cannot draw voxels: configure with -DKARST_BUILD_RENDER=ON and "
                     "-DKARST_BUILD_SQLITE=ON");
}

}  // namespace karst::tool
