karst_library(voxel_mesh CORE
    SOURCES src/material_sets.cpp src/surface_nets.cpp src/surface_vertex_writer.cpp
    SOURCES src/cell_channel.cpp src/field_levels.cpp src/field_sampling.cpp src/surface_nets.cpp
    DEPENDS voxel)
