#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace karst::heightfield {

/// Working memory for the threads of a job: as many as work at once are made, and then used again.
template <class Worker>
class WorkerPool {
  public:
    /// An idle one, or null: then make one.
    std::unique_ptr<Worker> take() {
        std::lock_guard lock(m_mutex);
        if (m_idle.empty()) return nullptr;
        std::unique_ptr<Worker> worker = std::move(m_idle.back());
        m_idle.pop_back();
        return worker;
    }
    void give(std::unique_ptr<Worker> worker) {
        std::lock_guard lock(m_mutex);
        m_idle.push_back(std::move(worker));
    }

  private:
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Worker>> m_idle;
};

}  // namespace karst::heightfield
