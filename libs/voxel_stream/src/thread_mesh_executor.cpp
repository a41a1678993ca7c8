#include <karst/voxel_stream/thread_mesh_executor.h>

#include <algorithm>
#include <utility>

namespace karst::voxel_stream {

ThreadMeshExecutor::ThreadMeshExecutor(std::uint32_t threads) {
    const std::uint32_t count = std::max(1u, threads);
    m_threads.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i)
        m_threads.emplace_back([this] { work(); });
}

ThreadMeshExecutor::~ThreadMeshExecutor() {
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

std::uint32_t ThreadMeshExecutor::freeSlots() {
    const std::lock_guard lock(m_mutex);
    const std::size_t room = 2 * m_threads.size(), taken = m_waiting.size() + m_running;
    return room > taken ? static_cast<std::uint32_t>(room - taken) : 0;
}

void ThreadMeshExecutor::start(std::shared_ptr<MeshBatch> batch) {
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(std::move(batch));
    }
    m_wake.notify_one();
}

void ThreadMeshExecutor::work() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_stop || !m_waiting.empty(); });
        if (m_stop) return;
        std::shared_ptr<MeshBatch> batch = std::move(m_waiting.front());
        m_waiting.pop_front();
        ++m_running;
        lock.unlock();
        batch->run();
        batch.reset();
        lock.lock();
        --m_running;
    }
}

}  // namespace karst::voxel_stream
