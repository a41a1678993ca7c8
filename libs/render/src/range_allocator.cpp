#include "range_allocator.h"

#include <karst/base/assert.h>

#include <algorithm>
#include <bit>

namespace karst::render {

namespace {

// Sizes below 8 have a bin each; above, a bin is the highest bit and the three below it.
constexpr std::uint32_t kSteps = 8;

std::uint32_t binBelow(std::uint32_t size) {
    if (size < kSteps) return size;
    const auto high = static_cast<std::uint32_t>(std::bit_width(size)) - 1;
    return (high - 2) * kSteps + (size >> (high - 3) & (kSteps - 1));
}

// The first bin all of whose ranges are at least this large.
std::uint32_t binAbove(std::uint32_t size) {
    if (size < kSteps) return size;
    const auto high = static_cast<std::uint32_t>(std::bit_width(size)) - 1;
    const std::uint32_t rest = size & ((1u << (high - 3)) - 1);
    return binBelow(size) + (rest != 0 ? 1 : 0);
}

}  // namespace

RangeAllocator::RangeAllocator(std::uint32_t capacity) : m_capacity(capacity) {
    m_bins.fill(kNone);
    if (capacity > 0) pushFree(newNode(0, capacity));
}

std::uint32_t RangeAllocator::newNode(std::uint32_t offset, std::uint32_t size) {
    std::uint32_t number = 0;
    if (m_spare.empty()) {
        number = static_cast<std::uint32_t>(m_nodes.size());
        m_nodes.emplace_back();
    } else {
        number = m_spare.back();
        m_spare.pop_back();
        m_nodes[number] = {};
    }
    m_nodes[number].offset = offset;
    m_nodes[number].size = size;
    return number;
}

void RangeAllocator::pushFree(std::uint32_t number) {
    Node& node = m_nodes[number];
    const std::uint32_t bin = binBelow(node.size);
    node.used = false;
    node.binBefore = kNone;
    node.binNext = m_bins[bin];
    if (node.binNext != kNone) m_nodes[node.binNext].binBefore = number;
    m_bins[bin] = number;
    m_mask[bin / 64] |= std::uint64_t{1} << (bin % 64);
    m_free += node.size;
    ++m_freeRanges;
}

void RangeAllocator::takeFree(std::uint32_t number) {
    Node& node = m_nodes[number];
    const std::uint32_t bin = binBelow(node.size);
    if (node.binBefore == kNone) {
        m_bins[bin] = node.binNext;
        if (node.binNext == kNone) m_mask[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
    } else {
        m_nodes[node.binBefore].binNext = node.binNext;
    }
    if (node.binNext != kNone) m_nodes[node.binNext].binBefore = node.binBefore;
    node.used = true;
    m_free -= node.size;
    --m_freeRanges;
}

std::uint32_t RangeAllocator::firstBinAtLeast(std::uint32_t bin) const {
    for (std::uint32_t word = bin / 64; word < m_mask.size(); ++word) {
        std::uint64_t bits = m_mask[word];
        if (word == bin / 64) bits &= ~std::uint64_t{0} << (bin % 64);
        if (bits != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    return kNone;
}

std::optional<RangeAllocator::Range> RangeAllocator::allocate(std::uint32_t size) {
    KARST_ASSERT(size > 0);
    if (size > m_free) return std::nullopt;
    const std::uint32_t bin = firstBinAtLeast(binAbove(size));
    std::uint32_t number = bin != kNone ? m_bins[bin] : kNone;
    if (number == kNone) {
        // The bin below holds smaller ones too: the last resort.
        number = m_bins[binBelow(size)];
        while (number != kNone && m_nodes[number].size < size)
            number = m_nodes[number].binNext;
        if (number == kNone) return std::nullopt;
    }
    takeFree(number);
    const std::uint32_t rest = m_nodes[number].size - size;
    if (rest > 0) {
        const std::uint32_t tail = newNode(m_nodes[number].offset + size, rest);  // may move the nodes
        Node& node = m_nodes[number];
        node.size = size;
        m_nodes[tail].before = number;
        m_nodes[tail].after = node.after;
        if (node.after != kNone) m_nodes[node.after].before = tail;
        node.after = tail;
        pushFree(tail);
    }
    return Range{m_nodes[number].offset, size, number};
}

void RangeAllocator::free(const Range& range) {
    std::uint32_t number = range.node;
    KARST_ASSERT(number < m_nodes.size() && m_nodes[number].used && m_nodes[number].offset == range.offset &&
                 m_nodes[number].size == range.size);
    const auto join = [&](std::uint32_t left, std::uint32_t right) {
        m_nodes[left].size += m_nodes[right].size;
        m_nodes[left].after = m_nodes[right].after;
        if (m_nodes[right].after != kNone) m_nodes[m_nodes[right].after].before = left;
        m_nodes[right].size = 0;
        m_spare.push_back(right);
    };
    if (const std::uint32_t before = m_nodes[number].before; before != kNone && !m_nodes[before].used) {
        takeFree(before);
        join(before, number);
        number = before;
    }
    if (const std::uint32_t after = m_nodes[number].after; after != kNone && !m_nodes[after].used) {
        takeFree(after);
        join(number, after);
    }
    pushFree(number);
}

std::uint32_t RangeAllocator::largestFree() const {
    std::uint32_t largest = 0;
    for (std::uint32_t bin = kBinCount; bin-- > 0 && largest == 0;) {
        for (std::uint32_t node = m_bins[bin]; node != kNone; node = m_nodes[node].binNext)
            largest = std::max(largest, m_nodes[node].size);
    }
    return largest;
}

}  // namespace karst::render
