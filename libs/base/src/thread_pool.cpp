#include <karst/base/assert.h>
#include <karst/base/thread_pool.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace karst {
namespace {

// One parallelFor under way. Lives on its caller's stack; the list and `helpers` are guarded by the pool's
// mutex.
struct Batch {
    FunctionRef<void(std::size_t, std::size_t)> body;
    std::size_t count;
    std::size_t grain;
    std::size_t chunks;
    std::atomic<std::size_t> next{
        0};  // a chunk, not an index: it runs past the end, and must not wrap around
    int helpers = 0;
    Batch* following = nullptr;

    void work() {
        for (;;) {
            const std::size_t chunk = next.fetch_add(1, std::memory_order_relaxed);
            if (chunk >= chunks) return;
            const std::size_t begin = chunk * grain;
            body(begin, begin + std::min(grain, count - begin));
        }
    }
    bool hasWork() const { return next.load(std::memory_order_relaxed) < chunks; }
};

}  // namespace

struct ThreadPool::State {
    std::mutex mutex;
    std::condition_variable wake;      // work came, or the pool stops
    std::condition_variable released;  // a helper left a batch
    Batch* first = nullptr;
    bool stopping = false;
    std::vector<std::thread> threads;

    void run() {
        std::unique_lock lock(mutex);
        for (;;) {
            Batch* batch = first;
            while (batch != nullptr && !batch->hasWork())
                batch = batch->following;
            if (batch == nullptr) {
                if (stopping) return;
                wake.wait(lock);
                continue;
            }
            ++batch->helpers;
            lock.unlock();
            batch->work();
            lock.lock();
            if (--batch->helpers == 0) released.notify_all();
        }
    }
};

ThreadPool::ThreadPool(std::uint32_t workers) : m_state(std::make_unique<State>()) {
    if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
    for (std::uint32_t i = 1; i < workers; ++i) {
        m_state->threads.emplace_back([state = m_state.get()] { state->run(); });
    }
}

ThreadPool::~ThreadPool() {
    {
        std::lock_guard lock(m_state->mutex);
        KARST_ASSERT(m_state->first == nullptr);
        m_state->stopping = true;
    }
    m_state->wake.notify_all();
    for (std::thread& thread : m_state->threads)
        thread.join();
}

std::uint32_t ThreadPool::workerCount() const {
    return static_cast<std::uint32_t>(m_state->threads.size()) + 1;
}

void ThreadPool::parallelFor(std::size_t count, std::size_t grain,
                             FunctionRef<void(std::size_t, std::size_t)> body) {
    KARST_ASSERT(grain >= 1);
    if (m_state->threads.empty() || count <= grain) {
        inlineJobSystem().parallelFor(count, grain, body);
        return;
    }
    Batch batch{body, count, grain, (count - 1) / grain + 1};
    {
        std::lock_guard lock(m_state->mutex);
        batch.following = m_state->first;
        m_state->first = &batch;
    }
    m_state->wake.notify_all();
    batch.work();
    std::unique_lock lock(m_state->mutex);
    Batch** link = &m_state->first;
    while (*link != &batch)
        link = &(*link)->following;
    *link = batch.following;
    m_state->released.wait(lock, [&] { return batch.helpers == 0; });
}

}  // namespace karst
