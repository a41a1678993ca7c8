#pragma once

#include <karst/voxel/grid_changes.h>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace karst::voxel {

/// The bounds of a chunk's newest edits, local to it.
class EditHistory {
  public:
    EditHistory() = default;
    /// Nothing is known of edits up to `expired`.
    explicit EditHistory(Revision expired) : m_expired(expired) {}

    void add(Revision revision, const CellBox& local) {
        if (m_count == kChunkEditHistory) {
            m_expired = m_revisions[m_next];
        } else {
            ++m_count;
        }
        m_revisions[m_next] = revision;
        const auto byte = [](std::int32_t v) { return static_cast<std::uint8_t>(v); };
        m_boxes[m_next] = {byte(local.min.x), byte(local.min.y), byte(local.min.z),
                           byte(local.max.x), byte(local.max.y), byte(local.max.z)};
        m_next = static_cast<std::uint8_t>((m_next + 1) % kChunkEditHistory);
    }
    /// Around all edits after `revision`, local; the whole chunk where some have expired.
    CellBox extentSince(Revision revision) const {
        if (revision < m_expired) return {{0, 0, 0}, {kChunkSize, kChunkSize, kChunkSize}};
        CellBox extent;
        for (int i = 0; i < m_count; ++i) {
            if (m_revisions[i] <= revision) continue;
            const auto& b = m_boxes[i];
            extent = unite(extent, {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}});
        }
        return extent;
    }

  private:
    Revision m_expired = 0;
    std::array<Revision, kChunkEditHistory> m_revisions{};
    std::array<std::array<std::uint8_t, 6>, kChunkEditHistory> m_boxes{};
    std::uint8_t m_count = 0, m_next = 0;
};
static_assert(sizeof(EditHistory) <= 96);

/// The histories of a grid's chunks. They are apart from the map, so that snapshots do not carry them.
class EditHistories {
  public:
    std::uint32_t add(const EditHistory& history) {
        if (m_free.empty()) {
            m_histories.push_back(history);
            return static_cast<std::uint32_t>(m_histories.size() - 1);
        }
        const std::uint32_t index = m_free.back();
        m_free.pop_back();
        m_histories[index] = history;
        return index;
    }
    void release(std::uint32_t index) { m_free.push_back(index); }
    EditHistory& operator[](std::uint32_t index) { return m_histories[index]; }
    const EditHistory& operator[](std::uint32_t index) const { return m_histories[index]; }
    std::size_t memoryBytes() const {
        return m_histories.size() * sizeof(EditHistory) + m_free.capacity() * sizeof(std::uint32_t);
    }

  private:
    std::deque<EditHistory> m_histories;
    std::vector<std::uint32_t> m_free;
};

}  // namespace karst::voxel
