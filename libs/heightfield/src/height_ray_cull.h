#pragma once

// Which of 4 x 4 neighbouring squares a ray may meet the ground in. Only ever errs towards "may": all figures
// are single precision with their rounding added on, so what a ray hits never depends on them.

#include <karst/heightfield/height_pyramid.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__) && !defined(KARST_NO_SIMD)
#include <emmintrin.h>
#define KARST_HEIGHT_RAY_SSE2 1
#else
#define KARST_HEIGHT_RAY_SSE2 0
#endif

namespace karst::heightfield {

/// The clipped ray in texels: point s of 0..length stands at (x + s / inverseX, z + s / inverseZ), where s
/// counts cells along the axis on which the ray runs farther.
struct CullSegment {
    double x = 0, z = 0;                ///< where it begins
    double inverseX = 0, inverseZ = 0;  ///< s per cell, at least 1 in size, negative against the axis
    double length = 0;
    double height = 0, rise = 0;  ///< world height at its beginning, rise per s
    double extent = 0;            ///< cells along the raster's longer side
};

/// Bit k of a mask is child k ^ order: bits ascend from front to back.
class RayCuller {
  public:
    RayCuller(const CullSegment& segment, const HeightPyramid& pyramid);

    unsigned order() const { return m_order; }

    /// Blocks of a node, of which (blockX, blockZ) is the first, each `size` cells wide. `roomy` counts half
    /// a cell around each as part of it: at the rim, and where a block is so wide that it is nothing.
    unsigned blocks(const HeightPyramid::Node& node, int blockX, int blockZ, float size, bool roomy) const;

    /// Cells of a block of 4 x 4, from its 5 x 5 texels, rows `stride` apart.
    unsigned cells(const float* texels, std::ptrdiff_t stride, int cellX, int cellZ) const;

  private:
    /// A line of heights over s with room for its rounding; near and far are the ends of a span.
    struct Slope {
        float rise, near, far;
    };
    static Slope slopeOf(double height, double rise, double length, double room, double limit);

#if KARST_HEIGHT_RAY_SSE2
    struct Spans {
        __m128 nearX, farX, nearZ, farZ;
    };
    Spans offsetsOf(__m128 alongX, __m128 alongZ, bool roomy) const;
    unsigned maskOf(__m128i culledRows01, __m128i culledRows23) const;

    Spans m_offset;   ///< of the children's near and far lines, in children
    Spans m_zero[2];  ///< s where x and z are 0, with a hair, and with half a cell, of room
    __m128 m_inverseX, m_inverseZ, m_length;
    // Heights in steps, turned upside down (~height) under a ray that falls: so they rise along every ray.
    __m128 m_stepRise, m_stepsNear, m_stepsFar;
    __m128i m_stepsBegin;  ///< the least that a near line can have, and the most that a far line can
    __m128 m_stepsEnd;
    __m128i m_turned;      ///< 0, or all bits
    std::size_t m_highAt;  ///< which of a node's bounds is the higher one, turned: 0 low, 1 high
    __m128i m_weights;
    int m_shiftLow = 0, m_shiftHigh = 8;
#else
    struct Spans {
        float nearX[4], farX[4], nearZ[4], farZ[4];
    };
    Spans spansOf(int squareX, int squareZ, float size, bool roomy) const;

    float m_x, m_z, m_inverseX, m_inverseZ, m_length, m_room;
    Slope m_steps;  ///< in the pyramid's steps
#endif
    unsigned m_order = 0;
    double m_height, m_rise, m_reach;
};

inline RayCuller::Slope RayCuller::slopeOf(double height, double rise, double length, double room,
                                           double limit) {
    const double reach = std::abs(height) + std::abs(rise) * length;
    if (!(std::abs(rise) < 1e30) || !(reach < 0.5 * limit)) {  // too steep to tell
        return {0, static_cast<float>(-limit), static_cast<float>(limit)};
    }
    const double slack = room + 1e-6 * reach;
    const double side = std::copysign(slack, rise);
    return {static_cast<float>(rise), static_cast<float>(height - side), static_cast<float>(height + side)};
}

inline RayCuller::RayCuller(const CullSegment& s, const HeightPyramid& pyramid) {
    // Signs are taken as indices and by copysign, never by a branch: nobody can predict them.
    const unsigned backX = s.inverseX < 0 ? 1 : 0, backZ = s.inverseZ < 0 ? 1 : 0;
    m_order = 3 * backX + 12 * backZ;
    const Slope steps =
        slopeOf(pyramid.stepsOf(s.height), s.rise * pyramid.stepsPerUnit(), s.length, 0.1, 1e9);
    m_height = s.height;
    m_rise = s.rise;
    m_reach = s.length;
    // Room for rounding, in cells; an inverse is at least 1, so it is enough room along s too.
    const double room = 1e-6 * s.extent;
#if KARST_HEIGHT_RAY_SSE2
    alignas(16) static constexpr float kOffsets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    // A byte a child: its bit within its pair of rows.
    alignas(16) static constexpr std::uint32_t kWeights[4][4] = {
        {0x08040201u, 0x80402010u, 0x08040201u, 0x80402010u},
        {0x01020408u, 0x10204080u, 0x01020408u, 0x10204080u},
        {0x80402010u, 0x08040201u, 0x80402010u, 0x08040201u},
        {0x10204080u, 0x01020408u, 0x10204080u, 0x01020408u}};
    m_offset = {_mm_load_ps(kOffsets[backX]), _mm_load_ps(kOffsets[backX ^ 1]), _mm_load_ps(kOffsets[backZ]),
                _mm_load_ps(kOffsets[backZ ^ 1])};
    m_weights = _mm_load_si128(reinterpret_cast<const __m128i*>(kWeights[backX + 2 * backZ]));
    const auto splatted = [](double value) { return _mm_set1_ps(static_cast<float>(value)); };
    m_inverseX = splatted(s.inverseX);
    m_inverseZ = splatted(s.inverseZ);
    m_length = splatted(s.length * (1 + 1e-6));
    const double zeroX = -s.x * s.inverseX, roomX = std::abs(room * s.inverseX);
    const double zeroZ = -s.z * s.inverseZ, roomZ = std::abs(room * s.inverseZ);
    m_zero[0] = {splatted(zeroX - roomX), splatted(zeroX + roomX), splatted(zeroZ - roomZ),
                 splatted(zeroZ + roomZ)};
    const __m128 halfX = splatted(std::abs(0.5 * s.inverseX)), halfZ = splatted(std::abs(0.5 * s.inverseZ));
    m_zero[1] = {_mm_sub_ps(m_zero[0].nearX, halfX), _mm_add_ps(m_zero[0].farX, halfX),
                 _mm_sub_ps(m_zero[0].nearZ, halfZ), _mm_add_ps(m_zero[0].farZ, halfZ)};
    const bool falls = std::signbit(steps.rise);
    const float sign = falls ? -1.0f : 1.0f, turn = falls ? -1.0f : 0.0f;
    m_stepRise = _mm_set1_ps(std::abs(steps.rise));
    m_stepsNear = _mm_set1_ps(steps.near * sign + turn);
    m_stepsFar = _mm_set1_ps(steps.far * sign + turn);
    // -32767, so that a block outside the raster, whose high bound is -32768, is never met.
    m_stepsBegin = _mm_max_epi16(_mm_packs_epi32(_mm_cvtps_epi32(m_stepsNear), _mm_cvtps_epi32(m_stepsNear)),
                                 _mm_set1_epi16(-32767));
    m_stepsEnd = _mm_add_ps(_mm_mul_ps(m_length, m_stepRise), m_stepsFar);
    m_turned = _mm_set1_epi32(falls ? -1 : 0);
    m_highAt = falls ? 0 : 1;
    m_shiftLow = static_cast<int>(8 * backZ);
    m_shiftHigh = 8 - m_shiftLow;
#else
    m_steps = steps;
    m_x = static_cast<float>(s.x);
    m_z = static_cast<float>(s.z);
    m_inverseX = static_cast<float>(s.inverseX);
    m_inverseZ = static_cast<float>(s.inverseZ);
    m_length = static_cast<float>(s.length * (1 + 1e-6));
    m_room = static_cast<float>(room);
#endif
}

#if KARST_HEIGHT_RAY_SSE2

/// s of the children's lines where their parent's corner is at 0; s grows by these per child.
inline RayCuller::Spans RayCuller::offsetsOf(__m128 alongX, __m128 alongZ, bool roomy) const {
    const Spans& zero = m_zero[roomy ? 1 : 0];
    return {_mm_add_ps(_mm_mul_ps(m_offset.nearX, alongX), zero.nearX),
            _mm_add_ps(_mm_mul_ps(m_offset.farX, alongX), zero.farX),
            _mm_add_ps(_mm_mul_ps(m_offset.nearZ, alongZ), zero.nearZ),
            _mm_add_ps(_mm_mul_ps(m_offset.farZ, alongZ), zero.farZ)};
}

inline unsigned RayCuller::maskOf(__m128i culledRows01, __m128i culledRows23) const {
    const __m128i culled = _mm_packs_epi16(culledRows01, culledRows23);
    const __m128i sums = _mm_sad_epu8(_mm_andnot_si128(culled, m_weights), _mm_setzero_si128());
    const auto low = static_cast<unsigned>(_mm_cvtsi128_si32(sums));
    const auto high = static_cast<unsigned>(_mm_extract_epi16(sums, 4));
    return low << m_shiftLow | high << m_shiftHigh;
}

template <int kRow>
inline __m128 splat(__m128 v) {
    return _mm_shuffle_ps(v, v, _MM_SHUFFLE(kRow, kRow, kRow, kRow));
}

inline unsigned RayCuller::blocks(const HeightPyramid::Node& node, int blockX, int blockZ, float size,
                                  bool roomy) const {
    // What does not hang on the child that came out of the last node is kept off its way: the walk's time is
    // that of one long chain.
    const __m128 alongX = _mm_mul_ps(_mm_set1_ps(size), m_inverseX);
    const __m128 alongZ = _mm_mul_ps(_mm_set1_ps(size), m_inverseZ);
    const Spans offsets = offsetsOf(alongX, alongZ, roomy);
    const __m128 climbX = _mm_mul_ps(alongX, m_stepRise), climbZ = _mm_mul_ps(alongZ, m_stepRise);
    const auto climbed = [&](__m128 offset, __m128 base) {
        return _mm_add_ps(_mm_mul_ps(offset, m_stepRise), base);
    };
    const Spans bases = {climbed(offsets.nearX, m_stepsNear), climbed(offsets.farX, m_stepsFar),
                         climbed(offsets.nearZ, m_stepsNear), climbed(offsets.farZ, m_stepsFar)};

    const __m128 x = _mm_set1_ps(static_cast<float>(blockX)), z = _mm_set1_ps(static_cast<float>(blockZ));
    const __m128 offsetX = _mm_mul_ps(x, alongX), offsetZ = _mm_mul_ps(z, alongZ);
    const Spans spans = {_mm_max_ps(_mm_add_ps(offsetX, offsets.nearX), _mm_setzero_ps()),
                         _mm_min_ps(_mm_add_ps(offsetX, offsets.farX), m_length),
                         _mm_add_ps(offsetZ, offsets.nearZ), _mm_add_ps(offsetZ, offsets.farZ)};

    // Heights where lines are crossed: four lines along X twice, and each along Z four times. What is out of
    // range or no number becomes the lowest integer: right for a near line, and a far line is cut off before.
    const __m128 climbedX = _mm_mul_ps(x, climbX), climbedZ = _mm_mul_ps(z, climbZ);
    const auto nearSteps = [&](__m128 climb, __m128 base) {
        return _mm_cvtps_epi32(_mm_add_ps(climb, base));
    };
    const auto farSteps = [&](__m128 climb, __m128 base) {
        return _mm_cvtps_epi32(_mm_min_ps(_mm_add_ps(climb, base), m_stepsEnd));
    };
    const __m128i nearXs = nearSteps(climbedX, bases.nearX), farXs = farSteps(climbedX, bases.farX);
    const __m128i stepsZ = _mm_packs_epi32(nearSteps(climbedZ, bases.nearZ), farSteps(climbedZ, bases.farZ));
    const __m128i nearX = _mm_max_epi16(_mm_packs_epi32(nearXs, nearXs), m_stepsBegin);
    const __m128i farX = _mm_packs_epi32(farXs, farXs);
    const __m128i nearZ = _mm_unpacklo_epi16(stepsZ, stepsZ), farZ = _mm_unpackhi_epi16(stepsZ, stepsZ);

    const auto* bounds = reinterpret_cast<const __m128i*>(&node);
    const __m128i* high = bounds + 2 * m_highAt;
    const __m128i* low = bounds + (2 - 2 * m_highAt);
    const auto rows = [&](__m128 nearZ0, __m128 nearZ1, __m128 farZ0, __m128 farZ1, __m128i nearAlongZ,
                          __m128i farAlongZ, int pair) {
        const __m128 missed0 = _mm_cmplt_ps(_mm_min_ps(farZ0, spans.farX), _mm_max_ps(nearZ0, spans.nearX));
        const __m128 missed1 = _mm_cmplt_ps(_mm_min_ps(farZ1, spans.farX), _mm_max_ps(nearZ1, spans.nearX));
        const __m128i above = _mm_cmpgt_epi16(_mm_max_epi16(nearAlongZ, nearX),
                                              _mm_xor_si128(_mm_load_si128(high + pair), m_turned));
        const __m128i below = _mm_cmpgt_epi16(_mm_xor_si128(_mm_load_si128(low + pair), m_turned),
                                              _mm_min_epi16(farAlongZ, farX));
        return _mm_or_si128(_mm_packs_epi32(_mm_castps_si128(missed0), _mm_castps_si128(missed1)),
                            _mm_or_si128(above, below));
    };
    constexpr int kFirst = _MM_SHUFFLE(1, 1, 0, 0), kSecond = _MM_SHUFFLE(3, 3, 2, 2);
    return maskOf(
        rows(splat<0>(spans.nearZ), splat<1>(spans.nearZ), splat<0>(spans.farZ), splat<1>(spans.farZ),
             _mm_shuffle_epi32(nearZ, kFirst), _mm_shuffle_epi32(farZ, kFirst), 0),
        rows(splat<2>(spans.nearZ), splat<3>(spans.nearZ), splat<2>(spans.farZ), splat<3>(spans.farZ),
             _mm_shuffle_epi32(nearZ, kSecond), _mm_shuffle_epi32(farZ, kSecond), 1));
}

inline unsigned RayCuller::cells(const float* texels, std::ptrdiff_t stride, int cellX, int cellZ) const {
    const Spans offsets = offsetsOf(m_inverseX, m_inverseZ, false);
    const __m128 x = _mm_mul_ps(_mm_set1_ps(static_cast<float>(cellX)), m_inverseX);
    const __m128 z = _mm_mul_ps(_mm_set1_ps(static_cast<float>(cellZ)), m_inverseZ);
    const Spans spans = {_mm_max_ps(_mm_add_ps(x, offsets.nearX), _mm_setzero_ps()),
                         _mm_min_ps(_mm_add_ps(x, offsets.farX), m_length), _mm_add_ps(z, offsets.nearZ),
                         _mm_add_ps(z, offsets.farZ)};
    const Slope world = slopeOf(m_height, m_rise, m_reach, 0, 1e30);
    const __m128 rise = _mm_set1_ps(world.rise);
    const __m128 atNear = _mm_set1_ps(world.near), atFar = _mm_set1_ps(world.far);
    __m128 low[5], high[5];
    for (int r = 0; r < 5; ++r) {
        const __m128 left = _mm_loadu_ps(texels + r * stride), right = _mm_loadu_ps(texels + r * stride + 1);
        low[r] = _mm_min_ps(left, right);
        high[r] = _mm_max_ps(left, right);
    }
    const auto row = [&](__m128 nearZ, __m128 farZ, int r) {
        const __m128 near = _mm_max_ps(spans.nearX, nearZ), far = _mm_min_ps(spans.farX, farZ);
        const __m128 a = _mm_add_ps(_mm_mul_ps(near, rise), atNear);
        const __m128 b = _mm_add_ps(_mm_mul_ps(far, rise), atFar);
        const __m128 above = _mm_cmpgt_ps(_mm_min_ps(a, b), _mm_max_ps(high[r], high[r + 1]));
        const __m128 below = _mm_cmplt_ps(_mm_max_ps(a, b), _mm_min_ps(low[r], low[r + 1]));
        return _mm_castps_si128(_mm_or_ps(_mm_cmplt_ps(far, near), _mm_or_ps(above, below)));
    };
    return maskOf(_mm_packs_epi32(row(splat<0>(spans.nearZ), splat<0>(spans.farZ), 0),
                                  row(splat<1>(spans.nearZ), splat<1>(spans.farZ), 1)),
                  _mm_packs_epi32(row(splat<2>(spans.nearZ), splat<2>(spans.farZ), 2),
                                  row(splat<3>(spans.nearZ), splat<3>(spans.farZ), 3)));
}

#else

inline RayCuller::Spans RayCuller::spansOf(int squareX, int squareZ, float size, bool roomy) const {
    Spans spans{};
    const float room = m_room + (roomy ? 0.5f : 0.0f);
    const auto along = [&](int first, float begin, float inverse, float* near, float* far) {
        for (int i = 0; i < 4; ++i) {
            const float a = (static_cast<float>(first + i) * size - begin - room) * inverse;
            const float b = (static_cast<float>(first + i + 1) * size - begin + room) * inverse;
            near[i] = std::fmin(a, b);
            far[i] = std::fmax(a, b);
        }
    };
    along(squareX, m_x, m_inverseX, spans.nearX, spans.farX);
    along(squareZ, m_z, m_inverseZ, spans.nearZ, spans.farZ);
    return spans;
}

inline unsigned RayCuller::blocks(const HeightPyramid::Node& node, int blockX, int blockZ, float size,
                                  bool roomy) const {
    const Spans spans = spansOf(blockX, blockZ, size, roomy);
    unsigned mask = 0;
    for (unsigned child = 0; child < 16; ++child) {
        const float near = std::fmax(std::fmax(spans.nearX[child & 3], spans.nearZ[child >> 2]), 0.0f);
        const float far = std::fmin(std::fmin(spans.farX[child & 3], spans.farZ[child >> 2]), m_length);
        const float a = near * m_steps.rise + m_steps.near, b = far * m_steps.rise + m_steps.far;
        const bool empty = node.low[child] > node.high[child];
        if (near <= far && !empty && std::fmin(a, b) <= node.high[child] &&
            std::fmax(a, b) >= node.low[child]) {
            mask |= 1u << (child ^ m_order);
        }
    }
    return mask;
}

inline unsigned RayCuller::cells(const float* texels, std::ptrdiff_t stride, int cellX, int cellZ) const {
    const Spans spans = spansOf(cellX, cellZ, 1, false);
    const Slope world = slopeOf(m_height, m_rise, m_reach, 0, 1e30);
    unsigned mask = 0;
    for (unsigned child = 0; child < 16; ++child) {
        const float near = std::fmax(std::fmax(spans.nearX[child & 3], spans.nearZ[child >> 2]), 0.0f);
        const float far = std::fmin(std::fmin(spans.farX[child & 3], spans.farZ[child >> 2]), m_length);
        const float a = near * world.rise + world.near, b = far * world.rise + world.far;
        const float* h = texels + static_cast<std::ptrdiff_t>(child >> 2) * stride + (child & 3);
        const float low = std::fmin(std::fmin(h[0], h[1]), std::fmin(h[stride], h[stride + 1]));
        const float high = std::fmax(std::fmax(h[0], h[1]), std::fmax(h[stride], h[stride + 1]));
        if (near <= far && std::fmin(a, b) <= high && std::fmax(a, b) >= low) mask |= 1u << (child ^ m_order);
    }
    return mask;
}

#endif

}  // namespace karst::heightfield
