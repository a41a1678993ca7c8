#pragma once

#include <karst/voxel_stream/mesh_executor.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace karst::voxel_stream {

/// Runs batches on threads of its own, in the order of start(). Each thread has one batch at work and one
/// waiting, so that it is busy between two updates. Threads: freeSlots() and start() from any; construct and
/// destroy from one. The destructor waits for the batches at work and lets the waiting ones go.
class ThreadMeshExecutor final : public MeshExecutor {
  public:
    /// At least 1.
    explicit ThreadMeshExecutor(std::uint32_t threads);
    ~ThreadMeshExecutor() override;
    ThreadMeshExecutor(const ThreadMeshExecutor&) = delete;
    ThreadMeshExecutor& operator=(const ThreadMeshExecutor&) = delete;

    std::uint32_t freeSlots() override;
    void start(std::shared_ptr<MeshBatch> batch) override;

  private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::shared_ptr<MeshBatch>> m_waiting;
    std::uint32_t m_running = 0;
    bool m_stop = false;
    std::vector<std::thread> m_threads;
};

}  // namespace karst::voxel_stream
