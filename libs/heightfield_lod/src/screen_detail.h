#pragma once

#include <karst/base/bounds.h>
#include <karst/base/math.h>
#include <karst/heightfield_lod/tile_selection.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

// How fine a tile must be drawn for a view (spec row H11). Version 1 patches and tiles of a pyramid share it,
// so that a pyramid of one level selects exactly as version 1 does (row H14).

namespace karst::heightfield {

/// What screenDetail gives for a tile that is too coarse even at its finest.
inline constexpr double kTooCoarse = -std::numeric_limits<double>::infinity();

/// A view made ready for many tiles of one pyramid.
struct DetailView {
    Vec3d eye;
    double errorPerDistance = 0;   // the largest error allowed, for each unit of distance
    double strideLevelScale = 0;   // of the ratio whose binary logarithm is the level of the largest cell
    double growthOfLevelZero = 0;  // added to the error of level 0; doubles with each level
    double focusX = 0, focusZ = 0, targetRadius = 0;
    double coarsest = 0;  // the coarsest level that anything can be drawn at

    /// `spacing`: the larger one of the finest samples; `coarsestLevel`: of the whole pyramid.
    static DetailView make(const TileView& view, double spacing, double coarsestLevel) {
        DetailView out;
        out.eye = view.eye;
        out.errorPerDistance = view.tolerance / view.projectionScale;
        out.strideLevelScale = kMaxCellPixels / (view.projectionScale * spacing);
        // An error table may be level over several entries. A small part of the cell's size makes it rise
        // everywhere, so that the detail never jumps over a level while the eye moves by nothing.
        out.growthOfLevelZero = spacing * view.tolerance / (32 * kMaxCellPixels);
        out.focusX = view.focusX;
        out.focusZ = view.focusZ;
        out.targetRadius = view.targetRadius;
        out.coarsest = coarsestLevel;
        return out;
    }

    /// The target disk's limit over a footprint: 0 inside, none one more radius away.
    double pin(const Bounds& box) const {
        if (!(targetRadius > 0)) return coarsest;
        const double dx = std::max({box.min.x - focusX, 0.0, focusX - box.max.x});
        const double dz = std::max({box.min.z - focusZ, 0.0, focusZ - box.max.z});
        const double fade = (std::sqrt(dx * dx + dz * dz) - targetRadius) / targetRadius;
        return coarsest * std::clamp(fade, 0.0, 1.0);
    }
};

/// Details are whole multiples of 2^-16, so that a level taken from one is exact also in f32. For -1024 ..
/// 1024.
inline double roundDetail(double detail) {
    constexpr double kSteps = 65536, kOffset = 1024;
    return static_cast<double>(static_cast<std::int64_t>((detail + kOffset) * kSteps)) / kSteps - kOffset;
}

/// Exact; -1022 .. 1023.
inline double powerOfTwo(std::int32_t exponent) {
    return bitCast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The binary logarithm at powers of two, straight between them; for normal numbers above 0.
inline double evenLogarithm(double x) {
    const auto bits = bitCast<std::uint64_t>(x);
    constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
    const double mantissa = bitCast<double>((bits & kMantissa) | std::uint64_t{1023} << 52);
    return static_cast<double>(bits >> 52) - 1024 + mantissa;
}

/// The coarsest detail that satisfies a view: level .. level + levels, or kTooCoarse. `errorAt(i)`: error of
/// drawing the box at lattice level `level + i`, monotone. Grows with the distance and falls with the errors,
/// in rounded arithmetic too: a child within its parent's box and errors is never finer than its parent.
template <class ErrorAt>
double screenDetail(const DetailView& view, const Bounds& box, std::int32_t level, std::uint32_t levels,
                    const ErrorAt& errorAt) {
    const double away = distance(box, view.eye);
    const double allowed = away * view.errorPerDistance;
    double growth = view.growthOfLevelZero * powerOfTwo(level);
    double low = errorAt(0u) + growth;
    if (!(allowed >= low)) return kTooCoarse;
    double detail = static_cast<double>(level) + levels;
    for (std::uint32_t i = 1; i <= levels; ++i) {
        growth *= 2;
        const double high = errorAt(i) + growth;
        if (allowed < high) {
            detail = static_cast<double>(level) + (i - 1) + (allowed - low) / (high - low);
            break;
        }
        low = high;
    }
    // Cells double from level to level and grow evenly between, as errors do.
    const double ratio = away * view.strideLevelScale;
    if (!(ratio > 0x1p-60)) return kTooCoarse;
    detail = std::min(detail, evenLogarithm(ratio));
    detail = std::min(detail, view.pin(box));
    return detail < level ? kTooCoarse : roundDetail(detail);
}

}  // namespace karst::heightfield
