karst_library(voxel_mesh CORE
    SOURCES src/collision_surface.cpp src/cube_vertices.cpp src/material_sets.cpp src/sign_rows.cpp
            src/surface_nets.cpp src/surface_vertex_writer.cpp
    SOURCES src/cell_channel.cpp src/chunk_surface.cpp src/field_levels.cpp src/field_sampling.cpp
            src/indexed_surface.cpp src/material_sets.cpp src/surface_nets.cpp src/surface_ray.cpp
            src/surface_vertex_writer.cpp
    DEPENDS voxel)
