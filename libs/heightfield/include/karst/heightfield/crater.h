#pragma once

#include <karst/heightfield/height_tile.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::heightfield {

/// A round dent with a raised rim, added to whatever ground is there (spec row H28). With s = distance /
/// radius and the rim's lip ending at s = 1.6:
///
///     s <= 1        rimHeight - (depth + rimHeight) (1 - s^2)^2
///     s <= 1.6      rimHeight (1 - q^2)^2,  q = (s - 1) / 0.6
///     beyond        0
///
/// Both parts are quartics, level at the centre, at the rim and at the lip's end, so the whole has a
/// continuous slope. All lengths are world units of the terrain's local space.
struct Crater {
    static constexpr double kReach = 1.6;      ///< radii; nothing changes beyond
    static constexpr double kMaxLength = 1e9;  ///< of radius, depth and rim height
    static constexpr double kMinRadius = 1e-6;

    double x = 0, z = 0;
    double radius = 1;     ///< kMinRadius .. kMaxLength
    double depth = 0;      ///< at the centre, below the old ground; 0 .. kMaxLength
    double rimHeight = 0;  ///< at distance radius, above the old ground; 0 .. kMaxLength

    bool operator==(const Crater&) const = default;

    /// What it adds to the height at a point.
    double offsetAt(double px, double pz) const;
    /// An upper bound of |offset - offset drawn with the two triangles of a lattice of these strides|.
    double deviation(double strideX, double strideZ) const;
};

/// Refuses by name a field that is not finite or out of its range.
Result<void> validate(const Crater& crater);

/// Does the crater change a sample of the tile, its apron included?
bool reaches(const Crater& crater, const TileLayout& layout, const TileKey& key);

/// A stored tile with all craters that reach it; the same object where none does. `tile` is the tile as
/// loaded, without any crater: offsets are summed in one fixed order (by x, z, radius, depth, rim height),
/// whatever the order of `craters`, and added once to the unchanged sample, so craters commute bit for bit
/// and a replayed log gives the same tile.
///
/// Bounds grow by what the craters may add in the footprint. Every entry of the error table grows by the
/// craters' deviation from its level's lattice and from the finest surface's, at level `finestLevel`: 0
/// without detail, -levels with; an entry of that very level stays. The revision is the tile's plus the
/// number of craters that reach it, so it rises whenever its samples change.
///
/// Craters must be valid (asserted). Threads: any.
TilePtr applyCraters(const TilePtr& tile, const TileLayout& layout, std::span<const Crater> craters,
                     std::int32_t finestLevel = 0);

/// The edit log as bytes (docs/formats/crater_log_v1.md): the craters in their order.
std::vector<std::byte> encodeCraters(std::span<const Crater> craters);
/// Any bytes: the craters, all valid, or an error that names the offset or the crater and its field.
Result<std::vector<Crater>> decodeCraters(std::span<const std::byte> bytes);

}  // namespace karst::heightfield
