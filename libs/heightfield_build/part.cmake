karst_library(heightfield_build CORE
    SOURCES src/append_file.cpp src/background_writer.cpp src/build_input.cpp src/build_plan.cpp src/build_rows.cpp
            src/build_state.cpp src/coarse_share.cpp src/convert_package.cpp src/corner_grid.cpp src/file_output.cpp
            src/input_survey.cpp src/level_rows.cpp src/package_files.cpp src/part_builder.cpp src/part_files.cpp src/part_merger.cpp src/pyramid_builder.cpp src/row_feed.cpp src/tile_errors.cpp
            src/tile_production.cpp src/tile_sink.cpp src/verify_package.cpp src/verify_tile.cpp
    DEPENDS heightfield)
