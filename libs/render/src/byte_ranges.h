#pragma once

#include <cstdint>
#include <vector>

namespace karst::render {

struct ByteRange {
    std::uint64_t begin = 0, end = 0;
    bool operator==(const ByteRange&) const = default;
};

/// Sorted ranges without overlap; those that touch are joined.
class ByteRanges {
  public:
    void add(ByteRange range);
    void clear() { m_ranges.clear(); }
    const std::vector<ByteRange>& ranges() const { return m_ranges; }

  private:
    std::vector<ByteRange> m_ranges;
};

}  // namespace karst::render
