karst_library(heightfield CORE
    SOURCES src/height_raster.cpp src/height_pyramid.cpp src/height_ray.cpp src/height_tile.cpp
            src/json.cpp src/json_parse.cpp src/memory_tile_source.cpp src/package_format.cpp
            src/package_reader.cpp src/package_tile_source.cpp src/quantised_tile.cpp src/surface.cpp
            src/terrain_asset.cpp src/terrain_file.cpp src/tile_codec.cpp src/tile_layout.cpp
            src/tile_payload.cpp
            src/crater.cpp src/crater_log.cpp src/terrain_material.cpp
            src/detail_bounds.cpp src/detail_errors.cpp src/detail_noise.cpp src/detail_patch.cpp
            src/tile_detail.cpp src/surface_cover.cpp src/surface_index.cpp src/surface_query.cpp src/surface_ray.cpp
            src/surface_ray_cells.cpp src/surface_ray_dive.cpp src/surface_ray_walk.cpp
    DEPENDS base)
