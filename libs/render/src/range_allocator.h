#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace karst::render {

/// Hands out ranges of the units 0 .. capacity, as a rule in constant time: free ranges lie in bins by size
/// (eight to each power of two) with a bit mask over the bins, and those that touch are joined when one is
/// given back. Keeps no memory of its own in the ranges. Source: Masmano et al. 2004, "TLSF: a new dynamic
/// memory allocator for real-time systems".
///
/// Threads: one at a time.
class RangeAllocator {
  public:
    explicit RangeAllocator(std::uint32_t capacity = 0);

    struct Range {
        std::uint32_t offset = 0, size = 0;
        std::uint32_t node = 0;  ///< the allocator's own number of it
        std::uint32_t end() const { return offset + size; }
    };

    /// Nothing where no free range is that large; `size` above 0. Looks through a bin, which takes longer,
    /// only where no bin of larger ones holds any.
    std::optional<Range> allocate(std::uint32_t size);
    /// A range that allocate() gave and that was not given back yet.
    void free(const Range& range);

    std::uint32_t capacity() const { return m_capacity; }
    std::uint32_t freeSize() const { return m_free; }
    /// Of the largest free range.
    std::uint32_t largestFree() const;
    std::uint32_t freeRanges() const { return m_freeRanges; }

  private:
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr std::uint32_t kBinCount = 256;

    struct Node {
        std::uint32_t offset = 0, size = 0;
        std::uint32_t before = kNone, after = kNone;       // neighbours in the units
        std::uint32_t binBefore = kNone, binNext = kNone;  // neighbours in the bin, while free
        bool used = false;
    };

    std::uint32_t newNode(std::uint32_t offset, std::uint32_t size);
    void pushFree(std::uint32_t node);
    void takeFree(std::uint32_t node);
    std::uint32_t firstBinAtLeast(std::uint32_t bin) const;

    std::uint32_t m_capacity = 0, m_free = 0, m_freeRanges = 0;
    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_spare;  // numbers of nodes that are not in use
    std::array<std::uint32_t, kBinCount> m_bins;
    std::array<std::uint64_t, kBinCount / 64> m_mask{};  // a bit for each bin that holds something
};

}  // namespace karst::render
