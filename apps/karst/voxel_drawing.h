#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>

#include <string>

#include "ground_view.h"

namespace karst::tool {

struct VoxelDrawing {
    std::string file;    ///< of voxels
    std::string output;  ///< a .png
    GroundView view;
    bool hasEye = false, hasTarget = false;
    int level = 0;  ///< of meshing, 0..3
};

/// Meshes and lights all that the file holds, draws it and says on stdout what it drew.
Result<void> drawVoxels(const VoxelDrawing& drawing, const Externals& externals);

/// Is it a file of voxels, by its name or its first bytes?
bool looksLikeVoxels(const std::string& file);

}  // namespace karst::tool
