#pragma once

#include <karst/base/bounds.h>
#include <karst/base/rect.h>
#include <karst/base/result.h>
#include <karst/heightfield/height_raster.h>

#include <cstdint>

namespace karst::heightfield {

/// Samples that a tile holds beyond each of its sides.
inline constexpr int kTileApron = 1;

/// A tile of a pyramid. Level 0 holds the finest stored samples, each next level every second sample of the
/// one below; levels below 0 are synthesised detail.
struct TileKey {
    std::int32_t level = 0;
    std::uint32_t x = 0, z = 0;

    bool operator==(const TileKey&) const = default;
    /// Coarsest first, then by row.
    bool operator<(const TileKey& other) const {
        if (level != other.level) return level > other.level;
        return z != other.z ? z < other.z : x < other.x;
    }
    TileKey parent() const { return {level + 1, x >> 1, z >> 1}; }
    /// index 0..3: bit 0 along X, bit 1 along Z.
    TileKey child(std::uint32_t index) const {
        return {level - 1, x * 2 + (index & 1), z * 2 + (index >> 1)};
    }
    /// Distinct for every key of a valid layout.
    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(level + 8) << 58 | std::uint64_t{x} << 29 | std::uint64_t{z};
    }
};

/// The geometry and quantisation of a pyramid of tiles (spec row H3).
///
/// Finest sample (i, j) stands at (originX + i * spacingX, originZ + j * spacingZ). A level-L tile spans
/// tileCells << L finest cells and its lattice is the finest lattice at stride 2^L: tileCells + 1 samples a
/// side, shared with its neighbours. Roots are the tiles of level storedLevels - 1. The pyramid may reach
/// past the samples that hold ground (samplesX x samplesZ): what lies beyond continues the edge level and is
/// a hole where holes are kept; tiles that hold nothing else are not stored.
struct TileLayout {
    static constexpr std::uint32_t kMaxTileCells = 128;
    static constexpr std::uint32_t kMaxStoredLevels = 20;
    static constexpr std::uint32_t kMaxDetailLevels = 4;
    /// Finest cells along one side of the whole pyramid, at most.
    static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 24;

    std::uint32_t tileCells = 64;    ///< a power of two, 2 .. 128
    std::uint32_t storedLevels = 1;  ///< 1 .. 20
    std::uint32_t rootsX = 1, rootsZ = 1;
    double originX = 0, originZ = 0;    ///< of the finest sample (0, 0), world units
    double spacingX = 1, spacingZ = 1;  ///< of the finest samples, > 0
    HeightRange quantisation{0, 1};     ///< what 16-bit 0 and 65535 stand for; min < max, or both the same
    std::uint32_t samplesX = 0, samplesZ = 0;  ///< finest samples that hold ground; 2 .. cells + 1

    bool operator==(const TileLayout&) const = default;

    std::int32_t rootLevel() const { return static_cast<std::int32_t>(storedLevels) - 1; }
    /// log2(tileCells): a tile can be drawn at its own level and at this many coarser ones.
    std::uint32_t tileLevels() const;
    /// Finest cells along the whole pyramid.
    std::uint64_t cellsX() const { return std::uint64_t{rootsX} * tileCells << (storedLevels - 1); }
    std::uint64_t cellsZ() const { return std::uint64_t{rootsZ} * tileCells << (storedLevels - 1); }
    /// Tiles along each axis at a level, those without ground included.
    std::uint32_t tilesX(std::int32_t level) const;
    std::uint32_t tilesZ(std::int32_t level) const;
    /// Samples a side with the apron: tileCells + 3.
    std::uint32_t tileSide() const { return tileCells + 1 + 2 * kTileApron; }

    /// Is the key one of this pyramid's (levels -4 .. rootLevel()), with some ground in its footprint?
    bool contains(const TileKey& key) const;
    /// A tile's side in world units.
    double tileSizeX(std::int32_t level) const;
    double tileSizeZ(std::int32_t level) const;
    double strideX(std::int32_t level) const { return tileSizeX(level) / tileCells; }
    double strideZ(std::int32_t level) const { return tileSizeZ(level) / tileCells; }
    /// The tile's whole footprint, padding included.
    Rect footprint(const TileKey& key) const;
    /// The ground: from the first to the last sample that holds any.
    Rect groundRect() const;

    std::uint16_t quantise(float height) const;
    float dequantise(std::uint16_t value) const;
    /// Half a step of the quantisation.
    double quantisationError() const { return (double{quantisation.max} - quantisation.min) / 65535.0 * 0.5; }
};

/// Refuses by name what is out of range, not finite, or past kMaxCells.
Result<void> validate(const TileLayout& layout);

/// A layout for samplesX x samplesZ samples. `levels` 0 halves down until one root (or, for oblong ground, a
/// row of roots) covers the ground along its shorter side. Fails where validate would.
Result<TileLayout> makeTileLayout(std::uint32_t samplesX, std::uint32_t samplesZ, std::uint32_t tileCells,
                                  std::uint32_t levels, double spacingX, double spacingZ, HeightRange range);

}  // namespace karst::heightfield
