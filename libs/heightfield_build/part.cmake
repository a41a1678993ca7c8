karst_library(heightfield_build CORE
    SOURCES src/background_writer.cpp src/build_input.cpp src/convert_package.cpp src/corner_grid.cpp
            src/file_output.cpp src/level_rows.cpp src/pyramid_builder.cpp src/row_feed.cpp src/tile_errors.cpp
            src/tile_production.cpp src/tile_sink.cpp src/verify_package.cpp src/verify_tile.cpp
    DEPENDS heightfield)
