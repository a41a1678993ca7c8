#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::heightfield {

/// Two doubles, along X and along Z, on which the same is done: half the instructions, so that a processor
/// sees twice as many queries ahead while it waits for memory. The same bits with SSE2 and without.
#if defined(__SSE2__)

struct DoublePair {
    __m128d v;

    DoublePair() : v(_mm_setzero_pd()) {}
    DoublePair(__m128d pair) : v(pair) {}
    DoublePair(double x, double z) : v(_mm_set_pd(z, x)) {}

    double x() const { return _mm_cvtsd_f64(v); }
    double z() const { return _mm_cvtsd_f64(_mm_unpackhi_pd(v, v)); }

    friend DoublePair operator+(DoublePair a, DoublePair b) { return _mm_add_pd(a.v, b.v); }
    friend DoublePair operator-(DoublePair a, DoublePair b) { return _mm_sub_pd(a.v, b.v); }
    friend DoublePair operator*(DoublePair a, DoublePair b) { return _mm_mul_pd(a.v, b.v); }
    friend DoublePair operator/(DoublePair a, DoublePair b) { return _mm_div_pd(a.v, b.v); }
    /// Of numbers that are not NaN.
    friend DoublePair lesser(DoublePair a, DoublePair b) { return _mm_min_pd(a.v, b.v); }
    friend DoublePair greater(DoublePair a, DoublePair b) { return _mm_max_pd(a.v, b.v); }
    /// Both in low..high; false with NaN.
    friend bool within(DoublePair a, DoublePair low, DoublePair high) {
        return _mm_movemask_pd(_mm_and_pd(_mm_cmpge_pd(a.v, low.v), _mm_cmple_pd(a.v, high.v))) == 3;
    }
    /// Of numbers that int32 holds.
    DoublePair truncated(int& x, int& z) const {
        const __m128i whole = _mm_cvttpd_epi32(v);
        x = _mm_cvtsi128_si32(whole);
        z = _mm_cvtsi128_si32(_mm_shuffle_epi32(whole, 1));
        return _mm_cvtepi32_pd(whole);
    }
};

// Of a whole register each: a compiler makes two instructions of _mm_set1_pd.
alignas(16) inline constexpr double kOnes[2] = {1, 1}, kSigns[2] = {-0.0, -0.0};

/// cellHeight's bits, without a branch for the triangle, which no processor foresees. `corner`: of the cell;
/// the place in it in 0..1.
inline double heightIn(const float* corner, std::ptrdiff_t side, DoublePair place) {
    const auto rowOf = [](const float* row) {
        return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row))));
    };
    const __m128d row0 = rowOf(corner), row1 = rowOf(corner + side), one = _mm_load_pd(kOnes);
    const __m128d sum = _mm_add_pd(place.v, _mm_shuffle_pd(place.v, place.v, 1));
    const __m128d upper = _mm_cmpgt_pd(sum, one);
    const auto choose = [&](__m128d lowers, __m128d uppers) {
        return _mm_or_pd(_mm_andnot_pd(upper, lowers), _mm_and_pd(upper, uppers));
    };
    const __m128d h = choose(_mm_unpacklo_pd(row0, row0), _mm_unpackhi_pd(row1, row1));
    const __m128d across = _mm_shuffle_pd(row0, row1, 1);  // h10, h01
    const __m128d along = choose(across, _mm_shuffle_pd(across, across, 1));
    const __m128d from = _mm_andnot_pd(_mm_load_pd(kSigns), _mm_sub_pd(_mm_and_pd(upper, one), place.v));
    const __m128d rise = _mm_mul_pd(from, _mm_sub_pd(along, h));
    return _mm_cvtsd_f64(_mm_add_sd(_mm_add_sd(h, rise), _mm_unpackhi_pd(rise, rise)));
}

#else

struct DoublePair {
    double v[2];

    DoublePair() : v{0, 0} {}
    DoublePair(double x, double z) : v{x, z} {}

    double x() const { return v[0]; }
    double z() const { return v[1]; }

    friend DoublePair operator+(DoublePair a, DoublePair b) { return {a.v[0] + b.v[0], a.v[1] + b.v[1]}; }
    friend DoublePair operator-(DoublePair a, DoublePair b) { return {a.v[0] - b.v[0], a.v[1] - b.v[1]}; }
    friend DoublePair operator*(DoublePair a, DoublePair b) { return {a.v[0] * b.v[0], a.v[1] * b.v[1]}; }
    friend DoublePair operator/(DoublePair a, DoublePair b) { return {a.v[0] / b.v[0], a.v[1] / b.v[1]}; }
    friend DoublePair lesser(DoublePair a, DoublePair b) {
        return {std::min(a.v[0], b.v[0]), std::min(a.v[1], b.v[1])};
    }
    friend DoublePair greater(DoublePair a, DoublePair b) {
        return {std::max(a.v[0], b.v[0]), std::max(a.v[1], b.v[1])};
    }
    friend bool within(DoublePair a, DoublePair low, DoublePair high) {
        return a.v[0] >= low.v[0] && a.v[0] <= high.v[0] && a.v[1] >= low.v[1] && a.v[1] <= high.v[1];
    }
    DoublePair truncated(int& x, int& z) const {
        x = static_cast<int>(v[0]);
        z = static_cast<int>(v[1]);
        return {static_cast<double>(x), static_cast<double>(z)};
    }
};

inline double heightIn(const float* corner, std::ptrdiff_t side, DoublePair place) {
    const std::ptrdiff_t upper = place.x() + place.z() <= 1 ? 0 : 1;
    const double h = corner[upper * (side + 1)], alongX = corner[1 + upper * (side - 1)],
                 alongZ = corner[side - upper * (side - 1)];
    const auto from = static_cast<double>(upper);
    return h + std::abs(from - place.x()) * (alongX - h) + std::abs(from - place.z()) * (alongZ - h);
}

#endif

}  // namespace karst::heightfield
