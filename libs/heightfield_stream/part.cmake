karst_library(heightfield_stream CORE
    SOURCES src/detail_resolver.cpp src/interest.cpp src/key_table.cpp src/request_queue.cpp src/streamer.cpp
            src/streamer_state.cpp src/tile_cache.cpp src/wanted_list.cpp
    DEPENDS heightfield_lod
    TEST_DEPENDS karst_heightfield_build)
