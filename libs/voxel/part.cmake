karst_library(voxel CORE
    SOURCES src/block_difference.cpp src/chunk.cpp src/chunk_codec.cpp src/chunk_map.cpp src/chunk_store.cpp src/grid.cpp
            src/grid_changes.cpp src/grid_edit.cpp src/grid_snapshot.cpp src/material_columns.cpp
            src/material_table.cpp src/prefix_code.cpp src/removal_log.cpp src/residual_stream.cpp
    DEPENDS base)
