#include "prefix_code.h"

#include <algorithm>

namespace karst::voxel {
namespace {

struct Node {
    std::uint32_t count = 0;
    std::int16_t left = -1, right = -1;
};

// Depths in the tree of Huffman's method; ties are broken by the order of creation, so the result is one.
int treeDepths(std::span<const std::uint32_t> counts, std::array<std::uint8_t, kMaxSymbols>& depths) {
    std::array<Node, 2 * kMaxSymbols> nodes;
    std::array<std::int16_t, kMaxSymbols> leaves;
    int leafCount = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        nodes[s] = {counts[s], -1, -1};
        if (counts[s] > 0) leaves[static_cast<std::size_t>(leafCount++)] = static_cast<std::int16_t>(s);
    }
    if (leafCount == 1) {
        depths[static_cast<std::size_t>(leaves[0])] = 1;
        return 1;
    }
    std::stable_sort(leaves.begin(), leaves.begin() + leafCount, [&](std::int16_t a, std::int16_t b) {
        return counts[static_cast<std::size_t>(a)] < counts[static_cast<std::size_t>(b)];
    });
    // Leaves by count, and the inner nodes, which come into being by count, are two queues.
    int leaf = 0, made = 0, inner = 0;
    const auto firstInner = static_cast<std::int16_t>(counts.size());
    const auto takeLeast = [&]() -> std::int16_t {
        const bool noInner = inner == made;
        if (leaf < leafCount) {
            const std::int16_t candidate = leaves[static_cast<std::size_t>(leaf)];
            if (noInner || nodes[static_cast<std::size_t>(candidate)].count <=
                               nodes[static_cast<std::size_t>(firstInner + inner)].count) {
                ++leaf;
                return candidate;
            }
        }
        return static_cast<std::int16_t>(firstInner + inner++);
    };
    while (made < leafCount - 1) {
        const std::int16_t a = takeLeast(), b = takeLeast();
        nodes[static_cast<std::size_t>(firstInner + made)] = {
            nodes[static_cast<std::size_t>(a)].count + nodes[static_cast<std::size_t>(b)].count, a, b};
        ++made;
    }
    std::array<std::uint8_t, 2 * kMaxSymbols> depth{};
    int deepest = 0;
    for (int i = firstInner + made - 1; i >= firstInner; --i) {
        const Node& node = nodes[static_cast<std::size_t>(i)];
        for (const std::int16_t child : {node.left, node.right}) {
            const int below = depth[static_cast<std::size_t>(i)] + 1;
            depth[static_cast<std::size_t>(child)] = static_cast<std::uint8_t>(below);
            if (child < firstInner) {
                depths[static_cast<std::size_t>(child)] = static_cast<std::uint8_t>(below);
                deepest = std::max(deepest, below);
            }
        }
    }
    return deepest;
}

// Codes ascend by (length, symbol). False where the lengths make no complete code.
bool assignCodes(PrefixCode& code) {
    std::array<std::uint32_t, kMaxCodeBits + 1> perLength{}, next{};
    int used = 0;
    for (int s = 0; s < code.symbols; ++s) {
        const std::uint8_t length = code.lengths[static_cast<std::size_t>(s)];
        ++perLength[length];
        used += length != 0;
    }
    perLength[0] = 0;
    std::uint32_t first = 0;
    for (std::size_t length = 1; length <= kMaxCodeBits; ++length) {
        first = (first + perLength[length - 1]) << 1;
        next[length] = first;
        if (first + perLength[length] > (1u << length)) return false;
    }
    const bool complete = first + perLength[kMaxCodeBits] == (1u << kMaxCodeBits);
    if (!complete && !(used == 1 && perLength[1] == 1)) return false;
    for (std::size_t s = 0; s < static_cast<std::size_t>(code.symbols); ++s) {
        const int length = code.lengths[s];
        if (length == 0) continue;
        std::uint32_t forward = next[static_cast<std::size_t>(length)]++, reversed = 0;
        for (int i = 0; i < length; ++i, forward >>= 1)
            reversed = reversed << 1 | (forward & 1);
        code.codes[s] = static_cast<std::uint16_t>(reversed);
    }
    return true;
}

}  // namespace

PrefixCode makePrefixCode(std::span<const std::uint32_t> counts) {
    PrefixCode code;
    code.symbols = static_cast<int>(counts.size());
    std::array<std::uint32_t, kMaxSymbols> flattened{};
    std::copy(counts.begin(), counts.end(), flattened.begin());
    // Codes that come out too long: halving what the counts differ by makes them shorter, at little loss.
    while (treeDepths(std::span(flattened).first(counts.size()), code.lengths) > kMaxCodeBits) {
        for (std::uint32_t& count : flattened)
            count = (count + 1) / 2;
    }
    assignCodes(code);
    return code;
}

void writeLengths(const PrefixCode& code, BitWriter& out) {
    for (int s = 0; s < code.symbols; ++s) {
        const std::uint8_t length = code.lengths[static_cast<std::size_t>(s)];
        out.put(length, 4);
        if (length != 0) continue;
        int zeros = 0;
        while (zeros < 15 && s + 1 < code.symbols && code.lengths[static_cast<std::size_t>(s + 1)] == 0) {
            ++zeros;
            ++s;
        }
        out.put(static_cast<std::uint32_t>(zeros), 4);
    }
}

const char* readLengths(BitReader& in, int symbols, PrefixCode& code) {
    code = PrefixCode{};
    code.symbols = symbols;
    for (int s = 0; s < symbols; ++s) {
        const std::uint32_t length = in.read(4);
        if (length > kMaxCodeBits) return "a code of more than 11 bits";
        code.lengths[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(length);
        if (length != 0) continue;
        s += static_cast<int>(in.read(4));
        if (s >= symbols) return "more zeros than there are symbols";
    }
    return assignCodes(code) ? nullptr : "lengths that make no complete code";
}

}  // namespace karst::voxel
