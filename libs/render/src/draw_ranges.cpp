#include "draw_ranges.h"

#include <algorithm>
#include <functional>

namespace karst::render {

namespace {

bool before(const TriangleRange& a, const TriangleRange& b) {
    return a.block != b.block ? a.block < b.block : a.first < b.first;
}

}  // namespace

void joinRanges(std::span<const TriangleRange> ranges, std::span<const TriangleRange> barriers,
                const JoinLimits& limits, std::vector<TriangleRange>& out) {
    out.clear();
    const auto barred = [&](const TriangleRange& left, const TriangleRange& right) {
        if (left.block != right.block) return true;
        const auto next = std::lower_bound(barriers.begin(), barriers.end(),
                                           TriangleRange{left.block, left.end(), 0}, before);
        return next != barriers.end() && before(*next, right);
    };
    for (const TriangleRange& range : ranges) {
        if (range.count == 0) continue;
        if (!out.empty() && out.back().block == range.block && range.first - out.back().end() <= limits.gap &&
            (range.first == out.back().end() || !barred(out.back(), range))) {
            out.back().count = range.end() - out.back().first;
        } else {
            out.push_back(range);
        }
    }
    if (out.size() <= limits.ranges) return;

    // Too many: draw through the smallest of the gaps that may be.
    std::vector<std::uint32_t> gaps;
    std::size_t fixed = 1;  // ranges that begin whatever is joined
    for (std::size_t i = 1; i < out.size(); ++i) {
        if (barred(out[i - 1], out[i])) {
            ++fixed;
        } else {
            gaps.push_back(out[i].first - out[i - 1].end());
        }
    }
    const std::size_t kept = std::min(limits.ranges > fixed ? limits.ranges - fixed : 0, gaps.size());
    std::uint32_t limit = ~0u;  // gaps of this size and more stay, `equal` of the equal ones do not
    std::size_t equal = 0;
    if (kept > 0) {
        std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(kept - 1), gaps.end(),
                         std::greater<>());
        limit = gaps[kept - 1];
        const auto larger = static_cast<std::size_t>(
            std::count_if(gaps.begin(), gaps.end(), [&](std::uint32_t gap) { return gap > limit; }));
        equal = kept - larger;
    }
    std::size_t to = 0;
    for (std::size_t i = 1; i < out.size(); ++i) {
        const std::uint32_t gap = out[i].block == out[to].block ? out[i].first - out[to].end() : ~0u;
        bool apart = barred(out[to], out[i]);
        if (!apart && kept > 0) {
            apart = gap > limit || (gap == limit && equal > 0);
            if (apart && gap == limit) --equal;
        }
        if (apart) {
            out[++to] = out[i];
        } else {
            out[to].count = out[i].end() - out[to].first;
        }
    }
    out.resize(to + 1);
}

}  // namespace karst::render
