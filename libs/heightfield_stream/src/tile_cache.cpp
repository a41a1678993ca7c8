#include "tile_cache.h"

#include <algorithm>

namespace karst::heightfield {

TileCache::TileCache(const TileLayout& layout, Allocator& allocator)
    : m_layout(layout),
      m_table(allocator),
      m_entries(allocator),
      m_free(allocator),
      m_order(allocator),
      m_added(allocator),
      m_merged(allocator),
      m_candidates(allocator) {}

const TileCache::Entry* TileCache::find(const TileKey& key) const {
    const std::uint32_t index = m_table.find(key);
    return index == KeyTable::kNone ? nullptr : &m_entries[index];
}

TileCache::Entry* TileCache::entryOf(const TileKey& key) {
    return const_cast<Entry*>(find(key));
}

bool TileCache::accepts(const TileKey& key) const {
    return isRoot(key) || m_table.contains(key.parent());
}

void TileCache::insert(const TileKey& key, Entry entry) {
    KARST_ASSERT(accepts(key) && !contains(key));
    std::uint32_t index = static_cast<std::uint32_t>(m_entries.size());
    if (!m_free.empty()) {
        index = m_free.back();
        m_free.pop_back();
        m_entries[index] = std::move(entry);
    } else {
        m_entries.push_back(std::move(entry));
    }
    m_table.set(key, index);
    m_added.push_back(key);
    if (!isRoot(key)) ++entryOf(key.parent())->children;
}

void TileCache::show(const TileKey& key, TilePtr tile) {
    Entry* entry = entryOf(key);
    entry->revision = tile->revision;
    entry->shown = std::move(tile);
}

void TileCache::use(const TileKey& key, std::uint64_t update) {
    TileKey at = key;
    for (Entry* entry = entryOf(at); entry != nullptr && entry->usedUpdate != update; entry = entryOf(at)) {
        entry->usedUpdate = update;
        if (isRoot(at)) return;
        at = at.parent();
    }
}

void TileCache::useToStandOn(const TileKey& key, std::uint64_t update) {
    use(key, update);
    if (Entry* entry = entryOf(key)) entry->stoodOnUpdate = update;
}

void TileCache::await(const TileKey& parent, std::uint64_t update) {
    for (std::uint32_t child = 0; child < 4; ++child) {
        if (Entry* entry = entryOf(parent.child(child))) entry->awaitedUpdate = update;
    }
}

// A tile that nobody used yet counts from when it came.
std::uint64_t TileCache::lastUpdate(const Entry& entry) {
    return std::max(entry.usedUpdate, entry.bornUpdate);
}

// std's heaps have the greatest on top: the one to leave first.
bool TileCache::Candidate::operator<(const Candidate& other) const {
    if (lastUpdate != other.lastUpdate) return lastUpdate > other.lastUpdate;
    return key < other.key;
}

bool TileCache::mayLeave(const TileKey& key, const Entry& entry, const Staleness& staleness) const {
    if (isRoot(key) || entry.children != 0) return false;
    if (staleness.keepAwaited && entry.awaitedUpdate == staleness.update) return false;
    if (entry.stoodOnUpdate == staleness.update || entry.bornUpdate == staleness.update) return false;
    return staleness.update - lastUpdate(entry) >= staleness.age;
}

void TileCache::release(std::uint32_t count, const Staleness& staleness, Vector<Left>& left) {
    if (count == 0) return;
    m_candidates.clear();
    for (const Entry& entry : m_entries) {
        if (entry.shown == nullptr) continue;
        const TileKey& key = entry.shown->key;
        if (mayLeave(key, entry, staleness)) m_candidates.push_back({lastUpdate(entry), key});
    }
    std::make_heap(m_candidates.begin(), m_candidates.end());
    while (count > 0 && !m_candidates.empty()) {
        std::pop_heap(m_candidates.begin(), m_candidates.end());
        const TileKey key = m_candidates.back().key;
        m_candidates.pop_back();
        left.push_back({key, find(key)->usedUpdate != 0});
        remove(key);
        --count;
        const TileKey parent = key.parent();
        const Entry* entry = find(parent);
        if (mayLeave(parent, *entry, staleness)) {
            m_candidates.push_back({lastUpdate(*entry), parent});
            std::push_heap(m_candidates.begin(), m_candidates.end());
        }
    }
}

void TileCache::remove(const TileKey& key) {
    const std::uint32_t index = m_table.find(key);
    m_entries[index] = Entry{};
    m_free.push_back(index);
    m_table.erase(key);
    if (!isRoot(key)) --entryOf(key.parent())->children;
}

std::vector<TilePtr> TileCache::sorted() {
    if (!m_added.empty() || m_order.size() != m_table.size()) {
        // A tile that left and came back is in it twice, or in both.
        std::sort(m_added.begin(), m_added.end());
        m_added.erase(std::unique(m_added.begin(), m_added.end()), m_added.end());
        m_merged.clear();
        std::set_union(m_order.begin(), m_order.end(), m_added.begin(), m_added.end(),
                       std::back_inserter(m_merged));
        std::erase_if(m_merged, [&](const TileKey& key) { return !contains(key); });
        m_order.swap(m_merged);
        m_added.clear();
    }
    std::vector<TilePtr> tiles;
    tiles.reserve(m_order.size());
    for (const TileKey& key : m_order)
        tiles.push_back(find(key)->shown);
    return tiles;
}

}  // namespace karst::heightfield
