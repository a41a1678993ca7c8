#pragma once

#include "key_table.h"

#include <karst/heightfield/height_tile.h>

#include <vector>

namespace karst::heightfield {

/// The resident tiles of a streamer, and when each was last used. A tile is in it only with its parent.
class TileCache {
  public:
    struct Entry {
        TilePtr stored;  ///< as the source gave it; null for detail tiles
        TilePtr shown;   ///< with craters and detail's error table
        std::uint64_t revision = 0;
        std::uint64_t bornUpdate = 0;
        std::uint64_t usedUpdate = 0;     ///< 0: no interest ever used it
        std::uint64_t stoodOnUpdate = 0;  ///< used as ground to stand on
        std::uint64_t awaitedUpdate = 0;  ///< its siblings were wanted
        std::uint32_t children = 0;       ///< resident ones
    };
    struct Left {
        TileKey key;
        bool wasUsed = false;
    };
    /// Which tiles may leave: those not used, nor come, for `age` updates. Age 0: also those that views use.
    struct Staleness {
        std::uint64_t update = 0;
        std::uint64_t age = 1;
        bool keepAwaited = true;  ///< also those whose siblings are awaited stay
    };

    TileCache(const TileLayout& layout, Allocator& allocator);

    std::uint32_t size() const { return m_table.size(); }
    bool contains(const TileKey& key) const { return m_table.contains(key); }
    /// Null where not resident. Valid until the next insert.
    const Entry* find(const TileKey& key) const;
    /// Is it a root, or is its parent resident?
    bool accepts(const TileKey& key) const;

    /// The key is accepted and new.
    void insert(const TileKey& key, Entry entry);
    void show(const TileKey& key, TilePtr tile);

    /// Marks a tile and its ancestors as used; no effect where it is not resident.
    void use(const TileKey& key, std::uint64_t update);
    /// As ground to stand on, which stays in any case.
    void useToStandOn(const TileKey& key, std::uint64_t update);
    /// Marks the resident children of a tile as waiting for their siblings.
    void await(const TileKey& parent, std::uint64_t update);

    /// Releases up to `count` tiles without resident children, least recently used first (among equals the
    /// finest, then by key), and appends them to `left`. Roots stay.
    void release(std::uint32_t count, const Staleness& staleness, Vector<Left>& left);

    /// All tiles as they are shown, sorted by key.
    std::vector<TilePtr> sorted();

  private:
    struct Candidate {
        std::uint64_t lastUpdate = 0;
        TileKey key;
        bool operator<(const Candidate& other) const;
    };
    bool isRoot(const TileKey& key) const { return key.level == m_layout.rootLevel(); }
    static std::uint64_t lastUpdate(const Entry& entry);
    bool mayLeave(const TileKey& key, const Entry& entry, const Staleness& staleness) const;
    Entry* entryOf(const TileKey& key);
    void remove(const TileKey& key);

    TileLayout m_layout;
    KeyTable m_table;  // index into m_entries
    Vector<Entry> m_entries;
    Vector<std::uint32_t> m_free;
    Vector<TileKey> m_order;  // sorted keys at the last sorted(), some of which may have left
    Vector<TileKey> m_added;  // since then
    Vector<TileKey> m_merged;
    Vector<Candidate> m_candidates;
};

}  // namespace karst::heightfield
