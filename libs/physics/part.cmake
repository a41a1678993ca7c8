karst_library(physics CORE
    SOURCES src/height_collider_tile.cpp
    DEPENDS heightfield voxel_mesh)
