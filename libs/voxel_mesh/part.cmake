karst_library(voxel_mesh CORE
    SOURCES src/cube_sheets.cpp src/cube_vertices.cpp src/material_kernels.cpp src/material_sets.cpp src/sign_rows.cpp src/split_cubes.cpp src/surface_nets.cpp src/surface_vertex_writer.cpp
    DEPENDS voxel)
