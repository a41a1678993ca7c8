#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace karst::physics {

/// Keeps what a writer took out of shared slots alive until no reader can still see it (epoch-based
/// reclamation, Fraser 2004). Readers never wait: they count themselves into the running epoch, and out. The
/// writer moves the epoch on once the readers of the one before are gone; what it took out two epochs ago is
/// then free. Threads: Reader from any; retire and reclaim by one thread at a time.
class Epochs {
    /// One of several, so that threads seldom share a cache line.
    struct alignas(64) Counters {
        std::array<std::atomic<std::uint32_t>, 2> readers{};
    };

  public:
    class Reader {
      public:
        explicit Reader(const Epochs& epochs) {
            Counters& counters = epochs.m_counters[shardOf(this)];
            for (;;) {
                const std::uint32_t epoch = epochs.m_epoch.load();
                m_counter = &counters.readers[epoch & 1];
                m_counter->fetch_add(1);
                if (epochs.m_epoch.load() == epoch) return;
                m_counter->fetch_sub(1);
            }
        }
        ~Reader() { m_counter->fetch_sub(1); }
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

      private:
        /// Threads have stacks of their own.
        static std::size_t shardOf(const void* onStack) {
            const auto address = reinterpret_cast<std::uintptr_t>(onStack);
            return static_cast<std::size_t>((address >> 16) ^ (address >> 23)) % kShards;
        }
        std::atomic<std::uint32_t>* m_counter;
    };

    /// `object` is out of every slot by now.
    void retire(std::shared_ptr<const void> object) {
        m_retired.emplace_back(m_epoch.load(), std::move(object));
    }

    /// Frees what no reader can see any more.
    void reclaim() {
        for (int step = 0; step < 2 && !m_retired.empty(); ++step) {
            const std::uint32_t epoch = m_epoch.load();
            for (const Counters& counters : m_counters) {
                if (counters.readers[(epoch + 1) & 1].load() != 0) return;
            }
            m_epoch.store(epoch + 1);
            while (!m_retired.empty() && epoch + 1 - m_retired.front().first >= 2)
                m_retired.pop_front();
        }
    }
    std::size_t retiredCount() const { return m_retired.size(); }

  private:
    static constexpr std::size_t kShards = 8;
    mutable std::array<Counters, kShards> m_counters;
    std::atomic<std::uint32_t> m_epoch{0};
    std::deque<std::pair<std::uint32_t, std::shared_ptr<const void>>> m_retired;
};

/// Pointers that one thread replaces while others read them under an Epochs::Reader.
template <class T>
class SlotTable {
  public:
    SlotTable(std::size_t count, Epochs& epochs)
        : m_owners(count), m_slots(std::make_unique<std::atomic<const T*>[]>(count)), m_epochs(epochs) {
        for (std::size_t i = 0; i < count; ++i)
            m_slots[i].store(nullptr);
    }
    std::size_t size() const { return m_owners.size(); }
    const T* read(std::size_t slot) const { return m_slots[slot].load(); }
    const std::shared_ptr<const T>& owner(std::size_t slot) const { return m_owners[slot]; }
    void set(std::size_t slot, std::shared_ptr<const T> object) {
        m_slots[slot].store(object.get());
        std::shared_ptr<const T> old = std::exchange(m_owners[slot], std::move(object));
        if (old) m_epochs.retire(std::move(old));
        m_epochs.reclaim();
    }

  private:
    std::vector<std::shared_ptr<const T>> m_owners;
    std::unique_ptr<std::atomic<const T*>[]> m_slots;
    Epochs& m_epochs;
};

}  // namespace karst::physics
