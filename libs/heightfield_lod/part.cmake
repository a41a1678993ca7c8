karst_library(heightfield_lod CORE
    SOURCES src/lattice.cpp src/root_grid.cpp src/node_grid.cpp src/node_cut.cpp
    DEPENDS heightfield)
