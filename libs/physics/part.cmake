karst_library(physics CORE
    SOURCES
        src/height_collider_tile.cpp
        src/height_colliders.cpp
        src/height_lattice_ray.cpp
        src/terrain_query.cpp
        src/terrain_ray.cpp
        src/terrain_shape.cpp
        src/voxel_colliders.cpp
    DEPENDS heightfield voxel_mesh)
