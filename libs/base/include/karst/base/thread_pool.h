#pragma once

#include <karst/base/job_system.h>

#include <memory>

namespace karst {

/// A small job system of its own threads. The calling thread works too, so a pool of `workers` starts
/// `workers - 1` threads. Construct and destroy from one thread; parallelFor from any, also from within a
/// body.
class ThreadPool final : public JobSystem {
  public:
    /// `workers` = 0 takes one per hardware thread.
    explicit ThreadPool(std::uint32_t workers = 0);
    ~ThreadPool() override;
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::uint32_t workerCount() const override;
    void parallelFor(std::size_t count, std::size_t grain,
                     FunctionRef<void(std::size_t begin, std::size_t end)> body) override;

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace karst
