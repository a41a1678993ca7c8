karst_library(heightfield_mesh CORE
    SOURCES
        src/node_axes.cpp
        src/node_binding.cpp
        src/node_geometry.cpp
        src/node_indices.cpp
        src/node_mesh.cpp
        src/node_pool.cpp
        src/node_vertices.cpp
        src/tile_lattice.cpp
        src/tile_layer.cpp
        src/tile_mesh.cpp
        src/tile_record.cpp
        src/tile_slopes.cpp
        src/tile_vertex.cpp
        src/vertex_layout.cpp
    DEPENDS heightfield_lod
    TEST_DEPENDS karst_heightfield_build)
