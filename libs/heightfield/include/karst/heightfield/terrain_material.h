#pragma once

#include <karst/base/result.h>

#include <array>
#include <cstdint>
#include <optional>

namespace karst::heightfield {

/// A weight that goes smoothly from 0 at `zeroAt` to 1 at `oneAt` (a cubic, level at both ends). zeroAt >
/// oneAt falls instead: 1 at and below oneAt. Equal: a step up.
struct MaterialRamp {
    double zeroAt = 0, oneAt = 0;

    /// In 0..1, monotone in `value`.
    double at(double value) const;
};

/// How much a material covers those before it: the product of its ramps; 1 where it has none.
struct MaterialCover {
    std::optional<MaterialRamp> slope;   ///< of rise over run: 1 at 45 degrees
    std::optional<MaterialRamp> height;  ///< of the height in world units

    double at(double slopeHere, double heightHere) const {
        return (slope ? slope->at(slopeHere) : 1.0) * (height ? height->at(heightHere) : 1.0);
    }
};

/// The weights of up to four materials; they add up to 1.
using MaterialWeights = std::array<double, 4>;

/// Which materials ground shows, from its slope and height. Material 0 lies everywhere; each following one
/// covers those before it by its MaterialCover. What detail (tile_detail.h) and shading use.
///
/// Threads: const, any. Arithmetic in f64 without library functions: the same bits everywhere.
/// Source: spec rows H22, H24.
struct TerrainMaterialRules {
    static constexpr std::uint32_t kMaxMaterials = 4;

    std::uint32_t materials = 2;  ///< 1 .. 4
    /// Cover i is material i + 1's. By default material 1 is rock, on slopes from 35 to 45 degrees.
    std::array<MaterialCover, 3> covers{MaterialCover{MaterialRamp{0.7, 1.0}, std::nullopt}, {}, {}};

    /// slope >= 0.
    MaterialWeights weightsAt(double slope, double height) const;
};

/// Refuses by name a number of materials outside 1..4 and ramps that are not finite.
Result<void> validate(const TerrainMaterialRules& rules);

}  // namespace karst::heightfield
