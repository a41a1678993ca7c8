#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace karst::render {

/// Triangles that lie side by side in an index buffer.
struct TriangleRange {
    std::uint32_t block = 0;  ///< which index buffer
    std::uint32_t first = 0, count = 0;
    std::uint32_t end() const { return first + count; }
    bool operator==(const TriangleRange&) const = default;
};

struct JoinLimits {
    /// Gaps of up to so many triangles are drawn through: fewer draws for a few triangles more.
    std::uint32_t gap = 0;
    /// At most so many ranges come out, as long as barriers and blocks allow it: the smallest gaps are drawn
    /// through.
    std::uint32_t ranges = ~0u;
};

/// Joins ranges (sorted by block and first, without overlap) into fewer. A gap is never drawn through where
/// one of `barriers` (sorted likewise) lies in it. What comes out covers all that went in and is sorted.
void joinRanges(std::span<const TriangleRange> ranges, std::span<const TriangleRange> barriers,
                const JoinLimits& limits, std::vector<TriangleRange>& out);

}  // namespace karst::render
