#include "http_worker.h"

#include "http_url.h"

#include <karst/base/hash.h>

#include <algorithm>
#include <cmath>
#include <system_error>

namespace karst::http {
namespace {

constexpr double kNanoseconds = 1e9;

}  // namespace

HttpByteSource::Worker::Multi::~Multi() {
    if (handle != nullptr) curl_multi_cleanup(handle);
}

HttpByteSource::Worker::Worker(std::string baseUrl, const HttpOptions& options, const Externals& externals)
    : m_baseUrl(std::move(baseUrl)),
      m_options(options),
      m_externals(externals),
      m_random(options.backoffSeed) {}

Result<void> HttpByteSource::Worker::start() {
    m_multi.handle = curl_multi_init();
    if (m_multi.handle == nullptr) return makeError(ErrorCode::TooLarge, "http: libcurl gives no handle");
    const auto parallel = static_cast<long>(m_options.maximumParallel);
    curl_multi_setopt(m_multi.handle, CURLMOPT_MAXCONNECTS, parallel);
    curl_multi_setopt(m_multi.handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, parallel);
    for (std::uint32_t i = 0; i < m_options.maximumParallel; ++i) {
        m_places.push_back(std::make_unique<Place>(m_options));
        m_places.back()->handle = curl_easy_init();
        if (m_places.back()->handle == nullptr)
            return makeError(ErrorCode::TooLarge, "http: libcurl gives no handle");
    }
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
        return makeError(ErrorCode::Unsupported, "http: no thread: %s", error.what());
    }
    return {};
}

HttpByteSource::Worker::~Worker() {
    m_stop = true;
    if (m_thread.joinable()) {
        wake();
        m_thread.join();
    }
    for (const std::unique_ptr<Place>& place : m_places) {
        if (place->busy) curl_multi_remove_handle(m_multi.handle, place->handle);
        curl_easy_cleanup(place->handle);
    }
}

void HttpByteSource::Worker::wake() {
    curl_multi_wakeup(m_multi.handle);
}

// ---- Any thread.

std::uint64_t HttpByteSource::Worker::request(const ByteRange& range) {
    Job job;
    job.id = ++m_lastId;
    job.range = range;
    Result<std::vector<std::byte>> early = std::vector<std::byte>{};
    Result<std::string> url = joinUrl(m_baseUrl, range.path);
    bool asks = false;
    if (!url) {
        early = url.error();
    } else if (range.size != ByteRange::kToEnd && range.size > m_options.maximumBodyBytes) {
        early = makeError(ErrorCode::TooLarge, "http: %s: %llu bytes are more than the limit of %llu",
                          url->c_str(), static_cast<unsigned long long>(range.size),
                          static_cast<unsigned long long>(m_options.maximumBodyBytes));
    } else if (range.size != ByteRange::kToEnd && range.offset > ByteRange::kToEnd - range.size) {
        early = makeError(ErrorCode::InvalidArgument, "http: %s: no file has a part at %llu", url->c_str(),
                          static_cast<unsigned long long>(range.offset));
    } else {
        job.url = std::move(*url);
        asks = range.size != 0;
    }
    {
        const std::lock_guard lock(m_mutex);
        m_open.insert(job.id);
        if (asks) {
            m_orders.push_back(job);
        } else {
            m_finished.push_back({job.id, std::move(early)});
        }
    }
    if (asks) wake();
    return job.id;
}

std::optional<ByteSource::Finished> HttpByteSource::Worker::poll() {
    const std::lock_guard lock(m_mutex);
    if (m_finished.empty()) return std::nullopt;
    Finished finished = std::move(m_finished.front());
    m_finished.pop_front();
    m_open.erase(finished.id);
    return finished;
}

void HttpByteSource::Worker::cancel(std::uint64_t id) {
    std::vector<Finished> dropped;  // its bytes are freed after the lock
    {
        const std::lock_guard lock(m_mutex);
        if (m_open.erase(id) == 0) return;
        const auto done = std::find_if(m_finished.begin(), m_finished.end(),
                                       [id](const Finished& finished) { return finished.id == id; });
        if (done != m_finished.end()) {
            dropped.push_back(std::move(*done));
            m_finished.erase(done);
            return;
        }
        m_cancels.push_back(id);
    }
    wake();
}

// ---- The worker's thread.

void HttpByteSource::Worker::run() {
    while (!m_stop) {
        takeOrders();
        startJobs();
        int running = 0;
        curl_multi_perform(m_multi.handle, &running);
        takeEnds();
        dropSlow();
        startJobs();
        if (m_stop) break;
        curl_multi_poll(m_multi.handle, nullptr, 0, waitMilliseconds(), nullptr);
    }
}

void HttpByteSource::Worker::takeOrders() {
    std::vector<Job> orders;
    std::vector<std::uint64_t> cancels;
    {
        const std::lock_guard lock(m_mutex);
        orders.swap(m_orders);
        cancels.swap(m_cancels);
    }
    for (Job& job : orders)
        m_waiting.push_back(std::move(job));
    for (const std::uint64_t id : cancels) {
        const auto isIt = [id](const Job& job) { return job.id == id; };
        std::erase_if(m_waiting, isIt);
        std::erase_if(m_later, isIt);
        for (const std::unique_ptr<Place>& place : m_places) {
            if (place->busy && place->job.id == id) detach(*place);
        }
    }
}

void HttpByteSource::Worker::startJobs() {
    const std::uint64_t now = m_externals.clock->nowNanoseconds();
    for (const std::unique_ptr<Place>& place : m_places) {
        if (place->busy) continue;
        // Those that are due again are older than those that wait.
        const auto due = std::min_element(m_later.begin(), m_later.end(),
                                          [](const Job& a, const Job& b) { return a.dueAt < b.dueAt; });
        if (due != m_later.end() && due->dueAt <= now) {
            Job job = std::move(*due);
            m_later.erase(due);
            start(*place, std::move(job));
        } else if (!m_waiting.empty()) {
            Job job = std::move(m_waiting.front());
            m_waiting.pop_front();
            start(*place, std::move(job));
        } else {
            return;
        }
    }
}

void HttpByteSource::Worker::start(Place& place, Job job) {
    const std::uint64_t now = m_externals.clock->nowNanoseconds();
    if (job.attempts == 0) job.startedAt = now;
    ++job.attempts;
    const double left =
        m_options.totalTimeoutSeconds - static_cast<double>(now - job.startedAt) / kNanoseconds;
    place.job = std::move(job);
    place.transfer.prepare(place.handle, place.job.url, place.job.range, std::max(left, 0.001), now);
    place.busy = true;
    if (curl_multi_add_handle(m_multi.handle, place.handle) != CURLM_OK) {
        place.busy = false;
        deliver(place.job.id,
                makeError(ErrorCode::Io, "http: %s: libcurl takes no transfer", place.job.url.c_str()));
    }
}

void HttpByteSource::Worker::detach(Place& place) {
    curl_multi_remove_handle(m_multi.handle, place.handle);
    place.busy = false;
}

void HttpByteSource::Worker::takeEnds() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(m_multi.handle, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        // The message is gone once its handle is removed.
        CURL* handle = message->easy_handle;
        const CURLcode code = message->data.result;
        for (const std::unique_ptr<Place>& place : m_places) {
            if (place->handle == handle && place->busy) settle(*place, place->transfer.finish(code));
        }
    }
}

void HttpByteSource::Worker::dropSlow() {
    const std::uint64_t now = m_externals.clock->nowNanoseconds();
    for (const std::unique_ptr<Place>& place : m_places) {
        if (place->busy && place->transfer.tooSlow(now)) settle(*place, place->transfer.slow());
    }
}

void HttpByteSource::Worker::settle(Place& place, HttpTransfer::Outcome outcome) {
    detach(place);
    Job job = std::move(place.job);
    const std::uint64_t now = m_externals.clock->nowNanoseconds();
    const double spent = static_cast<double>(now - job.startedAt) / kNanoseconds;
    if (!outcome.bytes.ok() && outcome.tryAgain && job.attempts < m_options.maximumAttempts) {
        const double wanted = std::max(backoff(job.attempts), outcome.retryAfterSeconds);
        const double wait = std::min(wanted, m_options.maximumBackoffSeconds);
        if (spent + wait < m_options.totalTimeoutSeconds) {
            job.dueAt = now + static_cast<std::uint64_t>(wait * kNanoseconds);
            m_later.push_back(std::move(job));
            return;
        }
    }
    if (!outcome.bytes.ok() && job.attempts > 1) {
        outcome.bytes = makeError(outcome.bytes.error().code, "%s (attempt %u)",
                                  outcome.bytes.error().message.c_str(), job.attempts);
    }
    deliver(job.id, std::move(outcome.bytes));
}

double HttpByteSource::Worker::backoff(std::uint32_t attempts) {
    const double full = std::min(m_options.backoffSeconds * std::exp2(std::min(attempts - 1, 30u)),
                                 m_options.maximumBackoffSeconds);
    // Clients that failed together must not come back together.
    m_random = mix64(m_random + 1);
    return full * (0.5 + 0.5 * static_cast<double>(m_random >> 11) * 0x1p-53);
}

void HttpByteSource::Worker::deliver(std::uint64_t id, Result<std::vector<std::byte>> bytes) {
    const std::lock_guard lock(m_mutex);
    if (m_open.count(id) != 0) m_finished.push_back({id, std::move(bytes)});
}

// Until something is due; curl shortens it for what its own transfers need.
int HttpByteSource::Worker::waitMilliseconds() const {
    const auto isBusy = [](const std::unique_ptr<Place>& place) { return place->busy; };
    double wait = 60;
    if (std::any_of(m_places.begin(), m_places.end(), isBusy))
        wait = std::clamp(m_options.lowSpeedSeconds / 4, 0.005, 1.0);
    // Where no place is free, the end of a transfer comes first.
    if (!std::all_of(m_places.begin(), m_places.end(), isBusy)) {
        const std::uint64_t now = m_externals.clock->nowNanoseconds();
        for (const Job& job : m_later) {
            const std::uint64_t left = job.dueAt - std::min(job.dueAt, now);
            wait = std::min(wait, static_cast<double>(left) / kNanoseconds + 0.001);
        }
    }
    return static_cast<int>(std::ceil(wait * 1000));
}

}  // namespace karst::http
