karst_library(heightfield_build CORE
    SOURCES src/build_input.cpp src/corner_grid.cpp src/file_output.cpp src/level_rows.cpp src/pyramid_builder.cpp
            src/row_feed.cpp src/tile_errors.cpp src/tile_production.cpp src/tile_sink.cpp
    DEPENDS heightfield)
