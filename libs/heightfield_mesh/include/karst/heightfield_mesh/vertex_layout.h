#pragma once

#include <karst/base/result.h>

#include <cstdint>

namespace karst::heightfield {

enum class NormalFormat : std::uint8_t {
    Float3,        ///< three 32-bit floats
    Octahedral16,  ///< one word: two signed normalised 16-bit numbers, x in the low half (see
                   ///< octahedralNormal)
};

/// Where a vertex keeps its attributes, in 32-bit words from its start (spec row N3). An attribute at kAbsent
/// is not written; words that no attribute covers are written as 0.
struct VertexLayout {
    static constexpr std::uint32_t kAbsent = ~0u;

    std::uint32_t strideWords = 0;
    std::uint32_t position = kAbsent;  ///< 3 floats: world space
    std::uint32_t normal = kAbsent;    ///< 3 words or 1, by normalFormat
    NormalFormat normalFormat = NormalFormat::Float3;
    std::uint32_t tangent =
        kAbsent;                  ///< 4 floats: unit vector along growing X on the surface, then handedness 1
    std::uint32_t uv0 = kAbsent;  ///< 2 floats: 0..1 across the rect, u along X, v along Z
    std::uint32_t uv1 = kAbsent;  ///< 2 floats: the same numbers
    std::uint32_t color = kAbsent;  ///< 4 floats: 1, 1, 1, 1

    bool operator==(const VertexLayout&) const = default;

    /// 4 words: position, octahedral normal.
    static VertexLayout compact();
    /// 6 words: position, float normal.
    static VertexLayout positionNormal();
    /// 23 words: position 0, normal 3, tangent 6, uv0 10, uv1 12, color 14, then five words of skinning data
    /// (18..22) that ground leaves 0.
    static VertexLayout engine23();
};

/// Refuses, by name, a layout without a position, one that leaves its stride, or attributes that overlap.
Result<void> validate(const VertexLayout& layout);

/// The normal of a surface y(x, z) with the given gradient (rise per unit) as one word: the octahedral map of
/// the upper hemisphere's full sphere (Cigolle et al. 2014), each coordinate round(v * 32767) in 16 bits.
/// Decode: e = v / 32767; n = (e.x, 1 - |e.x| - |e.y|, e.y); (if n.y < 0: fold) ; normalise. Y is the axis.
std::uint32_t octahedralNormal(float gradientX, float gradientZ);

}  // namespace karst::heightfield
