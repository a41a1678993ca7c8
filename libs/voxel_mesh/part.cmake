karst_library(voxel_mesh CORE
    SOURCES src/cell_channel.cpp src/chunk_surface.cpp src/field_levels.cpp src/field_materials.cpp src/field_sampling.cpp
            src/indexed_surface.cpp src/material_sets.cpp src/surface_nets.cpp src/surface_ray.cpp
            src/surface_vertex_writer.cpp
    DEPENDS voxel)
