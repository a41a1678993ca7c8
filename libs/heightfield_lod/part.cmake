karst_library(heightfield_lod CORE
    SOURCES src/lattice.cpp src/root_grid.cpp src/node_grid.cpp src/node_cut.cpp
            src/tile_selection.cpp src/tile_selection_walk.cpp src/tile_selection_edges.cpp
            src/selection_v1.cpp
    DEPENDS heightfield)
