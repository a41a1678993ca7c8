#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel {

/// 16 bytes that are worked on at once, in plain C++.
struct PlainByteLanes {
    std::array<std::uint8_t, 16> v;

    static PlainByteLanes all(std::uint8_t value) {
        PlainByteLanes r;
        r.v.fill(value);
        return r;
    }
    static PlainByteLanes load(const std::uint8_t* from) {
        PlainByteLanes r;
        std::memcpy(r.v.data(), from, 16);
        return r;
    }
    void store(std::uint8_t* to) const { std::memcpy(to, v.data(), 16); }
};

template <class F>
inline PlainByteLanes eachLane(const PlainByteLanes& a, const PlainByteLanes& b, F f) {
    PlainByteLanes r;
    for (std::size_t i = 0; i < 16; ++i)
        r.v[i] = static_cast<std::uint8_t>(f(int{a.v[i]}, int{b.v[i]}));
    return r;
}
inline PlainByteLanes add(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p + q; });
}
inline PlainByteLanes subtract(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p - q; });
}
inline PlainByteLanes addSaturated(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p + q > 255 ? 255 : p + q; });
}
inline PlainByteLanes subSaturated(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p > q ? p - q : 0; });
}
/// 255 where equal, else 0: a mask.
inline PlainByteLanes equal(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p == q ? 255 : 0; });
}
inline PlainByteLanes either(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p | q; });
}
inline PlainByteLanes select(const PlainByteLanes& mask, const PlainByteLanes& yes,
                             const PlainByteLanes& no) {
    PlainByteLanes r;
    for (std::size_t i = 0; i < 16; ++i)
        r.v[i] = mask.v[i] != 0 ? yes.v[i] : no.v[i];
    return r;
}
inline PlainByteLanes both(const PlainByteLanes& a, const PlainByteLanes& b) {
    return eachLane(a, b, [](int p, int q) { return p & q; });
}
/// Bit i is set where lane i is not 0.
inline std::uint32_t nonzeroBits(const PlainByteLanes& a) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 16; ++i)
        bits |= static_cast<std::uint32_t>(a.v[i] != 0) << i;
    return bits;
}
/// Writes first[0], second[0], first[1], ...: 32 bytes.
inline void storePairs(const PlainByteLanes& first, const PlainByteLanes& second, std::uint8_t* to) {
    for (std::size_t i = 0; i < 16; ++i) {
        to[2 * i] = first.v[i];
        to[2 * i + 1] = second.v[i];
    }
}
inline void loadPairs(const std::uint8_t* from, PlainByteLanes& first, PlainByteLanes& second) {
    for (std::size_t i = 0; i < 16; ++i) {
        first.v[i] = from[2 * i];
        second.v[i] = from[2 * i + 1];
    }
}

#if defined(__SSE2__)

/// The same in SSE2, which every 64-bit x86 has.
struct SseByteLanes {
    __m128i v;

    static SseByteLanes all(std::uint8_t value) { return {_mm_set1_epi8(static_cast<char>(value))}; }
    static SseByteLanes load(const std::uint8_t* from) {
        return {_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from))};
    }
    void store(std::uint8_t* to) const { _mm_storeu_si128(reinterpret_cast<__m128i_u*>(to), v); }
};

inline SseByteLanes add(SseByteLanes a, SseByteLanes b) {
    return {_mm_add_epi8(a.v, b.v)};
}
inline SseByteLanes subtract(SseByteLanes a, SseByteLanes b) {
    return {_mm_sub_epi8(a.v, b.v)};
}
inline SseByteLanes addSaturated(SseByteLanes a, SseByteLanes b) {
    return {_mm_adds_epu8(a.v, b.v)};
}
inline SseByteLanes subSaturated(SseByteLanes a, SseByteLanes b) {
    return {_mm_subs_epu8(a.v, b.v)};
}
inline SseByteLanes equal(SseByteLanes a, SseByteLanes b) {
    return {_mm_cmpeq_epi8(a.v, b.v)};
}
inline SseByteLanes either(SseByteLanes a, SseByteLanes b) {
    return {_mm_or_si128(a.v, b.v)};
}
inline SseByteLanes both(SseByteLanes a, SseByteLanes b) {
    return {_mm_and_si128(a.v, b.v)};
}
inline std::uint32_t nonzeroBits(SseByteLanes a) {
    const __m128i zero = _mm_cmpeq_epi8(a.v, _mm_setzero_si128());
    return static_cast<std::uint32_t>(_mm_movemask_epi8(zero)) ^ 0xffffu;
}
inline SseByteLanes select(SseByteLanes mask, SseByteLanes yes, SseByteLanes no) {
    return {_mm_or_si128(_mm_and_si128(mask.v, yes.v), _mm_andnot_si128(mask.v, no.v))};
}
inline void storePairs(SseByteLanes first, SseByteLanes second, std::uint8_t* to) {
    SseByteLanes{_mm_unpacklo_epi8(first.v, second.v)}.store(to);
    SseByteLanes{_mm_unpackhi_epi8(first.v, second.v)}.store(to + 16);
}
inline void loadPairs(const std::uint8_t* from, SseByteLanes& first, SseByteLanes& second) {
    const __m128i a = SseByteLanes::load(from).v, b = SseByteLanes::load(from + 16).v;
    const __m128i low = _mm_set1_epi16(0xff);
    first.v = _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low));
    second.v = _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
}

using ByteLanes = SseByteLanes;

#else

using ByteLanes = PlainByteLanes;

#endif

}  // namespace karst::voxel
