#pragma once

#include <karst/base/allocator.h>
#include <karst/base/hash.h>
#include <karst/heightfield_lod/node_grid.h>

#include <cstdint>

namespace karst::heightfield {

/// A small open-addressing map from nodes to numbers that empties in no time and keeps its memory.
class NodeTable {
  public:
    static constexpr std::uint32_t kAbsent = ~0u;

    explicit NodeTable(Allocator& allocator) : m_entries(allocator) { m_entries.resize(256); }

    /// Room for `count` nodes, so that setting them allocates nothing.
    void reserve(std::size_t count) {
        while (m_entries.size() < count * 2)
            grow();
    }

    void clear() {
        m_count = 0;
        if (++m_epoch == 0) {  // the stamp came round: stale entries must not look fresh
            for (Entry& entry : m_entries)
                entry.epoch = 0;
            m_epoch = 1;
        }
    }

    std::uint32_t find(const NodeKey& key) const {
        const std::uint64_t packed = key.packed();
        for (std::size_t i = slot(packed);; i = (i + 1) & (m_entries.size() - 1)) {
            const Entry& entry = m_entries[i];
            if (entry.epoch != m_epoch) return kAbsent;
            if (entry.key == packed) return entry.value;
        }
    }

    void set(const NodeKey& key, std::uint32_t value) {
        if ((m_count + 1) * 2 > m_entries.size()) grow();
        insert(key.packed(), value);
    }

  private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t value = 0;
        std::uint32_t epoch = 0;
    };

    std::size_t slot(std::uint64_t packed) const {
        return static_cast<std::size_t>((packed * 0x9e3779b97f4a7c15u) >> 32) & (m_entries.size() - 1);
    }

    void insert(std::uint64_t packed, std::uint32_t value) {
        for (std::size_t i = slot(packed);; i = (i + 1) & (m_entries.size() - 1)) {
            Entry& entry = m_entries[i];
            if (entry.epoch != m_epoch) {
                entry = {packed, value, m_epoch};
                ++m_count;
                return;
            }
            if (entry.key == packed) {
                entry.value = value;
                return;
            }
        }
    }

    void grow() {
        Vector<Entry> old(m_entries.size() * 2, Entry{}, m_entries.get_allocator());
        old.swap(m_entries);
        m_count = 0;
        const std::uint32_t epoch = m_epoch;
        for (const Entry& entry : old) {
            if (entry.epoch == epoch) insert(entry.key, entry.value);
        }
    }

    Vector<Entry> m_entries;
    std::size_t m_count = 0;
    std::uint32_t m_epoch = 1;
};

}  // namespace karst::heightfield
