#include "byte_ranges.h"

#include <algorithm>

namespace karst::render {

void ByteRanges::add(ByteRange range) {
    if (range.begin >= range.end) return;
    // All ranges that overlap or touch the new one become one with it.
    const auto first =
        std::lower_bound(m_ranges.begin(), m_ranges.end(), range.begin,
                         [](const ByteRange& r, std::uint64_t begin) { return r.end < begin; });
    auto last = first;
    while (last != m_ranges.end() && last->begin <= range.end) {
        range.begin = std::min(range.begin, last->begin);
        range.end = std::max(range.end, last->end);
        ++last;
    }
    if (first == last) {
        m_ranges.insert(first, range);
    } else {
        *first = range;
        m_ranges.erase(first + 1, last);
    }
}

}  // namespace karst::render
