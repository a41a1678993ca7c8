karst_library(voxel CORE
    SOURCES src/material_table.cpp
    DEPENDS base)
