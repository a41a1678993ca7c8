#include "wanted_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace karst::heightfield {

WantedList::WantedList(const TileLayout& layout, std::uint32_t detailLevels, Allocator& allocator)
    : m_layout(layout),
      m_finestLevel(-static_cast<std::int32_t>(detailLevels)),
      m_items(allocator),
      m_sorted(allocator),
      m_table(allocator),
      m_stack(allocator) {}

void WantedList::clear() {
    m_items.clear();
    m_table.clear();
}

void WantedList::add(const TileKey& key, WantedFor reason, const TileCache& cache) {
    if (key.level < m_finestLevel || !m_layout.contains(key)) return;
    if (cache.contains(key) || !cache.accepts(key)) return;
    const std::uint32_t index = m_table.find(key);
    if (index != KeyTable::kNone) {
        m_items[index].reason = std::min(m_items[index].reason, reason);
        return;
    }
    m_table.set(key, static_cast<std::uint32_t>(m_items.size()));
    m_items.push_back({key, reason});
}

void WantedList::addCollision(const CollisionInterest& interest, std::int32_t level, TileCache& cache,
                              std::uint64_t update) {
    // Only the roots that the circle's square meets are looked at.
    const std::int32_t rootLevel = m_layout.rootLevel();
    const auto clampedIndex = [](double value, std::uint32_t count) {
        return static_cast<std::uint32_t>(std::clamp(std::floor(value), 0.0, count - 1.0));
    };
    const double sizeX = m_layout.tileSizeX(rootLevel), sizeZ = m_layout.tileSizeZ(rootLevel);
    const double x = interest.x - m_layout.originX, z = interest.z - m_layout.originZ;
    // One root more on each side, for circles that just touch.
    const std::uint32_t x0 = clampedIndex((x - interest.radius) / sizeX - 1, m_layout.rootsX);
    const std::uint32_t x1 = clampedIndex((x + interest.radius) / sizeX + 1, m_layout.rootsX);
    const std::uint32_t z0 = clampedIndex((z - interest.radius) / sizeZ - 1, m_layout.rootsZ);
    const std::uint32_t z1 = clampedIndex((z + interest.radius) / sizeZ + 1, m_layout.rootsZ);
    for (std::uint32_t rootZ = z0; rootZ <= z1; ++rootZ) {
        for (std::uint32_t rootX = x0; rootX <= x1; ++rootX) {
            m_stack.push_back({rootLevel, rootX, rootZ});
            // It goes down resident tiles only, so a radius as large as the ground costs no more than those.
            while (!m_stack.empty()) {
                const TileKey key = m_stack.back();
                m_stack.pop_back();
                if (!m_layout.contains(key) || !reaches(interest, m_layout.footprint(key))) continue;
                if (!cache.contains(key)) {
                    add(key, WantedFor::Collision, cache);
                    continue;
                }
                cache.useToStandOn(key, update);
                for (std::uint32_t child = 4; child-- > 0 && key.level > level;)
                    m_stack.push_back(key.child(child));
            }
        }
    }
}

void WantedList::addView(const TileSelection& selection, TileCache& cache, std::uint64_t update) {
    for (const TileKey& key : selection.used)
        cache.use(key, update);
    for (const WantedTile& wanted : selection.wanted)
        add(wanted.key, wanted.prefetch ? WantedFor::Prefetch : WantedFor::View, cache);
}

std::span<const WantedList::Item> WantedList::sorted() {
    // Counted, not compared: few ranks, and items of one keep their order.
    constexpr std::size_t kLevels = TileLayout::kMaxStoredLevels + TileLayout::kMaxDetailLevels;
    constexpr std::size_t kReasons = 3;
    const auto rankOf = [](const Item& item) {
        return static_cast<std::size_t>(item.reason) * kLevels +
               static_cast<std::size_t>(static_cast<std::int32_t>(TileLayout::kMaxStoredLevels) - 1 -
                                        item.key.level);
    };
    std::array<std::uint32_t, kReasons * kLevels> place{};
    for (const Item& item : m_items)
        ++place[rankOf(item)];
    std::uint32_t before = 0;
    for (std::uint32_t& count : place)
        before += std::exchange(count, before);
    m_sorted.resize(m_items.size());
    for (const Item& item : m_items)
        m_sorted[place[rankOf(item)]++] = item;
    return m_sorted;
}

}  // namespace karst::heightfield
