#pragma once

#include <karst/base/allocator.h>
#include <karst/heightfield/tile_layout.h>

#include <cstdint>

namespace karst::heightfield {

/// From a tile's key to a number: open addressing, without a node per entry. Keeps its memory. Its order is
/// never read.
class KeyTable {
  public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    explicit KeyTable(Allocator& allocator);

    std::uint32_t size() const { return m_size; }
    bool contains(const TileKey& key) const { return find(key) != kNone; }
    /// kNone where absent.
    std::uint32_t find(const TileKey& key) const;
    /// Adds or replaces. The value is not kNone. True where the key is new.
    bool set(const TileKey& key, std::uint32_t value);
    /// False where it was absent.
    bool erase(const TileKey& key);
    void clear();

  private:
    struct Slot {
        std::uint64_t key = 0;  // packed; 0 is no tile's and marks an empty slot
        std::uint32_t value = 0;
    };
    std::size_t slotOf(std::uint64_t packed) const;
    void grow();

    Vector<Slot> m_slots;
    std::uint32_t m_size = 0;
};

}  // namespace karst::heightfield
