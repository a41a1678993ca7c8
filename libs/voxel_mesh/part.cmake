karst_library(voxel_mesh CORE
    SOURCES src/surface_nets.cpp
    DEPENDS voxel)
