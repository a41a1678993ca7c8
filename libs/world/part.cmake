karst_library(world CORE
    SOURCES src/height_to_voxels.cpp
    DEPENDS heightfield voxel_mesh)
