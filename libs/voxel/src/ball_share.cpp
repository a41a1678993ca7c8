#include "ball_share.h"

#include <algorithm>
#include <cmath>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel {
namespace {

// Below this part of the largest component the smaller ones would cancel in the formula and say nothing.
constexpr double kLeast = 1e-4;
// So that there is a direction at the very centre. Any distance below 1 is taken as 1, which is as far
// inside.
constexpr double kCentre = 1e-3;

}  // namespace

// The volume below a plane a x + b y + c z = h of the cube 0..1, for a <= b <= c and h at most half of
// a + b + c, is (h^3 - (h-a)^3 - (h-b)^3 - (h-c)^3 + (h-a-b)^3) / (6 a b c), where a negative bracket is 0
// (as in Scardovelli and Zaleski 2000, in one piece). All lengths here are multiplied by rho.
double ballShare(double x, double y, double z, double radius) {
    x = std::abs(x), y = std::abs(y), z = std::abs(z);
    const double low = std::min(x, y), high = std::max(x, y);
    const double c = std::max(std::max(high, z), kCentre), least = c * kLeast;
    const double a = std::max(std::min(low, z), least);
    const double b = std::max(std::min(high, std::max(low, z)), least);
    const double square = std::max(x * x + y * y + z * z, 1.0);
    const double distance = square - radius * std::sqrt(square) + 1.0 / 12;
    const double h = std::max(0.5 * (a + b + c) - std::abs(distance), 0.0);
    const double ha = std::max(h - a, 0.0), hb = std::max(h - b, 0.0), hc = std::max(h - c, 0.0);
    const double hab = std::max(ha - b, 0.0);
    const double cubes = h * h * h - ha * ha * ha - hb * hb * hb - hc * hc * hc + hab * hab * hab;
    const double share = cubes / (6 * a * b * c);
    return distance < 0 ? 1 - share : share;
}

namespace {

#if defined(__SSE2__)

/// ballShare of two cubes at a time, their middles on a line along x.
class BallRow {
  public:
    BallRow(double y, double z, double radius) : m_radius(_mm_set1_pd(radius)) {
        y = std::abs(y), z = std::abs(z);
        m_low = _mm_set1_pd(std::min(y, z)), m_high = _mm_set1_pd(std::max(y, z));
        m_yy = _mm_set1_pd(y * y), m_zz = _mm_set1_pd(z * z);
    }
    /// At `x` and `x + 1`.
    __m128d shares(double x) const {
        const __m128d sign = _mm_set1_pd(-0.0), zero = _mm_setzero_pd(), one = _mm_set1_pd(1);
        const __m128d px = _mm_andnot_pd(sign, _mm_set_pd(x + 1, x));
        const __m128d c = _mm_max_pd(_mm_max_pd(m_high, px), _mm_set1_pd(kCentre));
        const __m128d least = _mm_mul_pd(c, _mm_set1_pd(kLeast));
        const __m128d a = _mm_max_pd(_mm_min_pd(m_low, px), least);
        const __m128d b = _mm_max_pd(_mm_min_pd(m_high, _mm_max_pd(m_low, px)), least);
        const __m128d square = _mm_max_pd(_mm_add_pd(_mm_add_pd(_mm_mul_pd(px, px), m_yy), m_zz), one);
        const __m128d distance =
            _mm_add_pd(_mm_sub_pd(square, _mm_mul_pd(m_radius, _mm_sqrt_pd(square))), _mm_set1_pd(1.0 / 12));
        const __m128d half = _mm_mul_pd(_mm_set1_pd(0.5), _mm_add_pd(_mm_add_pd(a, b), c));
        const __m128d h = _mm_max_pd(_mm_sub_pd(half, _mm_andnot_pd(sign, distance)), zero);
        const auto above = [&](__m128d v, __m128d w) { return _mm_max_pd(_mm_sub_pd(v, w), zero); };
        const auto cube = [](__m128d v) { return _mm_mul_pd(_mm_mul_pd(v, v), v); };
        const __m128d ha = above(h, a);
        __m128d cubes = _mm_sub_pd(cube(h), cube(ha));
        cubes = _mm_sub_pd(cubes, cube(above(h, b)));
        cubes = _mm_sub_pd(cubes, cube(above(h, c)));
        cubes = _mm_add_pd(cubes, cube(above(ha, b)));
        const __m128d abc = _mm_mul_pd(_mm_mul_pd(_mm_mul_pd(_mm_set1_pd(6), a), b), c);
        const __m128d share = _mm_div_pd(cubes, abc);
        const __m128d inside = _mm_cmplt_pd(distance, zero);
        return _mm_or_pd(_mm_and_pd(inside, _mm_sub_pd(one, share)), _mm_andnot_pd(inside, share));
    }
    /// Both times `scale`, rounded.
    void scaled(double x, double scale, std::int32_t& first, std::int32_t& second) const {
        const __m128i rounded =
            _mm_cvttpd_epi32(_mm_add_pd(_mm_mul_pd(shares(x), _mm_set1_pd(scale)), _mm_set1_pd(0.5)));
        first = _mm_cvtsi128_si32(rounded);
        second = _mm_cvtsi128_si32(_mm_srli_si128(rounded, 4));
    }

  private:
    __m128d m_radius, m_low, m_high, m_yy, m_zz;
};

#else

class BallRow {
  public:
    BallRow(double y, double z, double radius) : m_y(y), m_z(z), m_radius(radius) {}
    void scaled(double x, double scale, std::int32_t& first, std::int32_t& second) const {
        first = static_cast<std::int32_t>(ballShare(x, m_y, m_z, m_radius) * scale + 0.5);
        second = static_cast<std::int32_t>(ballShare(x + 1, m_y, m_z, m_radius) * scale + 0.5);
    }

  private:
    double m_y, m_z, m_radius;
};

#endif

}  // namespace

void ballCoverage(double x, double y, double z, double radius, std::int32_t count, std::uint8_t* out) {
    const BallRow row(y, z, radius);
    for (std::int32_t i = 0; i < count; i += 2) {
        std::int32_t first, second;
        row.scaled(x + i, 255, first, second);
        out[i] = static_cast<std::uint8_t>(first);
        if (i + 1 < count) out[i + 1] = static_cast<std::uint8_t>(second);
    }
}

void smallBallCoverage(double x, double y, double z, double radius, int parts, std::int32_t count,
                       std::uint8_t* out) {
    // All in lengths of a part. Shares are summed as whole multiples of 2^-30 cell, so that the order does
    // not matter.
    const double wide = parts, first = 0.5 - 0.5 * parts;
    const double scale = static_cast<double>(std::int64_t{1} << 30) / (wide * wide * wide);
    for (std::int32_t i = 0; i < count; ++i) {
        std::int64_t sum = 0;
        for (int j = 0; j < parts; ++j) {
            for (int k = 0; k < parts; ++k) {
                const BallRow row(y * wide + (first + j), z * wide + (first + k), radius * wide);
                for (int part = 0; part < parts; part += 2) {
                    std::int32_t one, other;
                    row.scaled((x + i) * wide + (first + part), scale, one, other);
                    sum += one + other;
                }
            }
        }
        out[i] = static_cast<std::uint8_t>((sum * 255 + (std::int64_t{1} << 29)) >> 30);
    }
}

}  // namespace karst::voxel
