#include "request_queue.h"

namespace karst::heightfield {
namespace {

// A source that keeps answering what nobody asked must not hold up an update.
constexpr std::uint32_t kMaximumStrays = 64;

}  // namespace

RequestQueue::RequestQueue(std::unique_ptr<TileSource> source, std::uint32_t retryAfterUpdates,
                           double timeoutSeconds, const Externals& externals)
    : m_source(std::move(source)),
      m_retryAfterUpdates(retryAfterUpdates),
      m_timeout(static_cast<std::uint64_t>(timeoutSeconds * 1e9)),
      m_timeoutSeconds(timeoutSeconds),
      m_externals(externals),
      m_pending(*externals.allocator),
      m_pendingTable(*externals.allocator),
      m_held(*externals.allocator),
      m_heldTable(*externals.allocator) {}

void RequestQueue::request(const TileKey& key, std::uint64_t update) {
    KARST_ASSERT(!isPending(key) && !m_heldTable.contains(key));
    m_pendingTable.set(key, pending());
    m_pending.push_back({key, update, m_externals.clock->nowNanoseconds()});
    m_source->request(key);
}

void RequestQueue::want(const TileKey& key, std::uint64_t update) {
    const std::uint32_t index = m_pendingTable.find(key);
    if (index != KeyTable::kNone) m_pending[index].wantedUpdate = update;
}

void RequestQueue::removePending(std::uint32_t index) {
    m_pendingTable.erase(m_pending[index].key);
    if (index + 1 < m_pending.size()) {
        m_pending[index] = m_pending.back();
        m_pendingTable.set(m_pending[index].key, index);
    }
    m_pending.pop_back();
}

bool RequestQueue::cancel(const TileKey& key) {
    const std::uint32_t index = m_pendingTable.find(key);
    if (index == KeyTable::kNone) return false;
    removePending(index);
    m_source->cancel(key);
    return true;
}

std::uint32_t RequestQueue::cancelUnwanted(std::uint64_t update, std::uint32_t updates, std::uint32_t count) {
    std::uint32_t cancelled = 0;
    for (std::uint32_t i = pending(); i-- > 0 && cancelled < count;) {
        if (update - m_pending[i].wantedUpdate < updates) continue;
        const TileKey key = m_pending[i].key;
        cancel(key);
        ++cancelled;
    }
    return cancelled;
}

std::optional<TileSource::Finished> RequestQueue::next() {
    while (m_strays < kMaximumStrays) {
        std::optional<TileSource::Finished> finished = m_source->poll();
        if (!finished) break;
        const std::uint32_t index = m_pendingTable.find(finished->key);
        if (index == KeyTable::kNone) {
            ++m_strays;
            continue;
        }
        removePending(index);
        return finished;
    }
    std::optional<TileSource::Finished> late = nextTimedOut();
    if (!late) m_strays = 0;
    return late;
}

std::optional<TileSource::Finished> RequestQueue::nextTimedOut() {
    if (m_timeout == 0 || m_pending.empty()) return std::nullopt;
    const std::uint64_t now = m_externals.clock->nowNanoseconds();
    for (const Pending& load : m_pending) {
        if (now - load.startedAt < m_timeout) continue;
        const TileKey key = load.key;
        cancel(key);
        return TileSource::Finished{key, makeError(ErrorCode::Io, "tile %d/%u-%u: no answer for %g s",
                                                   key.level, key.x, key.z, m_timeoutSeconds)};
    }
    return std::nullopt;
}

std::uint32_t RequestQueue::heldValue(std::uint64_t dueUpdate, HoldReason reason) {
    return static_cast<std::uint32_t>(dueUpdate & 0x3fffffff) << 1 | static_cast<std::uint32_t>(reason);
}

void RequestQueue::hold(const TileKey& key, HoldReason reason, std::uint64_t update) {
    const std::uint64_t due = update + m_retryAfterUpdates;
    m_heldTable.set(key, heldValue(due, reason));
    m_held.push_back({key, due});
}

std::optional<RequestQueue::HoldReason> RequestQueue::held(const TileKey& key) const {
    const std::uint32_t value = m_heldTable.find(key);
    if (value == KeyTable::kNone) return std::nullopt;
    return static_cast<HoldReason>(value & 1);
}

void RequestQueue::letGo(std::uint64_t update) {
    for (; !m_held.empty() && m_held.front().dueUpdate <= update; m_held.pop_front()) {
        const Held& front = m_held.front();
        const std::uint32_t value = m_heldTable.find(front.key);
        if (value != KeyTable::kNone && value >> 1 == heldValue(front.dueUpdate, HoldReason::Failed) >> 1)
            m_heldTable.erase(front.key);
    }
}

}  // namespace karst::heightfield
