#include "tile_payload.h"

#include <bit>
#include <cstring>

namespace karst::heightfield::payload {
namespace {

constexpr bool kLittle = std::endian::native == std::endian::little;

// 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
std::uint16_t fold(std::uint16_t difference) {
    return static_cast<std::uint16_t>(difference << 1 ^ -(difference >> 15));
}

std::uint16_t unfold(std::uint16_t value) {
    return static_cast<std::uint16_t>(value >> 1 ^ -(value & 1));
}

template <class T>
void write(std::span<const T> numbers, std::byte* out) {
    if (numbers.empty()) return;
    if constexpr (kLittle) {
        std::memcpy(out, numbers.data(), numbers.size_bytes());
    } else {
        for (std::size_t i = 0; i < numbers.size_bytes(); ++i)
            out[i] = static_cast<std::byte>(numbers[i / sizeof(T)] >> (i % sizeof(T) * 8));
    }
}

template <class T>
void read(const std::byte* bytes, std::span<T> numbers) {
    if (numbers.empty()) return;
    if constexpr (kLittle) {
        std::memcpy(numbers.data(), bytes, numbers.size_bytes());
    } else {
        for (T& number : numbers) {
            number = 0;
            for (std::size_t i = 0; i < sizeof(T); ++i, ++bytes)
                number = static_cast<T>(number | static_cast<T>(static_cast<T>(*bytes) << (i * 8)));
        }
    }
}

}  // namespace

void writeSamples(std::span<const std::uint16_t> samples, std::byte* out) {
    write(samples, out);
}
void readSamples(const std::byte* bytes, std::span<std::uint16_t> samples) {
    read(bytes, samples);
}
void writeWords(std::span<const std::uint64_t> words, std::byte* out) {
    write(words, out);
}
void readWords(const std::byte* bytes, std::span<std::uint64_t> words) {
    read(bytes, words);
}

void writePredicted(std::span<const std::uint16_t> samples, std::size_t side, std::byte* out) {
    std::byte* low = out;
    std::byte* high = out + samples.size();
    const auto put = [&](std::size_t at, std::uint32_t difference) {
        const std::uint16_t folded = fold(static_cast<std::uint16_t>(difference));
        low[at] = static_cast<std::byte>(folded & 0xff);
        high[at] = static_cast<std::byte>(folded >> 8);
    };
    for (std::size_t j = 0; j * side < samples.size(); ++j) {
        const std::uint16_t* row = samples.data() + j * side;
        const std::size_t at = j * side;
        if (j == 0) {
            put(at, row[0]);
            for (std::size_t i = 1; i < side; ++i)
                put(at + i, std::uint32_t{row[i]} - row[i - 1]);
            continue;
        }
        const std::uint16_t* above = row - side;
        put(at, std::uint32_t{row[0]} - above[0]);
        for (std::size_t i = 1; i < side; ++i)
            put(at + i, std::uint32_t{row[i]} - above[i] - row[i - 1] + above[i - 1]);
    }
}

void readPredicted(const std::byte* bytes, std::size_t side, std::span<std::uint16_t> samples) {
    const std::byte* low = bytes;
    const std::byte* high = bytes + samples.size();
    for (std::size_t at = 0; at < samples.size(); ++at) {
        samples[at] = unfold(static_cast<std::uint16_t>(static_cast<unsigned>(low[at]) |
                                                        static_cast<unsigned>(high[at]) << 8));
    }
    // What stands there now sums to the rise from the row above.
    for (std::size_t j = 0; j * side < samples.size(); ++j) {
        std::uint16_t* row = samples.data() + j * side;
        std::uint16_t sum = 0;
        for (std::size_t i = 0; i < side; ++i) {
            sum = static_cast<std::uint16_t>(sum + row[i]);
            row[i] = sum;
        }
        if (j == 0) continue;
        const std::uint16_t* above = row - side;
        for (std::size_t i = 0; i < side; ++i)
            row[i] = static_cast<std::uint16_t>(row[i] + above[i]);
    }
}

void writeDifferences(std::span<const std::uint8_t> layer, std::size_t side, std::byte* out) {
    for (std::size_t at = 0; at < layer.size(); ++at) {
        const unsigned before = at % side != 0 ? layer[at - 1] : at >= side ? layer[at - side] : 0;
        out[at] = static_cast<std::byte>(layer[at] - before);
    }
}

void readDifferences(const std::byte* bytes, std::size_t side, std::span<std::uint8_t> layer) {
    for (std::size_t at = 0; at < layer.size(); ++at) {
        const unsigned before = at % side != 0 ? layer[at - 1] : at >= side ? layer[at - side] : 0;
        layer[at] = static_cast<std::uint8_t>(static_cast<unsigned>(bytes[at]) + before);
    }
}

}  // namespace karst::heightfield::payload
