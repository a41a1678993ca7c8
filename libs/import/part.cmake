find_package(GDAL 3.4 REQUIRED)
karst_library(import
    SOURCES src/asc_header.cpp src/asc_source.cpp src/byte_file.cpp src/exr_source.cpp src/gdal_errors.cpp
            src/gdal_source.cpp src/georeference.cpp src/hgt_source.cpp src/import_raster.cpp src/message.cpp
            src/npy_header.cpp src/npy_source.cpp src/open_raster.cpp src/packed_grid.cpp src/raster_info.cpp
            src/raw_source.cpp src/samples.cpp src/sidecar.cpp src/zip_source.cpp
    DEPENDS heightfield
    THIRD_PARTY GDAL::GDAL
    TEST_DEPENDS GDAL::GDAL)
