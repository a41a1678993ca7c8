karst_library(voxel CORE
    SOURCES
        src/ball_share.cpp
        src/block_difference.cpp
        src/brushes.cpp
        src/chunk.cpp
        src/chunk_codec.cpp
        src/chunk_map.cpp
        src/chunk_store.cpp
        src/distance_coverage.cpp
        src/edit_arguments.cpp
        src/fill_shapes.cpp
        src/grid.cpp
        src/grid_changes.cpp
        src/grid_edit.cpp
        src/grid_sampling.cpp
        src/grid_snapshot.cpp
        src/magica_voxel.cpp
        src/magica_voxel_chunks.cpp
        src/magica_voxel_place.cpp
        src/material_columns.cpp
        src/material_table.cpp
        src/occupancy_ray.cpp
        src/prefix_code.cpp
        src/region_ops.cpp
        src/removal_log.cpp
        src/residual_stream.cpp
        src/shape_coverage.cpp
        src/voxel_arrays.cpp
    DEPENDS base)
if(TARGET karst_voxel_tests)
    target_compile_definitions(karst_voxel_tests PRIVATE
        KARST_FUZZ_CORPUS="${PROJECT_SOURCE_DIR}/libs/voxel/fuzz/corpus/fuzz_magica_voxel")
endif()
