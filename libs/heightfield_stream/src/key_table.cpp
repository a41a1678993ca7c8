#include "key_table.h"

#include <karst/base/hash.h>

#include <algorithm>

namespace karst::heightfield {

KeyTable::KeyTable(Allocator& allocator) : m_slots(64, Slot{}, allocator) {}

// The key's slot, or the empty one where it would go.
std::size_t KeyTable::slotOf(std::uint64_t packed) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = mix64(packed) & mask;
    while (m_slots[slot].key != 0 && m_slots[slot].key != packed)
        slot = (slot + 1) & mask;
    return slot;
}

std::uint32_t KeyTable::find(const TileKey& key) const {
    if (m_size == 0) return kNone;
    const Slot& slot = m_slots[slotOf(key.packed())];
    return slot.key == 0 ? kNone : slot.value;
}

bool KeyTable::set(const TileKey& key, std::uint32_t value) {
    KARST_ASSERT(value != kNone);
    std::size_t slot = slotOf(key.packed());
    const bool isNew = m_slots[slot].key == 0;
    if (isNew && (m_size + 1) * std::size_t{2} > m_slots.size()) {
        grow();
        slot = slotOf(key.packed());
    }
    m_slots[slot] = {key.packed(), value};
    if (isNew) ++m_size;
    return isNew;
}

bool KeyTable::erase(const TileKey& key) {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t hole = slotOf(key.packed());
    if (m_slots[hole].key == 0) return false;
    // Entries that only stand further on because this one was in their way move up.
    for (std::size_t next = (hole + 1) & mask; m_slots[next].key != 0; next = (next + 1) & mask) {
        const std::size_t home = mix64(m_slots[next].key) & mask;
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            m_slots[hole] = m_slots[next];
            hole = next;
        }
    }
    m_slots[hole] = Slot{};
    --m_size;
    return true;
}

void KeyTable::clear() {
    if (m_size == 0) return;
    std::fill(m_slots.begin(), m_slots.end(), Slot{});
    m_size = 0;
}

void KeyTable::grow() {
    Vector<Slot> old(m_slots.size() * 2, Slot{}, m_slots.get_allocator());
    old.swap(m_slots);
    for (const Slot& slot : old) {
        if (slot.key != 0) m_slots[slotOf(slot.key)] = slot;
    }
}

}  // namespace karst::heightfield
