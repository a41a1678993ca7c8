karst_library(heightfield_mesh CORE
    SOURCES src/vertex_layout.cpp src/node_geometry.cpp src/node_vertices.cpp src/node_indices.cpp src/node_pool.cpp
            src/node_mesh.cpp src/node_binding.cpp
    DEPENDS heightfield_lod)
