karst_library(voxel_mesh CORE
    SOURCES
        src/cell_channel.cpp
        src/chunk_surface.cpp
        src/collision_builder.cpp
        src/collision_cache.cpp
        src/collision_edges.cpp
        src/collision_patches.cpp
        src/collision_surface.cpp
        src/cube_sheets.cpp
        src/cube_vertices.cpp
        src/field_levels.cpp
        src/field_materials.cpp
        src/field_sampling.cpp
        src/gltf_writer.cpp
        src/indexed_surface.cpp
        src/material_kernels.cpp
        src/material_sets.cpp
        src/obj_writer.cpp
        src/sign_rows.cpp
        src/skirt.cpp
        src/split_cubes.cpp
        src/surface_export.cpp
        src/surface_nets.cpp
        src/surface_ray.cpp
        src/surface_vertex_writer.cpp
        src/water_mesh.cpp
    DEPENDS voxel)
