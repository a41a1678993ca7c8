#pragma once

#include "http_transfer.h"

#include <karst/base/externals.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace karst::http {

/// The thread that runs a source's transfers. Requests wait in order; at most maximumParallel are with curl;
/// those that failed wait aside until they are due.
class HttpByteSource::Worker {
  public:
    Worker(std::string baseUrl, const HttpOptions& options, const Externals& externals);
    ~Worker();
    /// Starts the thread.
    Result<void> start();

    std::uint64_t request(const ByteRange& range);
    std::optional<Finished> poll();
    void cancel(std::uint64_t id);

  private:
    struct Job {
        std::uint64_t id = 0;
        std::string url;
        ByteRange range;
        std::uint32_t attempts = 0;
        std::uint64_t startedAt = 0;  // of the first attempt; nanoseconds
        std::uint64_t dueAt = 0;      // of the next
    };
    // A place for one transfer, with a handle that is used again and again.
    struct Place {
        explicit Place(const HttpOptions& options) : transfer(options) {}
        CURL* handle = nullptr;
        bool busy = false;
        Job job;
        HttpTransfer transfer;
    };
    struct Multi {
        CURLM* handle = nullptr;
        ~Multi();
    };

    void run();
    void takeOrders();
    void startJobs();
    void start(Place& place, Job job);
    void takeEnds();
    void dropSlow();
    void settle(Place& place, HttpTransfer::Outcome outcome);
    void detach(Place& place);
    void deliver(std::uint64_t id, Result<std::vector<std::byte>> bytes);
    double backoff(std::uint32_t attempts);
    int waitMilliseconds() const;
    void wake();

    const std::string m_baseUrl;
    const HttpOptions m_options;
    const Externals m_externals;
    Multi m_multi;

    std::mutex m_mutex;  // guards the next four; neither curl nor user code runs under it
    std::vector<Job> m_orders;
    std::vector<std::uint64_t> m_cancels;
    std::unordered_set<std::uint64_t> m_open;  // asked for, neither given out nor cancelled
    std::deque<Finished> m_finished;
    std::atomic<bool> m_stop{false};
    std::uint64_t m_lastId = 0;  // the caller's alone

    // The thread's alone.
    std::deque<Job> m_waiting;
    std::vector<Job> m_later;
    std::vector<std::unique_ptr<Place>> m_places;
    std::uint64_t m_random = 0;

    std::thread m_thread;
};

}  // namespace karst::http
