#include "residual_stream.h"

#include "chunk_planes.h"
#include "prefix_code.h"

#include <array>
#include <cstring>

namespace karst::voxel {
namespace {

// A symbol is 8 * (class of the run of zeros) + (class of the value); the last one ends the stream.
constexpr int kRunClasses = 20, kValueClasses = 8;
constexpr int kEnd = kRunClasses * kValueClasses, kSymbols = kEnd + 1;

// Runs below 8 are classes of their own; class 8 + k has runs of 8 << k to (16 << k) - 1, told apart by 3 + k
// bits.
struct RunClass {
    std::uint16_t base;
    std::uint8_t bits;
};
constexpr std::array<RunClass, kRunClasses> kRuns = [] {
    std::array<RunClass, kRunClasses> classes{};
    for (int i = 0; i < kRunClasses; ++i) {
        classes[static_cast<std::size_t>(i)] =
            i < 8 ? RunClass{static_cast<std::uint16_t>(i), 0}
                  : RunClass{static_cast<std::uint16_t>(8 << (i - 8)), static_cast<std::uint8_t>(i - 5)};
    }
    return classes;
}();

int topBit(std::uint32_t value) {
    return 31 - __builtin_clz(value);
}

// -1, 1, -2, 2, ... -128 become 1, 2, 3, 4, ... 255; class n has 2^n .. 2^(n + 1) - 1.
std::uint32_t zigzag(std::uint8_t residual) {
    const int value = static_cast<std::int8_t>(residual);
    return static_cast<std::uint32_t>(value < 0 ? -2 * value - 1 : 2 * value);
}
std::uint8_t unzigzag(std::uint32_t value) {
    return static_cast<std::uint8_t>((value >> 1) ^ (0u - (value & 1)));
}

std::size_t symbolOf(std::uint32_t run, std::uint32_t value) {
    const int runClass = run < 8 ? static_cast<int>(run) : 5 + topBit(run);
    return static_cast<std::size_t>(runClass * kValueClasses + topBit(value));
}

// The place in the plane of the cell that comes i-th, from the top layer down.
constexpr std::uint32_t placeOf(std::uint32_t i) {
    return i ^ (31u << 10);
}

struct Entry {
    std::uint16_t runBase = 0;
    std::uint8_t runBits = 0;
    std::uint8_t valueBits = 0;
    std::uint8_t length = 0;
    std::uint8_t allBits = 0;  // the code's and those that follow; 0: no such code
    bool end = false;
};

void buildTable(const PrefixCode& code, std::array<Entry, 1 << kMaxCodeBits>& table) {
    for (int s = 0; s < kSymbols; ++s) {
        const auto symbol = static_cast<std::size_t>(s);
        const std::uint8_t length = code.lengths[symbol];
        if (length == 0) continue;
        Entry entry;
        entry.length = length;
        entry.end = s == kEnd;
        if (!entry.end) {
            entry.runBase = kRuns[symbol / kValueClasses].base;
            entry.runBits = kRuns[symbol / kValueClasses].bits;
            entry.valueBits = static_cast<std::uint8_t>(symbol % kValueClasses);
        }
        entry.allBits = static_cast<std::uint8_t>(length + entry.runBits + entry.valueBits);
        for (std::size_t at = code.codes[symbol]; at < table.size(); at += std::size_t{1} << length)
            table[at] = entry;
    }
}

}  // namespace

void encodeResidual(const std::uint8_t* residual, ChunkCodecScratch& scratch, std::vector<std::byte>& out) {
    std::array<std::uint32_t, kSymbols> counts{};
    scratch.tokens.resize(kChunkCellCount);
    std::uint32_t* const tokens = scratch.tokens.data();
    std::size_t tokenCount = 0;
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(kChunkCellCount); i += 16) {
        const std::uint8_t* lanes = residual + placeOf(i);
        for (std::uint32_t left = nonzeroBits(ByteLanes::load(lanes)); left != 0; left &= left - 1) {
            const auto j = static_cast<std::uint32_t>(__builtin_ctz(left));
            const std::uint32_t value = zigzag(lanes[j]), run = i + j - next;
            const auto symbol = static_cast<std::uint32_t>(symbolOf(run, value));
            ++counts[symbol];
            tokens[tokenCount++] = symbol << 24 | value << 16 | run;
            next = i + j + 1;
        }
    }
    counts[kEnd] = 1;
    const PrefixCode code = makePrefixCode(counts);
    // The lengths, then 32 bits a token at most.
    BitWriter bits(out, kSymbols + 4 * (tokenCount + 1));
    writeLengths(code, bits);
    for (std::size_t i = 0; i < tokenCount; ++i) {
        const std::uint32_t token = tokens[i];
        const std::size_t symbol = token >> 24;
        const auto valueClass = static_cast<int>(symbol % kValueClasses);
        const RunClass runs = kRuns[symbol / kValueClasses];
        // 11 + 14 bits, and 7.
        std::uint32_t packed = code.codes[symbol];
        int count = code.lengths[symbol];
        packed |= ((token & 0xffff) - runs.base) << count;
        count += runs.bits;
        packed |= ((token >> 16 & 0xff) - (1u << valueClass)) << count;
        count += valueClass;
        bits.put(packed, count);
    }
    bits.put(code.codes[kEnd], code.lengths[kEnd]);
    bits.finish();
}

Result<void> decodeResidual(std::span<const std::byte> bytes, std::size_t offset, std::uint8_t* residual) {
    BitReader in(bytes);
    PrefixCode code;
    if (const char* fault = readLengths(in, kSymbols, code)) {
        return makeError(ErrorCode::CorruptData, "chunk: occupancy code at offset %zu: %s",
                         offset + in.position(), fault);
    }
    std::array<Entry, 1 << kMaxCodeBits> table{};
    buildTable(code, table);
    std::memset(residual, 0, kChunkCellCount);
    const auto wrong = [&](const char* what) {
        if (in.overrun()) {
            return makeError(ErrorCode::CorruptData, "chunk: occupancy ends early at offset %zu",
                             offset + bytes.size());
        }
        return makeError(ErrorCode::CorruptData, "chunk: occupancy at offset %zu: %s", offset + in.position(),
                         what);
    };
    std::uint32_t next = 0;
    for (;;) {
        in.fill();
        const std::uint64_t bits = in.window();
        const Entry entry = table[bits & (table.size() - 1)];
        in.skip(entry.allBits);
        if (entry.end) break;
        if (entry.allBits == 0) return wrong("no such code");
        const std::uint64_t run = (bits >> entry.length) & ((1u << entry.runBits) - 1);
        const std::uint64_t rest = (bits >> (entry.length + entry.runBits)) & ((1u << entry.valueBits) - 1);
        const std::uint32_t value = (1u << entry.valueBits) + static_cast<std::uint32_t>(rest);
        next += entry.runBase + static_cast<std::uint32_t>(run);
        if (next >= static_cast<std::uint32_t>(kChunkCellCount)) return wrong("a run past the last cell");
        residual[placeOf(next)] = unzigzag(value);
        ++next;
    }
    if (in.overrun()) return wrong("");
    if (const char* fault = in.endFault()) return wrong(fault);
    return {};
}

}  // namespace karst::voxel
