#include <karst/base/checksum.h>

#include <bit>
#include <cstring>

namespace karst {
namespace {

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87u;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fu;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9u;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63u;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5u;

// Little-endian, whatever the machine.
template <class T>
T load(const std::byte* p) {
    T value = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, p, sizeof value);
    } else {
        for (std::size_t i = 0; i < sizeof value; ++i)
            value |= static_cast<T>(static_cast<T>(p[i]) << (8 * i));
    }
    return value;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) {
    return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) {
    return (hash ^ round(0, lane)) * kPrime1 + kPrime4;
}

}  // namespace

std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed) {
    const std::byte* p = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t hash = 0;
    if (left >= 32) {
        std::uint64_t a = seed + kPrime1 + kPrime2, b = seed + kPrime2, c = seed, d = seed - kPrime1;
        for (; left >= 32; left -= 32, p += 32) {
            a = round(a, load<std::uint64_t>(p));
            b = round(b, load<std::uint64_t>(p + 8));
            c = round(c, load<std::uint64_t>(p + 16));
            d = round(d, load<std::uint64_t>(p + 24));
        }
        hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    } else {
        hash = seed + kPrime5;
    }
    hash += bytes.size();
    for (; left >= 8; left -= 8, p += 8)
        hash = std::rotl(hash ^ round(0, load<std::uint64_t>(p)), 27) * kPrime1 + kPrime4;
    if (left >= 4) {
        hash = std::rotl(hash ^ load<std::uint32_t>(p) * kPrime1, 23) * kPrime2 + kPrime3;
        left -= 4;
        p += 4;
    }
    for (; left > 0; --left, ++p)
        hash = std::rotl(hash ^ static_cast<std::uint64_t>(*p) * kPrime5, 11) * kPrime1;
    hash = (hash ^ hash >> 33) * kPrime2;
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
}

}  // namespace karst
