karst_library(voxel_stream CORE
    SOURCES src/candidate_index.cpp src/mesh_batch.cpp src/mesh_publisher.cpp src/mesh_queue.cpp src/mesh_workshop.cpp
            src/residency_scan.cpp src/thread_mesh_executor.cpp src/voxel_streamer.cpp
    DEPENDS voxel_mesh)
