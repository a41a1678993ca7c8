find_path(KARST_ZSTD_INCLUDE_DIR zstd.h)
find_library(KARST_ZSTD_LIBRARY NAMES zstd zstd_static)
mark_as_advanced(KARST_ZSTD_INCLUDE_DIR KARST_ZSTD_LIBRARY)
if(NOT KARST_ZSTD_INCLUDE_DIR OR NOT KARST_ZSTD_LIBRARY)
    message(FATAL_ERROR "heightfield_zstd needs zstd (Debian: libzstd-dev); turn it off with KARST_BUILD_ZSTD=OFF")
endif()
add_library(karst_zstd_library INTERFACE)
target_include_directories(karst_zstd_library SYSTEM INTERFACE ${KARST_ZSTD_INCLUDE_DIR})
target_link_libraries(karst_zstd_library INTERFACE ${KARST_ZSTD_LIBRARY})

karst_library(heightfield_zstd
    SOURCES src/zstd_codec.cpp
    DEPENDS heightfield
    THIRD_PARTY karst_zstd_library)
