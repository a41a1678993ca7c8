#pragma once

#include "key_table.h"
#include "tile_cache.h"

#include <karst/heightfield_stream/interest.h>

#include <span>

namespace karst::heightfield {

/// Why a tile is wanted; the first comes first.
enum class WantedFor : std::uint8_t { Collision, View, Prefetch };

/// What one update's interests want and have not: each tile once, in the order of work.
class WantedList {
  public:
    struct Item {
        TileKey key;
        WantedFor reason = WantedFor::View;
    };

    WantedList(const TileLayout& layout, std::uint32_t detailLevels, Allocator& allocator);

    void clear();
    /// Marks in the cache what a region to stand on uses, down to `level`, and adds what it lacks.
    void addCollision(const CollisionInterest& interest, std::int32_t level, TileCache& cache,
                      std::uint64_t update);
    /// Marks in the cache what a view uses and adds what it lacks.
    void addView(const TileSelection& selection, TileCache& cache, std::uint64_t update);

    /// Collision before views before prefetch, then coarsest first, then as they were added.
    std::span<const Item> sorted();

  private:
    void add(const TileKey& key, WantedFor reason, const TileCache& cache);

    TileLayout m_layout;
    std::int32_t m_finestLevel;
    Vector<Item> m_items;   // as they were added
    Vector<Item> m_sorted;  // for its memory
    KeyTable m_table;       // index into m_items
    Vector<TileKey> m_stack;
};

}  // namespace karst::heightfield
