find_package(SQLite3 3.35 REQUIRED)
karst_library(voxel_sqlite
    SOURCES src/database.cpp src/store_chunks.cpp src/store_format.cpp src/voxel_store.cpp
    DEPENDS voxel
    THIRD_PARTY SQLite::SQLite3
    TEST_DEPENDS SQLite::SQLite3)
