karst_library(heightfield CORE
    SOURCES src/height_raster.cpp src/height_pyramid.cpp src/height_ray.cpp
    DEPENDS base)
